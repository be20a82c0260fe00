/* The inner loops that are compiled once per instruction set, and the table through which they are called. */
#ifndef SG_CPU_KERNELS_H
#define SG_CPU_KERNELS_H

#include "../status.h"
#include "../tuning.h"

#include <stdbool.h>

/* Heap sizes of a tile of the nim-value dynamic programming, whose seen-sets are filled together. */
enum { SG_TILE_POS = 16 };

/* Vectors of 512 bits in a target segment, at the most. */
enum { SG_SEGMENT_VECTORS = SG_SEGMENT_BITS / 512 };

typedef struct sg_shift_kernels {
    /* Ors shifted copies of a bit vector into a target segment of 1 .. SG_SEGMENT_VECTORS vectors: target bit i |= bit
     * i - shifts[k] - extra of the vector at `source`, for each k < count. Returns which vectors are still open, not
     * all set: bit v for vector v. Bytes (shifts[k] + extra + 7) / 8 before `source` up to 64 * vectors + 8 after it
     * are read. */
    unsigned (*or_shifted)(uint64_t *target, unsigned vectors, const uint8_t *source, const uint32_t *shifts,
                           size_t count, unsigned extra);
} sg_shift_kernels;

typedef struct sg_transpose_kernels {
    /* Transposes 64 x 64 bits in place: bit c of word r and bit r of word c change places. */
    void (*transpose)(uint64_t *matrix);
} sg_transpose_kernels;

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

/* The transforms of transform.h keep their complex numbers in groups of 64 bytes of real parts followed by 64 of
 * imaginary ones: 16 numbers in single precision, 8 in double, whatever the width of a register. */
#define SG_GROUP_NUMBERS(number_bytes) (64 / (number_bytes))

/* Tables of a transform, in its precision. With G numbers a group, a tile is G groups, and z a root of its node. */
typedef struct sg_twiddles {
    const void *nodes; /* by node: its fourth root w, w^2 and w^3, as pairs, and two numbers of padding */
    const void *lanes; /* by row n of a tile: a group, exp(2 pi i rho(n) j / G) for j = 0 .. G-1 */
    const void *fine;  /* two groups for each of SG_FINE_TWISTS: z^(G j) and z^j, for the low bits of a tile's number */
    const void *coarse; /* the same for its high bits; those of transforms with D tiles begin at D / SG_FINE_TWISTS */
} sg_twiddles;

enum { SG_NODE_NUMBERS = 8, SG_FINE_TWISTS = 16 };

/* Points first .. first+points-1 of a transform, which are those of a node. */
typedef struct sg_transform_block {
    uint64_t node;
    uint64_t first;
    uint64_t points;
} sg_transform_block;

/* Coefficients as bits, see sg_transform_forward. */
typedef struct sg_bit_coefficients {
    const uint8_t *real;
    const uint8_t *imaginary;
    double unit;
} sg_bit_coefficients;

/* Two transforms of the same length, to be multiplied. */
typedef struct sg_product {
    const void *left;
    const void *right;
} sg_product;

/* How near counts came to integers. */
typedef struct sg_counts_quality {
    bool doubtful;   /* some count lies between 1/4 and 3/4: whether it is zero cannot be told */
    double distance; /* the largest from a count to an integer */
} sg_counts_quality;

/* The passes of a transform, in one precision. `values` is where the whole transform lies; first .. end-1 are groups of
 * each of the parts that a pass combines, so that threads can share a pass. */
typedef struct sg_transform_kernels {
    unsigned number_bytes;
    /* From the bits to the children of the root, see sg_transform_children. */
    void (*from_bits)(const sg_twiddles *twiddles, uint64_t points, const sg_bit_coefficients *bits, void *values,
                      uint64_t first, uint64_t end);
    /* From the children of the root to the bits that say which imaginary parts exceed one half. */
    sg_counts_quality (*to_bits)(const sg_twiddles *twiddles, uint64_t points, const void *values, uint8_t *marks,
                                 uint64_t first, uint64_t end);
    /* Splits a block into its children, and joins them. */
    void (*split)(const sg_twiddles *twiddles, const sg_transform_block *block, void *values, uint64_t first,
                  uint64_t end);
    void (*join)(const sg_twiddles *twiddles, const sg_transform_block *block, void *values, uint64_t first,
                 uint64_t end);
    /* Within one block, from the node to its leaves and back: there; there, times `stored`, and back; the sum of
     * products and back, or only back when there are none. */
    void (*forward)(const sg_twiddles *twiddles, const sg_transform_block *block, void *values);
    void (*convolve)(const sg_twiddles *twiddles, const sg_transform_block *block, void *values, const void *stored);
    void (*sum)(const sg_twiddles *twiddles, const sg_transform_block *block, void *values, const sg_product *products,
                size_t product_count);
    /* sum = or += left * right for groups first .. end-1. */
    void (*multiply)(const sg_product *product, bool add, void *sum, uint64_t first, uint64_t end);
} sg_transform_kernels;

/* Into how many children a block of more than one tile is split. 8 where it holds an odd power of two of tiles, so that
 * 4 do from there on; those take the least work within the cache. Through memory 8 as well, for fewer passes. */
static inline unsigned sg_transform_children(uint64_t points, unsigned number_bytes) {
    unsigned group = SG_GROUP_NUMBERS(number_bytes);
    bool is_odd = (unsigned)__builtin_ctzll(points / (group * group)) % 2;
    return is_odd || points * 2 * number_bytes > SG_TRANSFORM_BLOCK_BYTES ? 8 : 4;
}

static inline sg_transform_block sg_transform_child(const sg_transform_block *block, unsigned children, unsigned i) {
    uint64_t points = block->points / children;
    return (sg_transform_block){children * block->node + i, block->first + i * points, points};
}

typedef struct sg_kernels {
    const char *name;
    const sg_shift_kernels *shift;
    const sg_transpose_kernels *transpose;
    const sg_tile_kernels *tile;
    const sg_transform_kernels *transform_float;
    const sg_transform_kernels *transform_double;
} sg_kernels;

/* The best kernels this processor runs, or those named by the environment variable SUBGAME_ISA (avx512, avx2 or
 * portable). SG_ERROR_BACKEND when it names kernels that were not built or that the processor cannot run. */
sg_status sg_kernels_select(sg_context *context, const sg_kernels **kernels);

/* The kernels with this name, or NULL when they were not built or the processor cannot run them. */
const sg_kernels *sg_kernels_by_name(const char *name);

#endif
