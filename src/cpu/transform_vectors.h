/* Registers of real and of complex numbers for transform_passes.h: vector extensions, and intrinsics where the
 * compilers do not find the instruction by themselves. Parameters: REAL, and its size REAL_BYTES. */
#ifndef SG_CPU_TRANSFORM_VECTORS_H
#define SG_CPU_TRANSFORM_VECTORS_H

#include "kernels.h"
#include "simd.h"

#include <math.h>
#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

/* Numbers of a group and of a register. */
#define GROUP (64 / REAL_BYTES)
#define LANES (VECTOR_BYTES / REAL_BYTES)

#define INLINE static inline __attribute__((always_inline))

#if REAL_BYTES == 4
typedef int32_t lane_integer;
#else
typedef int64_t lane_integer;
#endif
typedef REAL simd_real __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef lane_integer simd_integer __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef double simd_double __attribute__((vector_size(VECTOR_BYTES), may_alias));

typedef struct complex_simd {
    simd_real re;
    simd_real im;
} complex_simd;

INLINE simd_real splat(REAL x) {
    return x - (simd_real){0};
}

/* Part p of the group at `group`. */
INLINE complex_simd load(const REAL *group, unsigned p) {
    const simd_real *registers = (const simd_real *)(const void *)group;
    return (complex_simd){registers[p], registers[PARTS + p]};
}

INLINE void store_register(REAL *numbers, simd_real x) {
    *(simd_real *)(void *)numbers = x;
}

INLINE void store(REAL *group, unsigned p, complex_simd x) {
    store_register(group + p * LANES, x.re);
    store_register(group + GROUP + p * LANES, x.im);
}

INLINE complex_simd plus(complex_simd a, complex_simd b) {
    return (complex_simd){a.re + b.re, a.im + b.im};
}

INLINE complex_simd minus(complex_simd a, complex_simd b) {
    return (complex_simd){a.re - b.re, a.im - b.im};
}

INLINE complex_simd times(complex_simd a, complex_simd w) {
    return (complex_simd){a.re * w.re - a.im * w.im, a.re * w.im + a.im * w.re};
}

INLINE complex_simd times_conjugate(complex_simd a, complex_simd w) {
    return (complex_simd){a.re * w.re + a.im * w.im, a.im * w.re - a.re * w.im};
}

/* --- twiddles --- */

/* w, w^2 and w^3. */
typedef struct twiddle4 {
    complex_simd w1;
    complex_simd w2;
    complex_simd w3;
} twiddle4;

INLINE complex_simd splat_complex(const REAL *pair) {
    return (complex_simd){splat(pair[0]), splat(pair[1])};
}

INLINE twiddle4 node_twiddle(const sg_twiddles *twiddles, uint64_t node) {
    const REAL *w = (const REAL *)twiddles->nodes + SG_NODE_NUMBERS * node;
    return (twiddle4){splat_complex(w), splat_complex(w + 2), splat_complex(w + 4)};
}

#define COS_8  ((REAL)0.92387953251128675613L)
#define SIN_8  ((REAL)0.38268343236508977173L)
#define SQRT_H ((REAL)0.70710678118654752440L)

/* The twiddles of nodes 1, 2 and 3; node 0's are 1. */
INLINE twiddle4 small_node_twiddle(unsigned node) {
    static const REAL roots[3][6] = {{SQRT_H, SQRT_H, 0, 1, -SQRT_H, SQRT_H},
                                     {COS_8, SIN_8, SQRT_H, SQRT_H, SIN_8, COS_8},
                                     {SIN_8, COS_8, -SQRT_H, SQRT_H, -COS_8, -SIN_8}};
    const REAL *w = roots[node - 1];
    return (twiddle4){splat_complex(w), splat_complex(w + 2), splat_complex(w + 4)};
}

/* --- bits --- */

/* The bits of group k of a vector. */
INLINE uint32_t group_bits(const uint8_t *bits, uint64_t k) {
    return GROUP == 8 ? bits[k] : (uint32_t)bits[2 * k] | (uint32_t)bits[2 * k + 1] << 8;
}

