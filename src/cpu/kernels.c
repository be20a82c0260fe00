/* Compiled three times with -DSG_KERNELS=avx512, avx2 and portable and the flags to match; GCC's vector types become
 * the widest registers that the flags allow, so one text serves all. The loops are written so that each accumulator
 * stays in a register. */
#include "kernels.h"
#include "../tuning.h"

#include <string.h>

typedef uint64_t vector_512 __attribute__((vector_size(64)));
typedef uint64_t unaligned_512 __attribute__((vector_size(64), aligned(1), may_alias));
typedef uint64_t unaligned_64 __attribute__((aligned(1), may_alias));

/* Lanes whose 512-bit accumulators fit the register file together with the table loads. */
#if defined(__AVX512F__)
#define LANES 16
#elif defined(__AVX2__)
#define LANES 4
#else
#define LANES 2
#endif

static inline __attribute__((always_inline)) void or_shifted(uint64_t *target, unsigned vectors, const uint8_t *source,
                                                             const uint32_t *eighths, size_t count,
                                                             unsigned right_shift) {
    vector_512 sum[SG_SEGMENT_BITS / 512];
    uint64_t tail = 0, words[SG_SEGMENT_BITS / 64 + 1] __attribute__((aligned(64)));
    for (unsigned v = 0; v < vectors; v++)
        sum[v] = (vector_512){0};
    for (size_t k = 0; k < count; k++) {
        const uint8_t *from = source - eighths[k];
        for (unsigned v = 0; v < vectors; v++)
            sum[v] |= *(const unaligned_512 *)(from + 64 * v);
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
        const vector_512 *row = (const vector_512 *)one_hot;                                                           \
        for (unsigned lane = 0; lane < SG_TILE_POS; lane += LANES) {                                                   \
            vector_512 sum[LANES];                                                                                     \
            memcpy(sum, seen + 8 * lane, sizeof sum);                                                                  \
            for (size_t k = 0; k < count; k++) {                                                                       \
                const uint##width##_t *run = values + first + lane - members[k];                                       \
                size_t ahead = k + PREFETCH_AHEAD < count ? k + PREFETCH_AHEAD : k;                                    \
                __builtin_prefetch(values + first - members[ahead]);                                                   \
                _Pragma("GCC unroll 16") for (unsigned i = 0; i < LANES; i++) sum[i] |= row[run[i]];                   \
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
