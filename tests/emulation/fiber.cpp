// Creation of fibers and the switch of stacks; see fiber.hpp.
#include "fiber.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <sys/mman.h>

namespace emu {

Fiber *running_fiber, *previous_fiber;

namespace {

// Kernels have no large local arrays and no deep calls: 128 KiB is plenty, also without optimisation and with
// sanitizers. Pages that are not touched cost nothing.
constexpr std::size_t STACK_BYTES = 128 << 10;
constexpr std::size_t GUARD_BYTES = 4096;

// Stacks that all begin at the same offset in a page would share a few lines of the first-level cache; each begins some
// lines further down than the one before.
constexpr unsigned STAGGER_STEPS = 31, STAGGER_BYTES = 2 * 64;

char *stack_top(char *mapping) {
    static unsigned step = 0;
    step = (step + 1) % STAGGER_STEPS;
    return mapping + GUARD_BYTES + STACK_BYTES - step * STAGGER_BYTES;
}

} // namespace

#ifdef EMU_UCONTEXT

static void prepare(Fiber *fiber, void (*entry)()) {
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber->mapping + GUARD_BYTES;
    fiber->context.uc_stack.ss_size =
        static_cast<std::size_t>(stack_top(fiber->mapping) - fiber->mapping) - GUARD_BYTES;
    fiber->context.uc_link = nullptr;
    makecontext(&fiber->context, entry, 0);
}

#else

// The System V ABI wants rbx, rbp and r12 to r15 preserved across a call; all other registers are free.
asm(R"(
    .text
    .globl emu_switch_stacks
    .hidden emu_switch_stacks
    .type emu_switch_stacks, @function
emu_switch_stacks:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size emu_switch_stacks, .-emu_switch_stacks
)");

static void prepare(Fiber *fiber, void (*entry)()) {
    void **top = reinterpret_cast<void **>(stack_top(fiber->mapping));
    *--top = nullptr; // stands for the return address of entry, so that its frame is aligned as after a call
    *--top = reinterpret_cast<void *>(entry);
    for (int saved_register = 0; saved_register < 6; saved_register++)
        *--top = nullptr;
    fiber->stack_pointer = top;
}

#endif

Fiber *new_fiber(void (*entry)()) {
    Fiber *fiber = new Fiber;
    void *mapping = mmap(nullptr, GUARD_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED || mprotect(mapping, GUARD_BYTES, PROT_NONE) != 0) {
        perror("emulation: no memory for the stack of a CUDA thread");
        abort();
    }
    fiber->mapping = static_cast<char *>(mapping);
    fiber->bottom = fiber->mapping + GUARD_BYTES;
    fiber->size = STACK_BYTES;
    prepare(fiber, entry);
#ifdef EMU_TSAN
    fiber->tsan = __tsan_create_fiber(0);
#endif
    return fiber;
}

void delete_fiber(Fiber *fiber) {
    allow_access(fiber->bottom, fiber->size);
#ifdef EMU_TSAN
    __tsan_destroy_fiber(fiber->tsan);
#endif
    munmap(fiber->mapping, GUARD_BYTES + STACK_BYTES);
    delete fiber;
}

void adopt_host(Fiber *host) {
    running_fiber = host;
#ifdef EMU_TSAN
    host->tsan = __tsan_get_current_fiber();
#endif
}

} // namespace emu
