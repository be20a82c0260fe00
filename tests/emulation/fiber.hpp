// Fibers: several stacks on one host thread, switched between by hand.
//
// A CUDA thread has to stop in the middle of its kernel when it comes to a barrier, so each has a stack of its own. A
// switch of a hand-written fiber saves seven registers and takes a few nanoseconds, a switch of host threads a thousand
// times that.
#ifndef EMU_FIBER_HPP
#define EMU_FIBER_HPP

#include "sanitizers.hpp"

#include <cstddef>

#if !defined(__x86_64__) && !defined(EMU_UCONTEXT)
#define EMU_UCONTEXT 1
#endif
#ifdef EMU_UCONTEXT
#include <ucontext.h>
#endif

namespace emu {

struct Fiber {
#ifdef EMU_UCONTEXT
    ucontext_t context;
#else
    void *stack_pointer = nullptr;
#endif
    char *mapping = nullptr;      // guard page, then the stack; nullptr: a stack of the host's
    const void *bottom = nullptr; // of the stack, and its size, for AddressSanitizer
    std::size_t size = 0;
    void *fake_stack = nullptr; // AddressSanitizer's
    void *tsan = nullptr;       // ThreadSanitizer's
};

// A fiber that will call entry() when it is first switched to. entry must call fiber_entered() first and never return.
Fiber *new_fiber(void (*entry)());
// Not the running one.
void delete_fiber(Fiber *fiber);
// Makes `host` stand for the calling host thread, which runs it now.
void adopt_host(Fiber *host);

extern Fiber *running_fiber, *previous_fiber;

inline void fiber_entered() {
#ifdef EMU_ASAN
    __sanitizer_finish_switch_fiber(running_fiber->fake_stack, &previous_fiber->bottom, &previous_fiber->size);
#endif
}

#ifndef EMU_UCONTEXT
extern "C" void emu_switch_stacks(void **save_stack_pointer, void *stack_pointer);
#endif

// Returns when somebody switches back.
inline void switch_to_fiber(Fiber *target) {
    Fiber *from = running_fiber;
    if (from == target)
        return;
    previous_fiber = from;
    running_fiber = target;
#ifdef EMU_TSAN
    __tsan_switch_to_fiber(target->tsan, 1 /* without making what happened here happen before */);
#endif
#ifdef EMU_ASAN
    __sanitizer_start_switch_fiber(&from->fake_stack, target->bottom, target->size);
#endif
#ifdef EMU_UCONTEXT
    swapcontext(&from->context, &target->context);
#else
    emu_switch_stacks(&from->stack_pointer, target->stack_pointer);
#endif
    fiber_entered();
}

} // namespace emu

#endif
