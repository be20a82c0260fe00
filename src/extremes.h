#ifndef SG_EXTREMES_H
#define SG_EXTREMES_H

#include <stdint.h>

static inline uint64_t sg_smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static inline uint64_t sg_larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

#endif
