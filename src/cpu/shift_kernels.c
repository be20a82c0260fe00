/* The inner loop of shift_or: shifted copies of a bit vector are ored in registers. */
#include "../tuning.h"
#include "kernels.h"
#include "simd.h"

#include <string.h>

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

extern const sg_shift_kernels SG_TABLE(sg_shift_kernels);
const sg_shift_kernels SG_TABLE(sg_shift_kernels) = {
    .or_shifted_segment = or_shifted_segment,
    .or_shifted_vector = or_shifted_vector,
};
