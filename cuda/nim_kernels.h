/* The launchers of the kernels on nim-values, one .cu file each; as in kernels.h they check nothing but the launch and
 * never wait. Values are 2 or 4 bytes wide. */
#ifndef SG_CUDA_NIM_KERNELS_H
#define SG_CUDA_NIM_KERNELS_H

#include "kernels.h"
#include "nim_window.h"
#include "node.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SG_NIM_STEP_END ((uint64_t)1 << 31)

/* The game so far, on the device. */
typedef struct sg_nim_table {
    void *values;
    const uint64_t *members; /* rising */
    const int32_t *steps;    /* from each member down to the one before, or to 0, as a negative number: where the next
                                source lies; NULL when one is SG_NIM_STEP_END or longer */
    uint64_t member_count;
    uint32_t value_bytes;
} sg_nim_table;

/* What near found, and what makes the kernels after it do nothing. */
typedef struct sg_nim_state {
    unsigned long long stuck; /* as in sg_nim_progress */
    uint32_t is_too_wide;
    uint32_t largest;
} sg_nim_state;

/* `prepare`, once for a device: these kernels run side by side, and so must divide multiprocessors alike. */

/* --- nim_far.cu --- */

/* Shared memory of a block of threads whose sets hold every mex up to `most` and the window from there on. */
uint64_t sg_nim_far_shared_bytes(uint64_t most);

/* Lets the kernels have all shared memory of a block: how much they may have is one number for the whole device, which
 * fields of other contexts use too. */
cudaError_t sg_nim_far_prepare(sg_cuda_shape shape);

/* Windows of heap sizes first .. end-1, windows[0] for `first`, by their options below `known`. With sets of
 * `shared_bytes`; if `values_fit`, no value is past what those hold. */
cudaError_t sg_nim_far(sg_nim_table table, uint64_t first, uint64_t end, uint64_t known, uint64_t shared_bytes,
                       bool values_fit, sg_window *windows, cudaStream_t stream);

/* --- nim_cross.cu --- */

cudaError_t sg_nim_cross_prepare(void);

/* Marks the node's sources in its targets' windows; windows[0] is for heap size window_first. */
cudaError_t sg_nim_cross(sg_nim_table table, const sg_node *node, uint64_t window_first, sg_window *windows,
                         const sg_nim_state *state, cudaStream_t stream);

/* --- nim_near.cu --- */

cudaError_t sg_nim_near_prepare(void);

/* Decides heap sizes first .. end-1. */
cudaError_t sg_nim_near(sg_nim_table table, uint64_t first, uint64_t end, uint64_t window_first,
                        const sg_window *windows, sg_nim_state *state, cudaStream_t stream);

/* --- values.cu: on finished values --- */

/* 4 bytes wide from 2 bytes wide. */
cudaError_t sg_nim_widen(const uint16_t *narrow, uint64_t count, uint32_t *wide, cudaStream_t stream);

/* Bits of the heap sizes first .. first+count-1 with value 0; `first` a multiple of 32. */
cudaError_t sg_nim_zero_bits(sg_nim_table table, uint64_t first, uint64_t count, uint32_t *bits, cudaStream_t stream);

/* Values of some heap sizes. */
cudaError_t sg_nim_pick(sg_nim_table table, const uint64_t *heaps, uint64_t count, uint32_t *picked,
                        cudaStream_t stream);

/* tally[v] += how many of the first n heap sizes have value v; or tally[v] = the least of them and tally[v]. */
typedef enum sg_nim_tally_kind { SG_NIM_COUNT, SG_NIM_FIRST } sg_nim_tally_kind;
cudaError_t sg_nim_tally(sg_nim_table table, sg_cuda_shape shape, uint64_t n, sg_nim_tally_kind kind, uint64_t capacity,
                         uint64_t *tally, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
