/* Runs of bits in 64-bit words, lowest bit first. */
#ifndef SG_BITS_H
#define SG_BITS_H

#include <stdint.h>

/* into |= `count` bits, moved to begin at bit `first`. Bits past count of the last word are zero. */
static inline void sg_bits_or(uint64_t *into, uint64_t first, uint64_t count, const uint64_t *bits) {
    uint64_t *words = into + first / 64;
    unsigned shift = (unsigned)(first % 64);
    for (uint64_t w = 0; w < (count + 63) / 64; w++) {
        if (!bits[w])
            continue;
        words[w] |= bits[w] << shift;
        if (shift && bits[w] >> (64 - shift))
            words[w + 1] |= bits[w] >> (64 - shift);
    }
}

#endif
