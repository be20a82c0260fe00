/* The passes of the transforms of transform.h, for REAL = float or double; each includes this once. All arithmetic is
 * on registers: LANES numbers each, PARTS of them to a group. */
#include "kernels.h"
#include "simd.h"
#include "transform_tiles.h"

/* --- blocks --- */

/* Four or eight parts to the node's children, and back. */
INLINE void split_parts(complex_simd *x, const sg_twiddles *twiddles, uint64_t node, unsigned children) {
    if (children == 8) {
        split8(x, twiddles, node);
    } else {
        twiddle4 t = node_twiddle(twiddles, node);
        split4(&x[0], &x[1], &x[2], &x[3], &t);
    }
}

INLINE void join_parts(complex_simd *x, const sg_twiddles *twiddles, uint64_t node, unsigned children) {
    if (children == 8) {
        join8(x, twiddles, node);
    } else {
        twiddle4 t = node_twiddle(twiddles, node);
        join4(&x[0], &x[1], &x[2], &x[3], &t);
    }
}

typedef void (*combine_fn)(complex_simd *x, const sg_twiddles *twiddles, uint64_t node, unsigned children);

/* One pass over groups first .. end-1 of each part of a block. */
INLINE void pass_over(const sg_twiddles *twiddles, uint64_t node, unsigned children, REAL *block, uint64_t part,
                      uint64_t first, uint64_t end, combine_fn combine) {
    for (uint64_t at = first * 2 * GROUP; at < end * 2 * GROUP; at += 2 * GROUP)
        for (unsigned p = 0; p < PARTS; p++) {
            complex_simd x[8];
            for (unsigned i = 0; i < children; i++)
                x[i] = load(block + at + i * part, p);
            combine(x, twiddles, node, children);
            for (unsigned i = 0; i < children; i++)
                store(block + at + i * part, p, x[i]);
        }
}

static void split(const sg_twiddles *twiddles, const sg_transform_block *block, void *values, uint64_t first,
                  uint64_t end) {
    REAL *here = (REAL *)values + 2 * block->first;
    if (sg_transform_children(block->points, sizeof(REAL)) == 8)
        pass_over(twiddles, block->node, 8, here, block->points / 8 * 2, first, end, split_parts);
    else
        pass_over(twiddles, block->node, 4, here, block->points / 4 * 2, first, end, split_parts);
}

static void join(const sg_twiddles *twiddles, const sg_transform_block *block, void *values, uint64_t first,
                 uint64_t end) {
    REAL *here = (REAL *)values + 2 * block->first;
    if (sg_transform_children(block->points, sizeof(REAL)) == 8)
        pass_over(twiddles, block->node, 8, here, block->points / 8 * 2, first, end, join_parts);
    else
        pass_over(twiddles, block->node, 4, here, block->points / 4 * 2, first, end, join_parts);
}

static void forward(const sg_twiddles *twiddles, const sg_transform_block *block, void *values) {
    if (block->points == TILE_POINTS) {
        forward_tile(twiddles, block->node, (REAL *)values + 2 * block->first);
        return;
    }
    unsigned children = sg_transform_children(block->points, sizeof(REAL));
    split(twiddles, block, values, 0, block->points / children / GROUP);
    for (unsigned i = 0; i < children; i++) {
        sg_transform_block child = sg_transform_child(block, children, i);
        forward(twiddles, &child, values);
    }
}

static void convolve(const sg_twiddles *twiddles, const sg_transform_block *block, void *values, const void *stored) {
    if (block->points == TILE_POINTS) {
        convolve_tile(twiddles, block->node, (REAL *)values + 2 * block->first,
                      (const REAL *)stored + 2 * block->first);
        return;
    }
    unsigned children = sg_transform_children(block->points, sizeof(REAL));
    uint64_t groups = block->points / children / GROUP;
    split(twiddles, block, values, 0, groups);
    for (unsigned i = 0; i < children; i++) {
        sg_transform_block child = sg_transform_child(block, children, i);
        convolve(twiddles, &child, values, stored);
    }
    join(twiddles, block, values, 0, groups);
}

