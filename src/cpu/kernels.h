/* The inner loops that are compiled once per instruction set, and the table through which they are called. */
#ifndef SG_CPU_KERNELS_H
#define SG_CPU_KERNELS_H

#include "../status.h"

/* Heap sizes of a tile of the nim-value dynamic programming, whose seen-sets are filled together. */
enum { SG_TILE_POS = 16 };

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
    /* Words of 64 values up to which sets are faster sliced than flat; at most SG_TILE_SLICED_WORDS. With 0 there are
     * no kernels for sliced sets. */
    size_t sliced_words;

    /* For each of the SG_TILE_POS heap sizes from `first` on and each of the listed members s: marks the value of heap
     * size - s in the heap size's seen-set. values[i] is the value of heap size i; all sources exist. By width of a
     * value: 1, 2 or 4 bytes.
     * sliced: value v of heap size first + i is bit v % 64 of seen[v / 64 * SG_TILE_POS + i]; values < 64 * words, and
     * words <= sliced_words; seen is 64-byte aligned. */
    void (*far_sliced_u8)(const uint8_t *values, uint64_t first, const uint64_t *members, size_t count, uint64_t *seen,
                          size_t words);
    void (*far_sliced_u16)(const uint16_t *values, uint64_t first, const uint64_t *members, size_t count,
                           uint64_t *seen, size_t words);
    /* flat: it is byte v of seen + i * stride, which becomes 1; values < stride. */
    void (*far_flat_u8)(const uint8_t *values, uint64_t first, const uint64_t *members, size_t count, uint8_t *seen,
                        size_t stride);
    void (*far_flat_u16)(const uint16_t *values, uint64_t first, const uint64_t *members, size_t count, uint8_t *seen,
                         size_t stride);
    void (*far_flat_u32)(const uint32_t *values, uint64_t first, const uint64_t *members, size_t count, uint8_t *seen,
                         size_t stride);
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
