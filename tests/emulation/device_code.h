// Lets a host compiler build a .cu file as C++: `-x c++ -include device_code.h`, with NVIDIA's headers as system
// headers.
//
// NVIDIA's own cuda_runtime.h gives the host API and the vector types; this header and the two it includes give the
// device side: the language's keywords and variables, barriers and warp collectives here, atomics in
// device_atomics.h, arithmetic in device_arithmetic.h. Only what CUDA has is declared, with CUDA's overloads, so that
// what nvcc rejects is rejected here as well. core.cpp and warp.cpp execute it.
//
// Plain `__shared__` is not offered: a variable of C++ is neither fresh in each block nor watched (see SG_SHARED in
// cuda/portable.cuh). threadIdx and its kin are variables and not macros, since members of NVIDIA's structures have
// the same names. Never define __noinline__: the standard library uses it as an attribute's name.
#ifndef EMU_DEVICE_CODE_H
#define EMU_DEVICE_CODE_H

#include "kernel_arguments.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#define SG_CUDA_EMULATION 1

#undef __global__
#undef __device__
#undef __host__
#undef __constant__
#undef __shared__
#undef __managed__
#undef __launch_bounds__
#undef __grid_constant__
#undef __forceinline__
#define __global__
#define __device__
#define __host__
#define __constant__
#define __shared__ use_SG_SHARED_of_portable_cuh
#define __launch_bounds__(...)
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))

// Device functions that touch the emulation's own state are left out of ThreadSanitizer: it must see the accesses of
// kernels only.
#if defined(__clang__)
#define EMU_UNSEEN __attribute__((no_sanitize("thread")))
#else
#define EMU_UNSEEN __attribute__((no_sanitize_thread))
#endif

// The last parameter of every barrier and collective: where it was called. Barriers match only at one place.
#define EMU_HERE emu::Site site = {__builtin_FILE(), __builtin_LINE()}

// The indices of the CUDA thread that runs now.
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
static constexpr int warpSize = 32;

