/* The inner loops that are compiled once per instruction set, and the table through which they are called. */
#ifndef SG_CPU_KERNELS_H
#define SG_CPU_KERNELS_H

#include "../status.h"

/* Heap sizes of a tile of the nim-value dynamic programming: one 512-bit accumulator each, all in AVX-512 registers. */
enum { SG_TILE_POS = 16 };

/* Values below this fit the one-hot accumulators of far_one_hot. */
enum { SG_ONE_HOT_VALUES = 512 };

/* Vectors of 512 bits in a target segment, at the most. */
enum { SG_SEGMENT_VECTORS = 8 };

typedef struct sg_shift_kernels {
    /* Ors shifted copies of a bit vector into a target segment of 1 .. SG_SEGMENT_VECTORS vectors: target bit i |= bit
     * i - shifts[k] - extra of the vector at `source`, for each k < count. Returns which vectors are still open, not
     * all set: bit v for vector v. Bytes (shifts[k] + extra + 7) / 8 before `source` up to 64 * vectors + 8 after it
     * are read. */
    unsigned (*or_shifted)(uint64_t *target, unsigned vectors, const uint8_t *source, const uint32_t *shifts,
                           size_t count, unsigned extra);
} sg_shift_kernels;

typedef struct sg_tile_kernels {
    /* For each of the SG_TILE_POS heap sizes from `first` on and each of the listed members s: marks the value of heap
     * size - s in the heap size's seen-set. values[i] is the value of heap size i; all sources exist. one_hot: values <
     * SG_ONE_HOT_VALUES, seen-sets of 8 words each, and a 64-byte aligned table of SG_ONE_HOT_VALUES rows of 512 bits
     * of which row v has bit v set: one OR with a memory operand enters a value. bits: seen-sets of `words` words each,
     * values < 64 * words. By width of a value: 1, 2 or 4 bytes. */
    void (*far_one_hot_u8)(const uint8_t *values, uint64_t first, const uint64_t *members, size_t count, uint64_t *seen,
                           const uint64_t *one_hot);
    void (*far_one_hot_u16)(const uint16_t *values, uint64_t first, const uint64_t *members, size_t count,
                            uint64_t *seen, const uint64_t *one_hot);
    void (*far_bits_u8)(const uint8_t *values, uint64_t first, const uint64_t *members, size_t count, uint64_t *seen,
                        size_t words);
    void (*far_bits_u16)(const uint16_t *values, uint64_t first, const uint64_t *members, size_t count, uint64_t *seen,
                         size_t words);
    void (*far_bits_u32)(const uint32_t *values, uint64_t first, const uint64_t *members, size_t count, uint64_t *seen,
                         size_t words);
} sg_tile_kernels;

typedef struct sg_kernels {
    const char *name;
    const sg_shift_kernels *shift;
    const sg_tile_kernels *tile;
} sg_kernels;

/* The best kernels this processor runs, or those named by the environment variable SUBGAME_ISA (avx512, avx2 or
 * portable). SG_ERROR_BACKEND when it names kernels that were not built or that the processor cannot run. */
sg_status sg_kernels_select(sg_context *context, const sg_kernels **kernels);

/* The kernels with this name, or NULL when they were not built or the processor cannot run them. */
const sg_kernels *sg_kernels_by_name(const char *name);

#endif
