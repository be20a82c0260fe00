/* What the passes of transform_passes.h do to a few registers, and to a tile: G groups of G numbers, where the forward
 * way ends and the way back begins.
 *
 * A transform of radix 4 multiplies three of four inputs by w, w^2, w^3 and adds; the inverse adds and multiplies by
 * their conjugates. A tile is done by twists: z^G - c becomes y^G - 1 by y = z / c^(1/G), first for the tile's G^2
 * points as a whole, then, after a transform over its rows, for each row; a transposition in between lets the second
 * transform be one over rows too. So a tile needs constants and one vector of twists, and no shuffles but those of the
 * transposition. */
#ifndef SG_CPU_TRANSFORM_TILES_H
#define SG_CPU_TRANSFORM_TILES_H

#include "kernels.h"
#include "simd.h"
#include "transform_vectors.h"

/* Radix 4: node z^(4q) - w^4 to its children, in place. */
INLINE void split4(complex_simd *x0, complex_simd *x1, complex_simd *x2, complex_simd *x3, const twiddle4 *t) {
    complex_simd b1 = times(*x1, t->w1), b2 = times(*x2, t->w2), b3 = times(*x3, t->w3);
    complex_simd s = plus(*x0, b2), d = minus(*x0, b2), u = plus(b1, b3), v = minus(b1, b3);
    *x0 = plus(s, u);
    *x1 = minus(s, u);
    *x2 = (complex_simd){d.re - v.im, d.im + v.re};
    *x3 = (complex_simd){d.re + v.im, d.im - v.re};
}

INLINE void join4(complex_simd *x0, complex_simd *x1, complex_simd *x2, complex_simd *x3, const twiddle4 *t) {
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

/* Radix 8: first in two halves, then each half in four. */
INLINE void split8(complex_simd x[8], const sg_twiddles *twiddles, uint64_t node) {
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

INLINE void find_twist(const sg_twiddles *twiddles, uint64_t node, tile_twist *twist) {
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

INLINE void split_tile(tile x, const sg_twiddles *twiddles, const tile_twist *twist) {
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

INLINE void join_tile(tile x, const sg_twiddles *twiddles, const tile_twist *twist) {
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
        __builtin_prefetch(stored + 2 * TILE_POINTS +
                           i * GROUP); /* the next tile: the values are in the cache, this not */
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

#endif
