/* The inner loops of nim-values by tiles: values of options are entered into seen-sets.
 *
 * Sliced sets: one vector holds the same 64-bit word of the sets of several heap sizes. A shift by the values of as
 * many options, less the values below that word, gives a one in the lanes whose value belongs to the word and zero in
 * the others, since a variable shift by 64 or more (as unsigned numbers, so by less than zero too) gives zero. An
 * option costs a subtraction, a shift and an OR a word, all in registers, and no table.
 *
 * Flat sets: a byte a value in memory, stored to without being read: an option costs a load and a store, of which a
 * cycle takes one. */
#include "../tuning.h"
#include "kernels.h"
#include "simd.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
#define SHIFT(one, counts) ((simd)_mm512_sllv_epi64((__m512i)(one), (__m512i)(counts)))
#define OR3(a, b, c)       ((simd)_mm512_ternarylogic_epi64((__m512i)(a), (__m512i)(b), (__m512i)(c), 0xFE))
#define WIDEN_8(run)       ((simd)_mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)(run))))
#define WIDEN_16(run)      ((simd)_mm512_cvtepu16_epi64(_mm_loadu_si128((const __m128i *)(run))))
#elif defined(__AVX2__)
#define SHIFT(one, counts) ((simd)_mm256_sllv_epi64((__m256i)(one), (__m256i)(counts)))
#define OR3(a, b, c)       ((a) | (b) | (c))
#define WIDEN_8(run)       ((simd)_mm256_cvtepu8_epi64(_mm_loadu_si32(run)))
#define WIDEN_16(run)      ((simd)_mm256_cvtepu16_epi64(_mm_loadl_epi64((const __m128i *)(run))))
#endif

#if defined(__AVX2__)

enum { LANES = VECTOR_BYTES / 8, SLICED_WORDS = VECTOR_BYTES == 64 ? 16 : 8 };

/* Enters options into sets of `words` words, a constant; two options a round, whose ones an AVX-512 processor ors at
 * once. An odd last option is entered twice. */
#define FAR_WORDS(width, words)                                                                                        \
    static void far_##width##_words_##words(const uint##width##_t *values, uint64_t first, const uint64_t *members,    \
                                            size_t count, uint64_t *seen) {                                            \
        const simd one = (simd){0} + 1, step = (simd){0} + 64;                                                         \
        for (unsigned lane = 0; lane < SG_TILE_POS; lane += LANES) {                                                   \
            simd sum[words];                                                                                           \
            for (unsigned w = 0; w < (words); w++)                                                                     \
                sum[w] = *(const simd *)(seen + w * SG_TILE_POS + lane);                                               \
            for (size_t k = 0; k < count; k += 2) {                                                                    \
                const uint##width##_t *run = values + first + lane - members[k];                                       \
                const uint##width##_t *other = values + first + lane - members[k + (k + 1 < count)];                   \
                simd value = WIDEN_##width(run), other_value = WIDEN_##width(other);                                   \
                if (lane == 0) {                                                                                       \
                    __builtin_prefetch((const char *)run + SG_TILE_AHEAD_BYTES);                                       \
                    __builtin_prefetch((const char *)other + SG_TILE_AHEAD_BYTES);                                     \
                }                                                                                                      \
                _Pragma("GCC unroll 16") for (unsigned w = 0; w < (words); w++) {                                      \
                    sum[w] = OR3(sum[w], SHIFT(one, value), SHIFT(one, other_value));                                  \
                    value -= step;                                                                                     \
                    other_value -= step;                                                                               \
                }                                                                                                      \
            }                                                                                                          \
            for (unsigned w = 0; w < (words); w++)                                                                     \
                *(simd *)(seen + w * SG_TILE_POS + lane) = sum[w];                                                     \
        }                                                                                                              \
    }

/* As many words as values of the width can have, or as SG_TILE_SLICED_WORDS. */
#define FOUR(X, width, a, b, c, d) X(width, a) X(width, b) X(width, c) X(width, d)
#define WORDS_8(X)                 FOUR(X, 8, 1, 2, 3, 4)
#define WORDS_16(X)                                                                                                    \
    FOUR(X, 16, 1, 2, 3, 4) FOUR(X, 16, 5, 6, 7, 8) FOUR(X, 16, 9, 10, 11, 12) FOUR(X, 16, 13, 14, 15, 16)
#define ENTRY(width, words) far_##width##_words_##words,

#define FAR_SLICED(width)                                                                                              \
    WORDS_##width(FAR_WORDS) static void far_sliced_u##width(const uint##width##_t *values, uint64_t first,            \
                                                             const uint64_t *members, size_t count, uint64_t *seen,    \
                                                             size_t words) {                                           \
        static void (*const by_words[])(const uint##width##_t *, uint64_t, const uint64_t *, size_t,                   \
                                        uint64_t *) = {WORDS_##width(ENTRY)};                                          \
        by_words[words - 1](values, first, members, count, seen);                                                      \
    }

FAR_SLICED(8)
FAR_SLICED(16)

#endif

/* Heap sizes whose flat sets are filled at a time: while values are below some ten thousand, these stay in the
 * first-level cache. */
enum { FLAT_LANES = 4 };

#define FAR_FLAT(width)                                                                                                \
    static void far_flat_u##width(const uint##width##_t *values, uint64_t first, const uint64_t *members,              \
                                  size_t count, uint8_t *seen, size_t stride) {                                        \
        for (unsigned lane = 0; lane < SG_TILE_POS; lane += FLAT_LANES)                                                \
            for (size_t k = 0; k < count; k++) {                                                                       \
                const uint##width##_t *run = values + first + lane - members[k];                                       \
                uint8_t *set = seen + lane * stride;                                                                   \
                __builtin_prefetch((const char *)run + SG_TILE_AHEAD_BYTES);                                           \
                _Pragma("GCC unroll 4") for (unsigned i = 0; i < FLAT_LANES; i++, set += stride) set[run[i]] = 1;      \
            }                                                                                                          \
    }

FAR_FLAT(8)
FAR_FLAT(16)
FAR_FLAT(32)

extern const sg_tile_kernels SG_TABLE(sg_tile_kernels);
const sg_tile_kernels SG_TABLE(sg_tile_kernels) = {
#if defined(__AVX2__)
    .sliced_words = SLICED_WORDS,
    .far_sliced_u8 = far_sliced_u8,
    .far_sliced_u16 = far_sliced_u16,
#endif
    .far_flat_u8 = far_flat_u8,
    .far_flat_u16 = far_flat_u16,
    .far_flat_u32 = far_flat_u32,
};
