// Atomics and fences of CUDA device code, with exactly CUDA's overloads: there is none for uint64_t *, which is
// unsigned long * here and must be cast to unsigned long long *. Part of device_code.h.
//
// Every atomic is a point where another CUDA thread may run, so that the order of atomics of different threads varies.
// As a mutation (emu_plain_atomics) each becomes a load, a switch to another thread, and a store: a test that a lost
// update does not disturb does not test the atomic.
#ifndef EMU_DEVICE_ATOMICS_H
#define EMU_DEVICE_ATOMICS_H

#include <cstdint>
#include <cstring>

namespace emu {

extern std::int64_t atomics_until_switch;
extern bool atomics_are_plain;

EMU_UNSEEN inline void before_atomic() {
    if (--atomics_until_switch <= 0)
        yield_thread();
}
EMU_UNSEEN inline bool plain_atomics() {
    return __builtin_expect(atomics_are_plain, false);
}

// old = *address, *address = update(old), as one step. Word is the unsigned integer of T's size.
template <class Word, class T, class Update> inline T atomic_update(T *address, Update update) {
    Word *word = reinterpret_cast<Word *>(address), old_word, new_word;
    T old_value, new_value;
    if (plain_atomics()) {
        old_value = *address;
        yield_thread();
        *address = update(old_value);
        return old_value;
    }
    before_atomic();
    old_word = __atomic_load_n(word, __ATOMIC_RELAXED);
    do {
        std::memcpy(&old_value, &old_word, sizeof old_value);
        new_value = update(old_value);
        std::memcpy(&new_word, &new_value, sizeof new_word);
    } while (!__atomic_compare_exchange_n(word, &old_word, new_word, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old_value;
}

} // namespace emu

#define EMU_ATOMIC(name, T, Word, expression)                                                                          \
    inline T name(T *address, T value) {                                                                               \
        return emu::atomic_update<Word>(address, [value](T old) -> T { return expression; });                          \
    }
#define EMU_INTEGER_ATOMICS(T, Word)                                                                                   \
    EMU_ATOMIC(atomicAdd, T, Word, static_cast<T>(static_cast<Word>(old) + static_cast<Word>(value)))                  \
    EMU_ATOMIC(atomicExch, T, Word, (static_cast<void>(old), value))                                                   \
    EMU_ATOMIC(atomicMin, T, Word, value < old ? value : old)                                                          \
    EMU_ATOMIC(atomicMax, T, Word, old < value ? value : old)                                                          \
    EMU_ATOMIC(atomicAnd, T, Word, old &value)                                                                         \
    EMU_ATOMIC(atomicOr, T, Word, old | value)                                                                         \
    EMU_ATOMIC(atomicXor, T, Word, old ^ value)                                                                        \
    inline T atomicCAS(T *address, T expected, T value) {                                                              \
        return emu::atomic_update<Word>(address, [=](T old) -> T { return old == expected ? value : old; });           \
    }
EMU_INTEGER_ATOMICS(int, unsigned)
EMU_INTEGER_ATOMICS(unsigned, unsigned)
EMU_INTEGER_ATOMICS(unsigned long long, unsigned long long)
EMU_ATOMIC(atomicSub, int, unsigned, static_cast<int>(static_cast<unsigned>(old) - static_cast<unsigned>(value)))
EMU_ATOMIC(atomicSub, unsigned, unsigned, old - value)
EMU_ATOMIC(atomicAdd, float, std::uint32_t, old + value)
EMU_ATOMIC(atomicAdd, double, std::uint64_t, old + value)
#undef EMU_INTEGER_ATOMICS
#undef EMU_ATOMIC

inline void __threadfence_block() {
    emu::before_atomic();
}
inline void __threadfence() {
    emu::before_atomic();
}
inline void __threadfence_system() {
    emu::before_atomic();
}
inline void __nanosleep(unsigned) {
    emu::before_atomic();
}

#endif
