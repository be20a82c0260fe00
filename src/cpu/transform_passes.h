/* The passes of the transforms of transform.h, for REAL = float or double; each includes this once.
 *
 * All arithmetic is on registers: LANES numbers each, PARTS of them to a group. A pass of radix 4 multiplies three of
 * four inputs by w, w^2, w^3 and adds; the inverse adds and multiplies by their conjugates. A tile of G groups ends the
 * forward way and begins the way back: z^G - c becomes y^G - 1 by the twist y = z / c^(1/G), first for tiles of G^2
 * points as a whole, then, after a transform over its rows, for each row; a transposition in between lets the second
 * transform be one over rows too. So tiles need constants and one vector of twists each, and no shuffles but those of
 * the transposition. */
#include "kernels.h"
#include "simd.h"
#include "transform_vectors.h"

/* Radix 4: node z^(4q) - w^4 to its children, in place. */
INLINE void split4(complex_simd *x0, complex_simd *x1, complex_simd *x2,
                                                         complex_simd *x3, const twiddle4 *t) {
    complex_simd b1 = times(*x1, t->w1), b2 = times(*x2, t->w2), b3 = times(*x3, t->w3);
    complex_simd s = plus(*x0, b2), d = minus(*x0, b2), u = plus(b1, b3), v = minus(b1, b3);
    *x0 = plus(s, u);
    *x1 = minus(s, u);
    *x2 = (complex_simd){d.re - v.im, d.im + v.re};
    *x3 = (complex_simd){d.re + v.im, d.im - v.re};
}

INLINE void join4(complex_simd *x0, complex_simd *x1, complex_simd *x2,
                                                        complex_simd *x3, const twiddle4 *t) {
    complex_simd s = plus(*x0, *x1), u = minus(*x0, *x1), d = plus(*x2, *x3), v = minus(*x2, *x3);
    *x0 = plus(s, d);
    *x1 = times_conjugate((complex_simd){u.re + v.im, u.im - v.re}, t->w1);
    *x2 = times_conjugate(minus(s, d), t->w2);
    *x3 = times_conjugate((complex_simd){u.re - v.im, u.im + v.re}, t->w3);
}

INLINE void split2(complex_simd *x0, complex_simd *x1, complex_simd w) {
    complex_simd b = times(*x1, w);
    *x1 = minus(*x0, b);
    *x0 = plus(*x0, b);
}

INLINE void join2(complex_simd *x0, complex_simd *x1, complex_simd w) {
    complex_simd d = minus(*x0, *x1);
    *x0 = plus(*x0, *x1);
    *x1 = times_conjugate(d, w);
}

/* The same where w = 1. The way there and the way back of radix 2 are then the same. */
INLINE void split4_at_one(complex_simd *x0, complex_simd *x1, complex_simd *x2, complex_simd *x3) {
    complex_simd s = plus(*x0, *x2), d = minus(*x0, *x2), u = plus(*x1, *x3), v = minus(*x1, *x3);
    *x0 = plus(s, u);
    *x1 = minus(s, u);
    *x2 = (complex_simd){d.re - v.im, d.im + v.re};
    *x3 = (complex_simd){d.re + v.im, d.im - v.re};
}

INLINE void join4_at_one(complex_simd *x0, complex_simd *x1, complex_simd *x2, complex_simd *x3) {
    complex_simd s = plus(*x0, *x1), u = minus(*x0, *x1), d = plus(*x2, *x3), v = minus(*x2, *x3);
    *x0 = plus(s, d);
    *x1 = (complex_simd){u.re + v.im, u.im - v.re};
    *x2 = minus(s, d);
    *x3 = (complex_simd){u.re - v.im, u.im + v.re};
}

INLINE void split2_at_one(complex_simd *x0, complex_simd *x1) {
    complex_simd b = *x1;
    *x1 = minus(*x0, b);
    *x0 = plus(*x0, b);
}

/* Sixteen parts to the node's sixteen grandchildren, and back. */
INLINE void split16(complex_simd x[16], const sg_twiddles *twiddles,
                                                          uint64_t node) {
    twiddle4 t = node_twiddle(twiddles, node);
    for (unsigned i = 0; i < 4; i++)
        split4(&x[i], &x[4 + i], &x[8 + i], &x[12 + i], &t);
    for (unsigned c = 0; c < 4; c++) {
        t = node_twiddle(twiddles, 4 * node + c);
        split4(&x[4 * c], &x[4 * c + 1], &x[4 * c + 2], &x[4 * c + 3], &t);
    }
}

