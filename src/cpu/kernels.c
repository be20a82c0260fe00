/* Compiled three times with -DSG_KERNELS=avx512, avx2 and portable and the flags to match. Vectors are as wide as the
 * registers, for the compiler would keep wider ones in memory; loops over them have constant bounds, so that each
 * accumulator stays in a register. */
#include "kernels.h"
#include "../tuning.h"

#include <string.h>

/* Bytes of a register; lanes whose 512-bit accumulators fit the register file together. */
#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#define LANES        16
#elif defined(__AVX2__)
#define VECTOR_BYTES 32
#define LANES        4
#else
#define VECTOR_BYTES 16
#define LANES        2
#endif

/* Registers of 512 bits. */
#define PARTS (64 / VECTOR_BYTES)

typedef uint64_t simd __attribute__((vector_size(VECTOR_BYTES)));
typedef uint64_t unaligned_simd __attribute__((vector_size(VECTOR_BYTES), aligned(1), may_alias));
typedef uint64_t unaligned_64 __attribute__((aligned(1), may_alias));

static inline __attribute__((always_inline)) void or_shifted(uint64_t *target, unsigned vectors, const uint8_t *source,
                                                             const uint32_t *eighths, size_t count,
                                                             unsigned right_shift) {
    simd sum[SG_SEGMENT_BITS / 512 * PARTS];
    uint64_t tail = 0, words[SG_SEGMENT_BITS / 64 + 1] __attribute__((aligned(64)));
    for (unsigned v = 0; v < vectors * PARTS; v++)
        sum[v] = (simd){0};
    for (size_t k = 0; k < count; k++) {
        const uint8_t *from = source - eighths[k];
        for (unsigned v = 0; v < vectors * PARTS; v++)
            sum[v] |= *(const unaligned_simd *)(from + VECTOR_BYTES * v);
        tail |= *(const unaligned_64 *)(from + 64 * vectors);
    }
    memcpy(words, sum, 64 * vectors);
    words[8 * vectors] = tail;
    /* A shift by 64 - right_shift in two steps, so that right_shift 0 is defined. */
    for (unsigned w = 0; w < 8 * vectors; w++)
        target[w] |= words[w] >> right_shift | words[w + 1] << 1 << (63 - right_shift);
}

static void or_shifted_segment(uint64_t *segment, const uint8_t *source, const uint32_t *eighths, size_t count,
                               unsigned right_shift) {
    or_shifted(segment, SG_SEGMENT_BITS / 512, source, eighths, count, right_shift);
}

static void or_shifted_vector(uint64_t *vector, const uint8_t *source, const uint32_t *eighths, size_t count,
                              unsigned right_shift) {
    or_shifted(vector, 1, source, eighths, count, right_shift);
}

/* Sources are runs that lie far apart, so the next runs are asked for ahead of their turn. Members. */
#define PREFETCH_AHEAD 12

#define FAR_ONE_HOT(width)                                                                                             \
    static void far_one_hot_u##width(const uint##width##_t *values, uint64_t first, const uint64_t *members,           \
                                     size_t count, uint64_t *seen, const uint64_t *one_hot) {                          \
        const simd(*rows)[PARTS] = (const simd(*)[PARTS])one_hot;                                                      \
        for (unsigned lane = 0; lane < SG_TILE_POS; lane += LANES) {                                                   \
            simd sum[LANES][PARTS];                                                                                    \
            memcpy(sum, seen + 8 * lane, sizeof sum);                                                                  \
            for (size_t k = 0; k < count; k++) {                                                                       \
                const uint##width##_t *run = values + first + lane - members[k];                                       \
                size_t ahead = k + PREFETCH_AHEAD < count ? k + PREFETCH_AHEAD : k;                                    \
                __builtin_prefetch(values + first - members[ahead]);                                                   \
                _Pragma("GCC unroll 16") for (unsigned i = 0; i < LANES; i++)                                          \
                    _Pragma("GCC unroll 4") for (unsigned part = 0; part < PARTS; part++) sum[i][part] |=              \
                    rows[run[i]][part];                                                                                \
            }                                                                                                          \
            memcpy(seen + 8 * lane, sum, sizeof sum);                                                                  \
        }                                                                                                              \
    }

#define FAR_BITS(width)                                                                                                \
    static void far_bits_u##width(const uint##width##_t *values, uint64_t first, const uint64_t *members,              \
                                  size_t count, uint64_t *seen, size_t words) {                                        \
        for (size_t k = 0; k < count; k++) {                                                                           \
            const uint##width##_t *run = values + first - members[k];                                                  \
            size_t ahead = k + PREFETCH_AHEAD < count ? k + PREFETCH_AHEAD : k;                                        \
            __builtin_prefetch(values + first - members[ahead]);                                                       \
            for (unsigned i = 0; i < SG_TILE_POS; i++)                                                                 \
                seen[i * words + run[i] / 64] |= (uint64_t)1 << run[i] % 64;                                           \
        }                                                                                                              \
    }

FAR_ONE_HOT(8)
FAR_ONE_HOT(16)
FAR_BITS(8)
FAR_BITS(16)
FAR_BITS(32)

#define TEXT_(name)  #name
#define TEXT(name)   TEXT_(name)
#define TABLE_(name) sg_kernels_##name
#define TABLE(name)  TABLE_(name)

extern const sg_kernels TABLE(SG_KERNELS);
const sg_kernels TABLE(SG_KERNELS) = {
    .name = TEXT(SG_KERNELS),
    .or_shifted_segment = or_shifted_segment,
    .or_shifted_vector = or_shifted_vector,
    .far_one_hot_u8 = far_one_hot_u8,
    .far_one_hot_u16 = far_one_hot_u16,
    .far_bits_u8 = far_bits_u8,
    .far_bits_u16 = far_bits_u16,
    .far_bits_u32 = far_bits_u32,
};
