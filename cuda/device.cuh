/* What several kernels share. */
#ifndef SG_CUDA_DEVICE_CUH
#define SG_CUDA_DEVICE_CUH

#include "kernels.h"
#include "portable.cuh"
#include "tuning.h"

#define SG_CUDA_BOUNDS __launch_bounds__(SG_CUDA_BLOCK_THREADS, SG_CUDA_BLOCKS_LEAST)

static constexpr unsigned kFullWarp = 0xffffffffu;
static constexpr unsigned kLanes = 32;

/* The words of a line. */
template <class Word>
static __device__ __forceinline__ Word *line_words(const sg_cuda_layout &layout, Word *plane, uint64_t line) {
    return plane + SG_CUDA_GUARD_WORDS + line * layout.row_words;
}

/* The residue of the moves from target row r to source row s; they borrow a column when r < t. */
static __device__ __forceinline__ uint32_t residue_between(const sg_cuda_layout &layout, uint32_t r, uint32_t s) {
    return r >= s ? r - s : r + layout.modulus - s;
}

/* The first index in rising numbers[first .. end) whose entry is at least `bound`, or end. */
template <class Number, class Index, class Bound>
static __device__ __forceinline__ Index lower_bound(const Number *numbers, Index first, Index end, Bound bound) {
    while (first < end) {
        Index middle = first + (end - first) / 2;
        if (static_cast<Bound>(numbers[middle]) < bound)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

/* Which thread of the grid this is. */
static __device__ __forceinline__ uint64_t global_thread() {
    return (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

/* Launches `threads` threads in blocks of the usual size; nothing for none. A grid holds 2^31 - 1 blocks. */
template <class... P, class... A>
static cudaError_t launch_threads(void (*kernel)(P...), uint64_t threads, cudaStream_t stream, A &&...arguments) {
    uint64_t blocks = (threads + SG_CUDA_BLOCK_THREADS - 1) / SG_CUDA_BLOCK_THREADS;
    if (blocks == 0)
        return cudaSuccess;
    if (blocks > 0x7fffffffu)
        return cudaErrorInvalidConfiguration;
    return sg_launch(kernel, dim3((unsigned)blocks), dim3(SG_CUDA_BLOCK_THREADS), 0, stream,
                     std::forward<A>(arguments)...);
}

#endif