INLINE void join16(complex_simd x[16], const sg_twiddles *twiddles,
                                                         uint64_t node) {
    twiddle4 t;
    for (unsigned c = 0; c < 4; c++) {
        t = node_twiddle(twiddles, 4 * node + c);
        join4(&x[4 * c], &x[4 * c + 1], &x[4 * c + 2], &x[4 * c + 3], &t);
    }
    t = node_twiddle(twiddles, node);
    for (unsigned i = 0; i < 4; i++)
        join4(&x[i], &x[4 + i], &x[8 + i], &x[12 + i], &t);
}

/* Eight parts to the grandchildren of a node whose children are of radix 2, and back. */
INLINE void split8(complex_simd x[8], const sg_twiddles *twiddles,
                                                         uint64_t node) {
    twiddle4 t = node_twiddle(twiddles, node);
    for (unsigned i = 0; i < 4; i++)
        split2(&x[i], &x[4 + i], t.w2);
    for (unsigned c = 0; c < 2; c++) {
        t = node_twiddle(twiddles, 2 * node + c);
        split4(&x[4 * c], &x[4 * c + 1], &x[4 * c + 2], &x[4 * c + 3], &t);
    }
}

INLINE void join8(complex_simd x[8], const sg_twiddles *twiddles, uint64_t node) {
    twiddle4 t;
    for (unsigned c = 0; c < 2; c++) {
        t = node_twiddle(twiddles, 2 * node + c);
        join4(&x[4 * c], &x[4 * c + 1], &x[4 * c + 2], &x[4 * c + 3], &t);
    }
    t = node_twiddle(twiddles, node);
    for (unsigned i = 0; i < 4; i++)
        join2(&x[i], &x[4 + i], t.w2);
}

/* --- tiles --- */

enum { TILE_POINTS = GROUP * GROUP };

/* The transform modulo y^G - 1 of one column of registers. */
INLINE void split_column(complex_simd x[GROUP]) {
    for (unsigned i = 0; i < GROUP / 4; i++)
        split4_at_one(&x[i], &x[GROUP / 4 + i], &x[GROUP / 2 + i], &x[3 * GROUP / 4 + i]);
    if (GROUP == 8) {
        split2_at_one(&x[0], &x[1]);
        for (unsigned c = 1; c < 4; c++)
            split2(&x[2 * c], &x[2 * c + 1], small_node_twiddle(c).w2);
        return;
    }
    split4_at_one(&x[0], &x[1], &x[2], &x[3]);
    for (unsigned c = 1; c < 4; c++) {
        twiddle4 t = small_node_twiddle(c);
        split4(&x[4 * c], &x[4 * c + 1], &x[4 * c + 2], &x[4 * c + 3], &t);
    }
}

INLINE void join_column(complex_simd x[GROUP]) {
    if (GROUP == 8) {
        split2_at_one(&x[0], &x[1]);
        for (unsigned c = 1; c < 4; c++)
            join2(&x[2 * c], &x[2 * c + 1], small_node_twiddle(c).w2);
    } else {
        join4_at_one(&x[0], &x[1], &x[2], &x[3]);
        for (unsigned c = 1; c < 4; c++) {
            twiddle4 t = small_node_twiddle(c);
            join4(&x[4 * c], &x[4 * c + 1], &x[4 * c + 2], &x[4 * c + 3], &t);
        }
    }
    for (unsigned i = 0; i < GROUP / 4; i++)
        join4_at_one(&x[i], &x[GROUP / 4 + i], &x[GROUP / 2 + i], &x[3 * GROUP / 4 + i]);
}

/* A tile's twists: z^(G j) for its rows, z^j for its lanes. */
typedef struct tile_twist {
    REAL rows[2][GROUP] __attribute__((aligned(64)));
    complex_simd lanes[PARTS];
} tile_twist;