INLINE void store_bits(uint8_t *bits, uint64_t k, uint32_t group) {
    bits[GROUP / 8 * k] = (uint8_t)group;
    if (GROUP == 16)
        bits[2 * k + 1] = (uint8_t)(group >> 8);
}

/* x where part p of the group's bits has a one, else 0. */
INLINE simd_real choose(uint32_t group, unsigned p, simd_real x) {
#if defined(__AVX512F__) && REAL_BYTES == 4
    (void)p;
    return (simd_real)_mm512_maskz_mov_ps((__mmask16)group, (__m512)x);
#elif defined(__AVX512F__)
    (void)p;
    return (simd_real)_mm512_maskz_mov_pd((__mmask8)group, (__m512d)x);
#else
    static const lane_integer lane_bits[]
        __attribute__((aligned(64))) = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
    simd_integer bit = *(const simd_integer *)(const void *)lane_bits;
    simd_integer all = (lane_integer)(group >> p * LANES) - (simd_integer){0};
    return (simd_real)((simd_integer)x & ((all & bit) == bit));
#endif
}

/* Bit i says whether number i exceeds the limit. */
INLINE uint32_t exceeds(simd_real x, REAL limit) {
#if defined(__AVX512F__) && REAL_BYTES == 4
    return _mm512_cmp_ps_mask((__m512)x, _mm512_set1_ps(limit), _CMP_GT_OQ);
#elif defined(__AVX512F__)
    return _mm512_cmp_pd_mask((__m512d)x, _mm512_set1_pd(limit), _CMP_GT_OQ);
#elif defined(__AVX2__) && REAL_BYTES == 4
    return (uint32_t)_mm256_movemask_ps((__m256)(x > splat(limit)));
#elif defined(__AVX2__)
    return (uint32_t)_mm256_movemask_pd((__m256d)(x > splat(limit)));
#elif defined(__SSE2__) && REAL_BYTES == 4
    return (uint32_t)_mm_movemask_ps((__m128)(x > splat(limit)));
#elif defined(__SSE2__)
    return (uint32_t)_mm_movemask_pd((__m128d)(x > splat(limit)));
#else
    uint32_t bits = 0;
    for (unsigned i = 0; i < LANES; i++)
        bits |= (uint32_t)(x[i] > limit) << i;
    return bits;
#endif
}

/* The larger of `distance` and the distance of x to the nearest integer. */
INLINE simd_real farther(simd_real distance, simd_real x) {
#if defined(__AVX512DQ__) && REAL_BYTES == 4
    return (simd_real)_mm512_range_ps((__m512)distance, _mm512_reduce_ps((__m512)x, 0), 0xb);
#elif defined(__AVX512DQ__)
    return (simd_real)_mm512_range_pd((__m512d)distance, _mm512_reduce_pd((__m512d)x, 0), 0xb);
#else
    /* Adding what has no fraction bits left rounds; past its half the result is far from x, which is safe. */
    simd_real rounder = splat(REAL_BYTES == 4 ? (REAL)0x1.8p23 : (REAL)0x1.8p52);
    simd_real rest = x - ((x + rounder) - rounder);
    simd_integer negative = rest < splat(0);
    rest = (simd_real)(((simd_integer)rest & ~negative) | ((simd_integer)-rest & negative));
    simd_integer larger = rest > distance;
    return (simd_real)(((simd_integer)rest & larger) | ((simd_integer)distance & ~larger));
#endif
}

INLINE double largest(simd_real x) {
    double most = 0;
    for (unsigned i = 0; i < LANES; i++)
        most = (double)x[i] > most ? (double)x[i] : most;
    return most;
}

/* --- transposition --- */

