// What AddressSanitizer and ThreadSanitizer must be told about memory and order that they cannot see.
#ifndef EMU_SANITIZERS_HPP
#define EMU_SANITIZERS_HPP

#if defined(__SANITIZE_ADDRESS__)
#define EMU_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EMU_ASAN 1
#endif
#endif

#ifdef EMU_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

// EMU_TSAN is given by the build: the emulation itself is compiled without -fsanitize=thread, or it would be reported
// where it imitates a device, but it is linked into an instrumented program.
#ifdef EMU_TSAN
extern "C" {
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void __tsan_acquire(void *address);
void __tsan_release(void *address);
}
#endif

namespace emu {

// Memory that shared variables lie in is allocated exactly where a sanitizer knows the ends of heap blocks.
#if defined(EMU_ASAN) || defined(EMU_TSAN)
constexpr bool exact_heap_blocks = true;
#else
constexpr bool exact_heap_blocks = false;
#endif

// What a thread did before order_release(point) happens before what another does after order_acquire(point).
inline void order_release([[maybe_unused]] void *point) {
#ifdef EMU_TSAN
    __tsan_release(point);
#endif
}
inline void order_acquire([[maybe_unused]] void *point) {
#ifdef EMU_TSAN
    __tsan_acquire(point);
#endif
}

inline void forbid_access([[maybe_unused]] const void *first, [[maybe_unused]] unsigned long bytes) {
#ifdef EMU_ASAN
    __asan_poison_memory_region(first, bytes);
#endif
}
inline void allow_access([[maybe_unused]] const void *first, [[maybe_unused]] unsigned long bytes) {
#ifdef EMU_ASAN
    __asan_unpoison_memory_region(first, bytes);
#endif
}

} // namespace emu

#endif