static void sum(const sg_twiddles *twiddles, const sg_transform_block *block, void *values, const sg_product *products,
                size_t product_count) {
    if (block->points == TILE_POINTS) {
        sum_tile(twiddles, block->node, values, 2 * block->first, products, product_count);
        return;
    }
    unsigned children = sg_transform_children(block->points, sizeof(REAL));
    for (unsigned i = 0; i < children; i++) {
        sg_transform_block child = sg_transform_child(block, children, i);
        sum(twiddles, &child, values, products, product_count);
    }
    join(twiddles, block, values, 0, block->points / children / GROUP);
}

/* --- the first pass and the last --- */

enum { ROOT = 2 };

/* The coefficients of a group: bits k*GROUP .. of both vectors. */
INLINE complex_simd coefficients(const sg_bit_coefficients *bits, uint64_t k, unsigned p, bool with_imaginary) {
    simd_real unit = splat((REAL)bits->unit);
    complex_simd x = {choose(group_bits(bits->real, k), p, unit), splat(0)};
    if (with_imaginary)
        x.im = choose(group_bits(bits->imaginary, k), p, unit);
    return x;
}

INLINE void from_bits_of(const sg_twiddles *twiddles, unsigned children, uint64_t part_groups,
                         const sg_bit_coefficients *bits, REAL *values, uint64_t first, uint64_t end) {
    for (uint64_t k = first; k < end; k++)
        for (unsigned p = 0; p < PARTS; p++) {
            complex_simd x[8];
            for (unsigned i = 0; i < children; i++)
                x[i] = coefficients(bits, i * part_groups + k, p, bits->imaginary != NULL);
            split_parts(x, twiddles, ROOT, children);
            for (unsigned i = 0; i < children; i++)
                store(values + (i * part_groups + k) * 2 * GROUP, p, x[i]);
        }
}

static void from_bits(const sg_twiddles *twiddles, uint64_t points, const sg_bit_coefficients *bits, void *values,
                      uint64_t first, uint64_t end) {
    if (sg_transform_children(points, sizeof(REAL)) == 8)
        from_bits_of(twiddles, 8, points / 8 / GROUP, bits, values, first, end);
    else
        from_bits_of(twiddles, 4, points / 4 / GROUP, bits, values, first, end);
}

INLINE sg_counts_quality to_bits_of(const sg_twiddles *twiddles, unsigned children, uint64_t part_groups,
                                    const REAL *values, uint8_t *marks, uint64_t first, uint64_t end) {
    uint32_t doubtful = 0;
    simd_real distance = splat(0);
    for (uint64_t k = first; k < end; k++) {
        uint32_t sure[8] = {0};
        for (unsigned p = 0; p < PARTS; p++) {
            complex_simd x[8];
            for (unsigned i = 0; i < children; i++)
                x[i] = load(values + (i * part_groups + k) * 2 * GROUP, p);
            join_parts(x, twiddles, ROOT, children);
            for (unsigned i = 0; i < children; i++) {
                uint32_t above = exceeds(x[i].im, (REAL)0.75) << p * LANES;
                doubtful |= above ^ exceeds(x[i].im, (REAL)0.25) << p * LANES;
                distance = farther(distance, x[i].im);
                sure[i] |= above;
            }
        }
        for (unsigned i = 0; i < children; i++)
            store_bits(marks, i * part_groups + k, sure[i]);
    }
    return (sg_counts_quality){doubtful != 0, largest(distance)};
}

static sg_counts_quality to_bits(const sg_twiddles *twiddles, uint64_t points, const void *values, uint8_t *marks,
                                 uint64_t first, uint64_t end) {
    return sg_transform_children(points, sizeof(REAL)) == 8
               ? to_bits_of(twiddles, 8, points / 8 / GROUP, values, marks, first, end)
               : to_bits_of(twiddles, 4, points / 4 / GROUP, values, marks, first, end);
}

static void multiply(const sg_product *product, bool add, void *sum, uint64_t first, uint64_t end) {
    REAL *into = sum;
    const REAL *left = product->left, *right = product->right;
    for (uint64_t at = first * 2 * GROUP; at < end * 2 * GROUP; at += 2 * GROUP)
        for (unsigned p = 0; p < PARTS; p++) {
            complex_simd x = times(load(left + at, p), load(right + at, p));
            store(into + at, p, add ? plus(load(into + at, p), x) : x);
        }
}

extern const sg_transform_kernels SG_TABLE(TRANSFORM_TABLE);
const sg_transform_kernels SG_TABLE(TRANSFORM_TABLE) = {
    sizeof(REAL), from_bits, to_bits, split, join, forward, convolve, sum, multiply,
};
