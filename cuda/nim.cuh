/* What the kernels on nim-values share: windows, and ranges of members. */
#ifndef SG_CUDA_NIM_CUH
#define SG_CUDA_NIM_CUH

#include "device.cuh"
#include "nim_kernels.h"

#include <type_traits>

static constexpr int kUnroll = SG_CUDA_NIM_UNROLL;

/* Adds an option's value. Values below the base that are no hole are no news, and those past the window are left out:
 * the mex is found in the window or not at all. */
static __device__ __forceinline__ void mark_window(sg_window &window, uint32_t value) {
    uint32_t at = value - window.base, bit = 1u << (at & 31);
#pragma unroll
    for (uint32_t h = 0; h < SG_WINDOW_HOLES; h++)
        window.holes[h] = window.holes[h] == value ? SG_WINDOW_NO_VALUE : window.holes[h];
#pragma unroll
    for (uint32_t w = 0; w < SG_WINDOW_WORDS; w++)
        window.seen[w] |= at / 32 == w ? bit : 0u;
}

/* The mex, or SG_WINDOW_NO_VALUE when the window is full. */
static __device__ __forceinline__ uint32_t least_missing(const sg_window &window) {
    uint32_t missing = SG_WINDOW_NO_VALUE;
#pragma unroll
    for (uint32_t w = SG_WINDOW_WORDS; w-- > 0;)
        if (~window.seen[w] != 0)
            missing = window.base + 32 * w + (uint32_t)(__ffs((int)~window.seen[w]) - 1);
#pragma unroll
    for (uint32_t h = SG_WINDOW_HOLES; h-- > 0;)
        missing = window.holes[h] != SG_WINDOW_NO_VALUE ? window.holes[h] : missing;
    return missing;
}

/* Calls launch with the values in their type. */
template <class Launch> static cudaError_t with_values(const sg_nim_table &table, Launch launch) {
    return table.value_bytes == 2 ? launch(static_cast<uint16_t *>(table.values))
                                  : launch(static_cast<uint32_t *>(table.values));
}

#endif
