/* What is reached by one move, by a transform that is not ours: FFTW, in double precision, without wrap-around. */
#ifndef REFERENCE_REACHED_H
#define REFERENCE_REACHED_H

#include <stdbool.h>
#include <stdint.h>

/* reached[x] for x < target_count: whether x = c + s for a set bit c of `source` and one s of `shifts`, both vectors of
 * that many bits. */
void reference_reached(const uint8_t *source, uint64_t source_bits, const uint8_t *shifts, uint64_t shift_bits,
                       bool *reached, uint64_t target_count);

#endif