namespace emu {

struct Site {
    const char *file;
    int line;
};

// A variable in shared memory; one object for each declaration in a kernel, used by one block after another.
struct SharedVariable {
    void *memory = nullptr;
    std::size_t bytes = 0, capacity = 0;
    std::uint64_t block = 0; // number of the block that the memory was made for
    SharedVariable *next = nullptr;
};
void *shared_memory(SharedVariable &variable, std::size_t bytes);
void *dynamic_shared_memory();

enum class Barrier { plain, count, any, all };
int block_barrier(Barrier kind, bool predicate, Site site);

enum class Collective {
    sync,
    ballot,
    any,
    all,
    shuffle,
    match,
    add,
    min,
    min_signed,
    max,
    max_signed,
    bit_and,
    bit_or,
    bit_xor
};
std::uint64_t warp_collective(Collective kind, unsigned mask, std::uint64_t value, unsigned source_lane, Site site);
unsigned lane();

// Lets another CUDA thread of the block run, where the schedule is shuffled.
void yield_thread();
[[noreturn]] void fail_kernel(cudaError_t error, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Waits for the stream, and lets host code reach device memory until the next API call.
void enter_thrust(cudaStream_t stream);

// What launching needs to know of a kernel: how to copy the arguments, and the pointers in them.
struct BoundKernel {
    std::function<void()> body;
    std::vector<const void *> pointers;
};
using Binder = BoundKernel (*)(const void *kernel, void **arguments);
void register_kernel(const void *kernel, Binder binder);

template <class... Parameters> struct KernelType {
    template <std::size_t... I>
    static BoundKernel bind_each(const void *kernel, void **arguments, std::index_sequence<I...>) {
        std::tuple<std::decay_t<Parameters>...> copies(*static_cast<std::decay_t<Parameters> *>(arguments[I])...);
        auto function = reinterpret_cast<void (*)(Parameters...)>(const_cast<void *>(kernel));
        BoundKernel bound;
        auto note = [&bound](const void *pointer) { bound.pointers.push_back(pointer); };
        (note_pointers(note, std::get<I>(copies)), ...);
        bound.body = [function, copies] { std::apply(function, copies); };
        return bound;
    }
    static BoundKernel bind(const void *kernel, void **arguments) {
        return bind_each(kernel, arguments, std::index_sequence_for<Parameters...>{});
    }
};

template <class... Parameters> inline void declare_kernel(void (*kernel)(Parameters...)) {
    register_kernel(reinterpret_cast<const void *>(kernel), &KernelType<Parameters...>::bind);
}

template <class T> inline std::uint64_t to_bits(T value) {
    static_assert(std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8), "CUDA has no such warp operation");
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
}

template <class T> inline T shuffle(unsigned mask, T value, unsigned source_lane, Site site) {
    std::uint64_t bits = warp_collective(Collective::shuffle, mask, to_bits(value), source_lane, site);
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

} // namespace emu

// ---------------------------------------------------------------- barriers of a block

inline void __syncthreads(EMU_HERE) {
    emu::block_barrier(emu::Barrier::plain, false, site);
}
inline int __syncthreads_count(int predicate, EMU_HERE) {
    return emu::block_barrier(emu::Barrier::count, predicate != 0, site);
}
inline int __syncthreads_or(int predicate, EMU_HERE) {
    return emu::block_barrier(emu::Barrier::any, predicate != 0, site);
}
inline int __syncthreads_and(int predicate, EMU_HERE) {
    return emu::block_barrier(emu::Barrier::all, predicate != 0, site);
}

// ---------------------------------------------------------------- collectives of a warp

inline void __syncwarp(unsigned mask = 0xffffffffu, EMU_HERE) {
    emu::warp_collective(emu::Collective::sync, mask, 0, 0, site);
}
inline unsigned __ballot_sync(unsigned mask, int predicate, EMU_HERE) {
    return static_cast<unsigned>(emu::warp_collective(emu::Collective::ballot, mask, predicate != 0, 0, site));
}
inline int __any_sync(unsigned mask, int predicate, EMU_HERE) {
    return static_cast<int>(emu::warp_collective(emu::Collective::any, mask, predicate != 0, 0, site));
}
inline int __all_sync(unsigned mask, int predicate, EMU_HERE) {
    return static_cast<int>(emu::warp_collective(emu::Collective::all, mask, predicate != 0, 0, site));
}
template <class T> inline unsigned __match_any_sync(unsigned mask, T value, EMU_HERE) {
    return static_cast<unsigned>(emu::warp_collective(emu::Collective::match, mask, emu::to_bits(value), 0, site));
}
// Hostile and allowed: no other lane is ever converged with the caller.
inline unsigned __activemask() {
    return 1u << emu::lane();
}

// Shuffles within groups of `width` lanes; a lane whose source would lie outside its group reads its own value.
template <class T> inline T __shfl_sync(unsigned mask, T value, int source, int width = 32, EMU_HERE) {
    unsigned within = static_cast<unsigned>(width) - 1;
    return emu::shuffle(mask, value, (emu::lane() & ~within) | (static_cast<unsigned>(source) & within), site);
}
template <class T> inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, EMU_HERE) {
    unsigned lane = emu::lane(), first = lane & ~(static_cast<unsigned>(width) - 1);
    return emu::shuffle(mask, value, lane < first + delta ? lane : lane - delta, site);
}
template <class T> inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, EMU_HERE) {
    unsigned lane = emu::lane(), end = (lane & ~(static_cast<unsigned>(width) - 1)) + static_cast<unsigned>(width);
    return emu::shuffle(mask, value, lane + delta >= end ? lane : lane + delta, site);
}
template <class T> inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32, EMU_HERE) {
    unsigned lane = emu::lane(), source = lane ^ static_cast<unsigned>(bits);
    unsigned end = (lane & ~(static_cast<unsigned>(width) - 1)) + static_cast<unsigned>(width);
    return emu::shuffle(mask, value, source >= end ? lane : source, site);
}

#define EMU_REDUCE(name, T, kind)                                                                                      \
    inline T name(unsigned mask, T value, EMU_HERE) {                                                                  \
        return static_cast<T>(emu::warp_collective(emu::Collective::kind, mask, emu::to_bits(value), 0, site));        \
    }
EMU_REDUCE(__reduce_add_sync, unsigned, add)
EMU_REDUCE(__reduce_add_sync, int, add)
EMU_REDUCE(__reduce_min_sync, unsigned, min)
EMU_REDUCE(__reduce_min_sync, int, min_signed)
EMU_REDUCE(__reduce_max_sync, unsigned, max)
EMU_REDUCE(__reduce_max_sync, int, max_signed)
EMU_REDUCE(__reduce_and_sync, unsigned, bit_and)
EMU_REDUCE(__reduce_or_sync, unsigned, bit_or)
EMU_REDUCE(__reduce_xor_sync, unsigned, bit_xor)
#undef EMU_REDUCE

[[noreturn]] inline void __trap(EMU_HERE) {
    emu::fail_kernel(cudaErrorLaunchFailure, "__trap at %s:%d", site.file, site.line);
}

#include "device_arithmetic.h"
#include "device_atomics.h"

#endif
