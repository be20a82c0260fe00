/* SplitMix64's output for a state (Steele, Lea, Flood 2014): random{} sets and samples are defined by it. */
#ifndef SG_SPLITMIX_H
#define SG_SPLITMIX_H

#include <stdint.h>

static inline uint64_t sg_splitmix64(uint64_t state) {
    uint64_t z = state + UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

#endif
