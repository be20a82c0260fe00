/* The inner loops of nim-values by tiles: values of options are entered into sets. */
#include "kernels.h"
#include "simd.h"

#include <string.h>

/* Lanes whose 512-bit accumulators fit the register file together. */
#if defined(__AVX512F__)
#define LANES 16
#elif defined(__AVX2__)
#define LANES 4
#else
#define LANES 2
#endif

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

extern const sg_tile_kernels SG_TABLE(sg_tile_kernels);
const sg_tile_kernels SG_TABLE(sg_tile_kernels) = {
    .far_one_hot_u8 = far_one_hot_u8,
    .far_one_hot_u16 = far_one_hot_u16,
    .far_bits_u8 = far_bits_u8,
    .far_bits_u16 = far_bits_u16,
    .far_bits_u32 = far_bits_u32,
};