INLINE void find_twist(const sg_twiddles *twiddles, uint64_t node,
                                                             tile_twist *twist) {
    uint64_t tiles = (uint64_t)1 << (62 - __builtin_clzll(node)), number = node - 2 * tiles;
    const REAL *fine = (const REAL *)twiddles->fine + number % SG_FINE_TWISTS * 4 * GROUP;
    const REAL *coarse = (const REAL *)twiddles->coarse + (tiles + number) / SG_FINE_TWISTS * 4 * GROUP;
    for (unsigned p = 0; p < PARTS; p++) {
        complex_simd rows = times(load(fine, p), load(coarse, p));
        store_register(twist->rows[0] + p * LANES, rows.re);
        store_register(twist->rows[1] + p * LANES, rows.im);
        twist->lanes[p] = times(load(fine + 2 * GROUP, p), load(coarse + 2 * GROUP, p));
    }
}

INLINE complex_simd row_twist(const tile_twist *twist, unsigned row) {
    return (complex_simd){splat(twist->rows[0][row]), splat(twist->rows[1][row])};
}

INLINE void split_tile(tile x, const sg_twiddles *twiddles,
                                                             const tile_twist *twist) {
    complex_simd column[GROUP];
    for (unsigned p = 0; p < PARTS; p++) {
        column[0] = times(x[0][p], twist->lanes[p]);
        for (unsigned r = 1; r < GROUP; r++)
            column[r] = times(times(x[r][p], row_twist(twist, r)), twist->lanes[p]);
        split_column(column);
        x[0][p] = column[0];
        for (unsigned r = 1; r < GROUP; r++)
            x[r][p] = times(column[r], load((const REAL *)twiddles->lanes + r * 2 * GROUP, p));
    }
    transpose_tile(x);
    for (unsigned p = 0; p < PARTS; p++) {
        for (unsigned r = 0; r < GROUP; r++)
            column[r] = x[r][p];
        split_column(column);
        for (unsigned r = 0; r < GROUP; r++)
            x[r][p] = column[r];
    }
}

INLINE void join_tile(tile x, const sg_twiddles *twiddles,
                                                            const tile_twist *twist) {
    complex_simd column[GROUP];
    for (unsigned p = 0; p < PARTS; p++) {
        for (unsigned r = 0; r < GROUP; r++)
            column[r] = x[r][p];
        join_column(column);
        for (unsigned r = 0; r < GROUP; r++)
            x[r][p] = column[r];
    }
    transpose_tile(x);
    for (unsigned p = 0; p < PARTS; p++) {
        column[0] = x[0][p];
        for (unsigned r = 1; r < GROUP; r++)
            column[r] = times_conjugate(x[r][p], load((const REAL *)twiddles->lanes + r * 2 * GROUP, p));
        join_column(column);
        x[0][p] = times_conjugate(column[0], twist->lanes[p]);
        for (unsigned r = 1; r < GROUP; r++)
            x[r][p] = times_conjugate(times_conjugate(column[r], twist->lanes[p]), row_twist(twist, r));
    }
}

INLINE void load_tile(tile x, const REAL *values) {
    for (unsigned r = 0; r < GROUP; r++)
        for (unsigned p = 0; p < PARTS; p++)
            x[r][p] = load(values + r * 2 * GROUP, p);
}

INLINE void store_tile(tile x, REAL *values) {
    for (unsigned r = 0; r < GROUP; r++)
        for (unsigned p = 0; p < PARTS; p++)
            store(values + r * 2 * GROUP, p, x[r][p]);
}

static void forward_tile(const sg_twiddles *twiddles, uint64_t node, REAL *values) {
    tile x;
    tile_twist twist;
    find_twist(twiddles, node, &twist);
    load_tile(x, values);
    split_tile(x, twiddles, &twist);
    store_tile(x, values);
}

static void convolve_tile(const sg_twiddles *twiddles, uint64_t node, REAL *values, const REAL *stored) {
    tile x;
    tile_twist twist;
    for (unsigned i = 0; i < 2 * GROUP; i++)
        __builtin_prefetch(stored + 2 * TILE_POINTS + i * GROUP); /* the next tile: the values are in the cache, this not */
    find_twist(twiddles, node, &twist);
    load_tile(x, values);
    split_tile(x, twiddles, &twist);
    for (unsigned r = 0; r < GROUP; r++)
        for (unsigned p = 0; p < PARTS; p++)
            x[r][p] = times(x[r][p], load(stored + r * 2 * GROUP, p));
    join_tile(x, twiddles, &twist);
    store_tile(x, values);
}