#if VECTOR_BYTES == 64
#define LOW_64(a, b)   __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
#define HIGH_64(a, b)  __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15)
#define EVEN_128(a, b) __builtin_shufflevector(a, b, 0, 1, 4, 5, 8, 9, 12, 13)
#define ODD_128(a, b)  __builtin_shufflevector(a, b, 2, 3, 6, 7, 10, 11, 14, 15)
#define LOW_32(a, b)   __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define HIGH_32(a, b)  __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#elif VECTOR_BYTES == 32
#define LOW_64(a, b)   __builtin_shufflevector(a, b, 0, 4, 2, 6)
#define HIGH_64(a, b)  __builtin_shufflevector(a, b, 1, 5, 3, 7)
#define EVEN_128(a, b) __builtin_shufflevector(a, b, 0, 1, 4, 5)
#define ODD_128(a, b)  __builtin_shufflevector(a, b, 2, 3, 6, 7)
#define LOW_32(a, b)   __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define HIGH_32(a, b)  __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#else
#define LOW_64(a, b)  __builtin_shufflevector(a, b, 0, 2)
#define HIGH_64(a, b) __builtin_shufflevector(a, b, 1, 3)
#define LOW_32(a, b)  __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define HIGH_32(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#endif

/* Numbers of 128 bits. */
enum { QUARTER = 16 / REAL_BYTES };

/* Transposes LANES registers as a matrix: within 128 bits, then of quarters of 128 bits. */
INLINE void transpose_square(simd_real x[LANES]) {
    simd_double t[LANES];
#if REAL_BYTES == 4
    for (unsigned i = 0; i < LANES; i += 4) {
        simd_double a = (simd_double)LOW_32(x[i], x[i + 1]), b = (simd_double)HIGH_32(x[i], x[i + 1]);
        simd_double c = (simd_double)LOW_32(x[i + 2], x[i + 3]), d = (simd_double)HIGH_32(x[i + 2], x[i + 3]);
        t[i] = LOW_64(a, c);
        t[i + 1] = HIGH_64(a, c);
        t[i + 2] = LOW_64(b, d);
        t[i + 3] = HIGH_64(b, d);
    }
#else
    for (unsigned i = 0; i < LANES; i += 2) {
        t[i] = LOW_64(x[i], x[i + 1]);
        t[i + 1] = HIGH_64(x[i], x[i + 1]);
    }
#endif
    for (unsigned c = 0; c < QUARTER; c++) {
#if VECTOR_BYTES == 64
        simd_double a = EVEN_128(t[c], t[QUARTER + c]), b = ODD_128(t[c], t[QUARTER + c]);
        simd_double d = EVEN_128(t[2 * QUARTER + c], t[3 * QUARTER + c]);
        simd_double e = ODD_128(t[2 * QUARTER + c], t[3 * QUARTER + c]);
        x[c] = (simd_real)EVEN_128(a, d);
        x[QUARTER + c] = (simd_real)EVEN_128(b, e);
        x[2 * QUARTER + c] = (simd_real)ODD_128(a, d);
        x[3 * QUARTER + c] = (simd_real)ODD_128(b, e);
#elif VECTOR_BYTES == 32
        x[c] = (simd_real)EVEN_128(t[c], t[QUARTER + c]);
        x[QUARTER + c] = (simd_real)ODD_128(t[c], t[QUARTER + c]);
#else
        x[c] = (simd_real)t[c];
#endif
    }
}

/* G groups as registers. */
typedef complex_simd tile[GROUP][PARTS];

/* Transposes a tile: the squares on the diagonal in place, the others in pairs. */
INLINE void transpose_tile(tile x) {
    for (unsigned row = 0; row < PARTS; row++)
        for (unsigned p = row; p < PARTS; p++) {
            simd_real a[2][LANES], b[2][LANES];
            for (unsigned i = 0; i < LANES; i++) {
                complex_simd u = x[row * LANES + i][p], v = x[p * LANES + i][row];
                a[0][i] = u.re;
                a[1][i] = u.im;
                b[0][i] = v.re;
                b[1][i] = v.im;
            }
            for (unsigned part = 0; part < 2; part++) {
                transpose_square(a[part]);
                if (p > row)
                    transpose_square(b[part]);
            }
            for (unsigned i = 0; i < LANES; i++) {
                x[p * LANES + i][row] = (complex_simd){a[0][i], a[1][i]};
                if (p > row)
                    x[row * LANES + i][p] = (complex_simd){b[0][i], b[1][i]};
            }
        }
}

#endif
