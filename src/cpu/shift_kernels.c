/* The inner loop of shift_or: shifted copies of a bit vector are ored in registers.
 *
 * A copy begins at any bit of the source. Its bytes are loaded from where they lie, one unaligned load a register, and
 * a last shift by less than 8 bits takes in what follows: with AVX-512 the next register's first word (one funnel
 * shift), otherwise a second load, 8 bytes further. Unaligned loads that cross a cache line bind: one a cycle. */
#include "kernels.h"
#include "simd.h"

/* Vectors whose accumulators stay in registers together, with room for what is loaded. */
#if defined(__AVX512F__)
#define HELD_VECTORS 8
#elif defined(__AVX2__)
#define HELD_VECTORS 4
#else
#define HELD_VECTORS 2
#endif

#define HELD (HELD_VECTORS * PARTS)

#if defined(__AVX512VBMI2__)
#include <immintrin.h>

/* sum[v] |= bits right_shift .. of the `count` registers at `from`. */
static inline __attribute__((always_inline)) void or_copy(simd *sum, unsigned count, const uint8_t *from,
                                                          unsigned right_shift) {
    __m512i shift = _mm512_set1_epi64(right_shift), low = _mm512_loadu_si512(from);
    for (unsigned v = 0; v < count; v++) {
        const uint8_t *next = from + VECTOR_BYTES * (v + 1);
        __m512i high = v + 1 < count ? _mm512_loadu_si512(next)
                                     : _mm512_castsi128_si512(_mm_loadl_epi64((const __m128i *)(const void *)next));
        __asm__("" : "+v"(high)); /* or gcc loads it twice */
        __m512i following = _mm512_alignr_epi64(high, low, 1);
        sum[v] |= (simd)_mm512_shrdv_epi64(low, following, shift);
        low = high;
    }
}

#else

static inline __attribute__((always_inline)) void or_copy(simd *sum, unsigned count, const uint8_t *from,
                                                          unsigned right_shift) {
    for (unsigned v = 0; v < count; v++) {
        simd low = *(const unaligned_simd *)(from + VECTOR_BYTES * v);
        simd following = *(const unaligned_simd *)(from + VECTOR_BYTES * v + 8);
        sum[v] |= low >> right_shift | following << 1 << (63 - right_shift); /* right_shift may be 0 */
    }
}

#endif

/* Ors the copies into `held` registers of the target, a constant; returns the AND of their bits. */
static inline __attribute__((always_inline)) simd or_copies(uint64_t *target, unsigned held, const uint8_t *source,
                                                            const uint32_t *shifts, size_t count, unsigned extra) {
    simd sum[HELD], all;
    unaligned_simd *registers = (unaligned_simd *)target;
    for (unsigned v = 0; v < held; v++)
        sum[v] = registers[v];
    for (size_t k = 0; k < count; k++) {
        uint64_t shift = (uint64_t)shifts[k] + extra;
        or_copy(sum, held, source - (shift + 7) / 8, (unsigned)(-shift % 8));
    }
    all = sum[0];
    for (unsigned v = 0; v < held; v++) {
        registers[v] = sum[v];
        all &= sum[v];
    }
    return all;
}

static bool or_shifted(uint64_t *target, unsigned vectors, const uint8_t *source, const uint32_t *shifts, size_t count,
                       unsigned extra) {
    simd all = ~(simd){0};
    unsigned done = 0;
    for (; done + HELD_VECTORS <= vectors; done += HELD_VECTORS)
        all &= or_copies(target + 8 * done, HELD, source + 64 * done, shifts, count, extra);
#if HELD_VECTORS > 4
    for (; done + 4 <= vectors; done += 4)
        all &= or_copies(target + 8 * done, 4 * PARTS, source + 64 * done, shifts, count, extra);
#endif
#if HELD_VECTORS > 2
    for (; done + 2 <= vectors; done += 2)
        all &= or_copies(target + 8 * done, 2 * PARTS, source + 64 * done, shifts, count, extra);
#endif
    for (; done < vectors; done++)
        all &= or_copies(target + 8 * done, PARTS, source + 64 * done, shifts, count, extra);
    uint64_t both = UINT64_MAX;
    for (unsigned w = 0; w < VECTOR_BYTES / 8; w++)
        both &= all[w];
    return both == UINT64_MAX;
}

extern const sg_shift_kernels SG_TABLE(sg_shift_kernels);
const sg_shift_kernels SG_TABLE(sg_shift_kernels) = {
    .or_shifted = or_shifted,
};
