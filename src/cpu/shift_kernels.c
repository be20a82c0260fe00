/* The inner loop of shift_or: shifted copies of a bit vector are ored in registers.
 *
 * A copy begins at any bit of the source. Its bytes are loaded from where they lie, one unaligned load a register, and
 * a last shift by less than 8 bits takes in what follows: with AVX-512 the next register's first word (one funnel
 * shift), otherwise a second load, 8 bytes further. Unaligned loads that cross a cache line bind: one a cycle. */
#include "kernels.h"
#include "simd.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

/* Vectors whose accumulators stay in registers together, with room for what is loaded. */
#if defined(__AVX512F__)
#define HELD_VECTORS 8
#elif defined(__AVX2__)
#define HELD_VECTORS 4
#else
#define HELD_VECTORS 2
#endif

#if defined(__AVX512VBMI2__)

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

static inline __attribute__((always_inline)) bool is_open(const simd *vector) {
    simd all = vector[0];
    uint64_t both = UINT64_MAX;
    for (unsigned part = 1; part < PARTS; part++)
        all &= vector[part];
#if defined(__AVX512F__)
    both = _mm512_cmpneq_epi64_mask((__m512i)all, _mm512_set1_epi64(-1)) ? 0 : both;
#else
    for (unsigned w = 0; w < VECTOR_BYTES / 8; w++)
        both &= all[w];
#endif
    return both != UINT64_MAX;
}

/* Ors the copies into `vectors` vectors of the target, a constant no larger than HELD_VECTORS; returns the open ones.
 */
static inline __attribute__((always_inline)) unsigned or_copies(uint64_t *target, unsigned vectors,
                                                                const uint8_t *source, const uint32_t *shifts,
                                                                size_t count, unsigned extra) {
    simd sum[HELD_VECTORS * PARTS];
    unaligned_simd *registers = (unaligned_simd *)target;
    unsigned open = 0;
    for (unsigned v = 0; v < vectors * PARTS; v++)
        sum[v] = registers[v];
    for (size_t k = 0; k < count; k++) {
        uint64_t shift = (uint64_t)shifts[k] + extra;
        or_copy(sum, vectors * PARTS, source - (shift + 7) / 8, (unsigned)(-shift % 8));
    }
    for (unsigned v = 0; v < vectors * PARTS; v++)
        registers[v] = sum[v];
    for (unsigned v = 0; v < vectors; v++)
        open |= (unsigned)is_open(sum + v * PARTS) << v;
    return open;
}

static unsigned or_shifted(uint64_t *target, unsigned vectors, const uint8_t *source, const uint32_t *shifts,
                           size_t count, unsigned extra) {
    unsigned done = 0, open = 0;
    for (; done + HELD_VECTORS <= vectors; done += HELD_VECTORS)
        open |= or_copies(target + 8 * done, HELD_VECTORS, source + 64 * done, shifts, count, extra) << done;
#if HELD_VECTORS > 4
    for (; done + 4 <= vectors; done += 4)
        open |= or_copies(target + 8 * done, 4, source + 64 * done, shifts, count, extra) << done;
#endif
#if HELD_VECTORS > 2
    for (; done + 2 <= vectors; done += 2)
        open |= or_copies(target + 8 * done, 2, source + 64 * done, shifts, count, extra) << done;
#endif
    for (; done < vectors; done++)
        open |= or_copies(target + 8 * done, 1, source + 64 * done, shifts, count, extra) << done;
    return open;
}

extern const sg_shift_kernels SG_TABLE(sg_shift_kernels);
const sg_shift_kernels SG_TABLE(sg_shift_kernels) = {
    .or_shifted = or_shifted,
};