/* `at`: where the tile lies in the transforms, in numbers. */
static void sum_tile(const sg_twiddles *twiddles, uint64_t node, REAL *values, uint64_t at, const sg_product *products,
                     size_t count) {
    tile x;
    tile_twist twist;
    find_twist(twiddles, node, &twist);
    for (unsigned r = 0; r < GROUP; r++)
        for (unsigned p = 0; p < PARTS; p++) {
            uint64_t offset = at + r * 2 * GROUP;
            complex_simd sum = count ? (complex_simd){splat(0), splat(0)} : load(values + offset, p);
            for (size_t i = 0; i < count; i++)
                sum = plus(sum, times(load((const REAL *)products[i].left + offset, p),
                                      load((const REAL *)products[i].right + offset, p)));
            x[r][p] = sum;
        }
    join_tile(x, twiddles, &twist);
    store_tile(x, values + at);
}

/* --- blocks --- */

static void split_block(const sg_twiddles *twiddles, uint64_t node, REAL *values, uint64_t points) {
    twiddle4 t = node_twiddle(twiddles, node);
    uint64_t quarter = points / 4 * 2;
    for (uint64_t at = 0; at < quarter; at += 2 * GROUP)
        for (unsigned p = 0; p < PARTS; p++) {
            complex_simd x[4];
            for (unsigned i = 0; i < 4; i++)
                x[i] = load(values + at + i * quarter, p);
            split4(&x[0], &x[1], &x[2], &x[3], &t);
            for (unsigned i = 0; i < 4; i++)
                store(values + at + i * quarter, p, x[i]);
        }
}

static void join_block(const sg_twiddles *twiddles, uint64_t node, REAL *values, uint64_t points) {
    twiddle4 t = node_twiddle(twiddles, node);
    uint64_t quarter = points / 4 * 2;
    for (uint64_t at = 0; at < quarter; at += 2 * GROUP)
        for (unsigned p = 0; p < PARTS; p++) {
            complex_simd x[4];
            for (unsigned i = 0; i < 4; i++)
                x[i] = load(values + at + i * quarter, p);
            join4(&x[0], &x[1], &x[2], &x[3], &t);
            for (unsigned i = 0; i < 4; i++)
                store(values + at + i * quarter, p, x[i]);
        }
}

static sg_transform_block child_of(const sg_transform_block *block, unsigned i) {
    uint64_t points = block->points / 4;
    return (sg_transform_block){4 * block->node + i, block->first + i * points, points};
}

static void forward(const sg_twiddles *twiddles, const sg_transform_block *block, void *values) {
    REAL *here = (REAL *)values + 2 * block->first;
    if (block->points == TILE_POINTS) {
        forward_tile(twiddles, block->node, here);
        return;
    }
    split_block(twiddles, block->node, here, block->points);
    for (unsigned i = 0; i < 4; i++) {
        sg_transform_block child = child_of(block, i);
        forward(twiddles, &child, values);
    }
}

static void convolve(const sg_twiddles *twiddles, const sg_transform_block *block, void *values, const void *stored) {
    REAL *here = (REAL *)values + 2 * block->first;
    if (block->points == TILE_POINTS) {
        convolve_tile(twiddles, block->node, here, (const REAL *)stored + 2 * block->first);
        return;
    }
    split_block(twiddles, block->node, here, block->points);
    for (unsigned i = 0; i < 4; i++) {
        sg_transform_block child = child_of(block, i);
        convolve(twiddles, &child, values, stored);
    }
    join_block(twiddles, block->node, here, block->points);
}

static void sum(const sg_twiddles *twiddles, const sg_transform_block *block, void *values, const sg_product *products,
                size_t product_count) {
    if (block->points == TILE_POINTS) {
        sum_tile(twiddles, block->node, values, 2 * block->first, products, product_count);
        return;
    }
    for (unsigned i = 0; i < 4; i++) {
        sg_transform_block child = child_of(block, i);
        sum(twiddles, &child, values, products, product_count);
    }
    join_block(twiddles, block->node, (REAL *)values + 2 * block->first, block->points);
}

