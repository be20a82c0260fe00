/* Kernels for the tests of the emulation: correct ones, and the same with a fault planted, which must be noticed.
 *
 * Each launcher puts one kernel into a stream and returns what the launch returned. Arrays are in device memory. */
#ifndef EMU_PLANTED_H
#define EMU_PLANTED_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PLANTED_THREADS = 128, PLANTED_BINS = 64 };

/* ---------------------------------------------------------------- a barrier or an atomic is missing */

typedef enum planted_fault {
    PLANTED_NONE,
    PLANTED_LOAD,   /* no barrier between loading a tile and reading it */
    PLANTED_REUSE,  /* none before the tile is loaded again */
    PLANTED_CLEAR,  /* none between clearing the bins and counting into them */
    PLANTED_STORE,  /* none between counting and storing the bins */
    PLANTED_REDUCE, /* none between the sums of warps and their sum */
    PLANTED_WARP,   /* no __syncwarp between a lane's reading and its neighbour's writing */
    PLANTED_UPDATE, /* words[..] |= bit in shared memory, where two threads of a block share a word */
    PLANTED_BLOCKS  /* the same in device memory, where two blocks share a word */
} planted_fault;

/* Solves one problem with the kernel that can have the fault, or with its correct version when `with_fault` is false,
 * and leaves the answer in out[0 .. PLANTED_THREADS-1]; in[i] for i < 4 * PLANTED_THREADS are the numbers. The answers
 * (blanks are not written):
 *   LOAD      out[i] = in[PLANTED_THREADS - 1 - i]
 *   REUSE     out[i] = in[0] + ... + in[4 * PLANTED_THREADS - 1]
 *   CLEAR, STORE  out[b] = how many of the numbers are b modulo PLANTED_BINS, for b < PLANTED_BINS
 *   REDUCE    out[0] = the sum of all numbers
 *   WARP      out[i] = in[i] + in[i ^ 1]
 *   UPDATE, BLOCKS  bit i % 32 of out[i / 32] is the lowest bit of in[i]; out must be zero before */
cudaError_t planted_solve(cudaStream_t stream, planted_fault kind, bool with_fault, const uint32_t *in, uint32_t *out);

/* ---------------------------------------------------------------- threads that do not keep together */

typedef enum planted_misuse {
    PLANTED_DIVERGENT_BARRIER,     /* two halves of a block wait at two barriers */
    PLANTED_OUTSIDE_MASK,          /* lanes call a collective whose mask does not name them */
    PLANTED_DIFFERENT_COLLECTIVES, /* lanes of one mask wait at two collectives */
    PLANTED_DEADLOCK,              /* a lane waits for its block, the block for its warp */
    PLANTED_TRAP,
    PLANTED_MISUSES
} planted_misuse;

cudaError_t planted_misuse_launch(cudaStream_t stream, planted_misuse kind, uint32_t *out);

/* Where one of PLANTED_THREADS threads is missed that has left the kernel, and what out[i] of each other thread i is
 * when nobody waits for it. */
typedef enum planted_meeting {
    PLANTED_AT_BARRIER, /* out[i] = how many came to a barrier of the block */
    PLANTED_AT_BALLOT,  /* out[i] = the lanes of its warp that came to a ballot */
    PLANTED_AT_SHUFFLE, /* out[i] = the number of the thread in i's warp whose lane is that of the one that left */
    PLANTED_AT_SYNC     /* out[i] = 1 after a __syncwarp */
} planted_meeting;
cudaError_t planted_leave(cudaStream_t stream, planted_meeting where, unsigned leaver, uint32_t *out);

/* ---------------------------------------------------------------- accesses out of bounds */

/* Writes out[0 .. count] with PLANTED_THREADS threads a block: one element too many. */
cudaError_t planted_overrun(cudaStream_t stream, uint32_t *out, uint32_t count);
/* Writes one element past an array in shared memory. */
cudaError_t planted_shared_overrun(cudaStream_t stream, uint32_t *out);

/* ---------------------------------------------------------------- correct kernels */

/* out[i] += 1 for i < count. */
cudaError_t planted_increment(cudaStream_t stream, uint32_t *out, uint32_t count);
/* out[i] = in[i] for i < count. */
cudaError_t planted_copy(cudaStream_t stream, const uint32_t *in, uint32_t *out, uint32_t count);
/* out[i] = in[i] + more for i < count, with the pointers in a structure within a structure. */
typedef struct planted_arrays {
    const uint32_t *in;
    uint32_t count;
    uint32_t *out;
} planted_arrays;
typedef struct planted_job {
    uint32_t more;
    planted_arrays arrays;
} planted_job;
cudaError_t planted_do_job(cudaStream_t stream, planted_job job);
/* Each thread of the grid adds 1 to the element of its number, counted by x, then y, then z. */
cudaError_t planted_visit(cudaStream_t stream, dim3 blocks, dim3 threads, uint32_t *visits);
/* With so many bytes of dynamic shared memory, which are all written and then read; out[0] = how many read right. The
 * kernel was allowed `allowed` bytes before, unless that is 0. */
cudaError_t planted_dynamic_shared(cudaStream_t stream, size_t allowed, size_t bytes, uint32_t *out);
/* out[i] = what thread i got from atomicAdd(out + threads, 1), which so is a different number for each. */
cudaError_t planted_tickets(cudaStream_t stream, unsigned threads, uint32_t *out);
/* Every atomic on one word of each type, by all of 64 threads with the number of the thread; see planted.cu. */
typedef struct planted_atomics {
    uint32_t add, least, greatest, all, any, odd, swapped;
    int32_t signed_least, signed_greatest;
    unsigned long long wide_add, wide_any;
    float sum;
    double wide_sum;
} planted_atomics;
cudaError_t planted_atomics_launch(cudaStream_t stream, planted_atomics *words);

/* What each thread of a block gets from each collective of its warp, called with one mask by the lanes in it; the
 * value of a thread is values[thread]. */
typedef struct planted_collectives {
    uint32_t ballot, any, all, match;
    uint32_t from_5, up_3, down_7, across_9, within_8;
    uint64_t wide_from_1;
    double real_up_1;
    uint32_t sum, least, greatest, bits_and, bits_or, bits_xor;
    int32_t signed_least, signed_greatest;
    uint32_t block_count, block_any, block_all; /* over all threads of the block */
} planted_collectives;
cudaError_t planted_collectives_launch(cudaStream_t stream, unsigned threads, uint32_t mask, const uint32_t *values,
                                       planted_collectives *out);

/* The arithmetic of device_arithmetic.h on two words and a shift. */
typedef struct planted_arithmetic {
    uint32_t a, b, shift;
    double x;
    uint32_t left, left_clamped, right, right_clamped, product_high, reversed;
    uint64_t wide_product_high, wide_reversed;
    int32_t ones, wide_ones, first, wide_first, zeros, wide_zeros;
    float sine, cosine;
    double wide_sine, wide_cosine;
} planted_arithmetic;
cudaError_t planted_arithmetic_launch(cudaStream_t stream, planted_arithmetic *cases, uint32_t count);

/* out[i] = in[0] + ... + in[i] by Thrust. */
cudaError_t planted_prefix_sums(cudaStream_t stream, const uint32_t *in, uint32_t *out, uint32_t count);

/* ---------------------------------------------------------------- for measuring */

typedef enum planted_load { PLANTED_EMPTY, PLANTED_BARRIERS, PLANTED_BALLOTS, PLANTED_ATOMICS } planted_load;
/* Blocks of 256 threads; each thread comes to `rounds` barriers, ballots or atomics. */
cudaError_t planted_work(cudaStream_t stream, planted_load load, unsigned blocks, unsigned rounds, uint32_t *out);

#ifdef __cplusplus
}
#endif

#endif