/* --- passes that threads share --- */

static void split(const sg_twiddles *twiddles, const sg_transform_block *block, void *values, uint64_t first,
                  uint64_t end) {
    REAL *here = (REAL *)values + 2 * block->first;
    uint64_t part = block->points / 16 * 2;
    for (uint64_t at = first * 2 * GROUP; at < end * 2 * GROUP; at += 2 * GROUP)
        for (unsigned p = 0; p < PARTS; p++) {
            complex_simd x[16];
            for (unsigned i = 0; i < 16; i++)
                x[i] = load(here + at + i * part, p);
            split16(x, twiddles, block->node);
            for (unsigned i = 0; i < 16; i++)
                store(here + at + i * part, p, x[i]);
        }
}

static void join(const sg_twiddles *twiddles, const sg_transform_block *block, void *values, uint64_t first,
                 uint64_t end) {
    REAL *here = (REAL *)values + 2 * block->first;
    uint64_t part = block->points / 16 * 2;
    for (uint64_t at = first * 2 * GROUP; at < end * 2 * GROUP; at += 2 * GROUP)
        for (unsigned p = 0; p < PARTS; p++) {
            complex_simd x[16];
            for (unsigned i = 0; i < 16; i++)
                x[i] = load(here + at + i * part, p);
            join16(x, twiddles, block->node);
            for (unsigned i = 0; i < 16; i++)
                store(here + at + i * part, p, x[i]);
        }
}

enum { ROOT = 2 };

/* The coefficients of a group: bits k*GROUP .. of both vectors. */
INLINE complex_simd coefficients(const sg_bit_coefficients *bits, uint64_t k,
                                                                       unsigned p, bool with_imaginary) {
    simd_real unit = splat((REAL)bits->unit);
    complex_simd x = {choose(group_bits(bits->real, k), p, unit), splat(0)};
    if (with_imaginary)
        x.im = choose(group_bits(bits->imaginary, k), p, unit);
    return x;
}

INLINE void from_bits_of(const sg_twiddles *twiddles, unsigned children,
                                                               uint64_t part_groups, const sg_bit_coefficients *bits,
                                                               REAL *values, uint64_t first, uint64_t end) {
    for (uint64_t k = first; k < end; k++)
        for (unsigned p = 0; p < PARTS; p++) {
            complex_simd x[16];
            for (unsigned i = 0; i < children; i++)
                x[i] = coefficients(bits, i * part_groups + k, p, bits->imaginary != NULL);
            if (children == 16)
                split16(x, twiddles, ROOT);
            else
                split8(x, twiddles, ROOT);
            for (unsigned i = 0; i < children; i++)
                store(values + (i * part_groups + k) * 2 * GROUP, p, x[i]);
        }
}

static void from_bits(const sg_twiddles *twiddles, uint64_t points, const sg_bit_coefficients *bits, void *values,
                      uint64_t first, uint64_t end) {
    unsigned children = sg_root_children(points, sizeof(REAL));
    if (children == 16)
        from_bits_of(twiddles, 16, points / 16 / GROUP, bits, values, first, end);
    else
        from_bits_of(twiddles, 8, points / 8 / GROUP, bits, values, first, end);
}

INLINE sg_counts_quality to_bits_of(const sg_twiddles *twiddles,
                                                                          unsigned children, uint64_t part_groups,
                                                                          const REAL *values, uint8_t *marks,
                                                                          uint64_t first, uint64_t end) {
    uint32_t doubtful = 0;
    simd_real distance = splat(0);
    for (uint64_t k = first; k < end; k++) {
        uint32_t sure[16] = {0};
        for (unsigned p = 0; p < PARTS; p++) {
            complex_simd x[16];
            for (unsigned i = 0; i < children; i++)
                x[i] = load(values + (i * part_groups + k) * 2 * GROUP, p);
            if (children == 16)
                join16(x, twiddles, ROOT);
            else
                join8(x, twiddles, ROOT);
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
    unsigned children = sg_root_children(points, sizeof(REAL));
    return children == 16 ? to_bits_of(twiddles, 16, points / 16 / GROUP, values, marks, first, end)
                          : to_bits_of(twiddles, 8, points / 8 / GROUP, values, marks, first, end);
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
