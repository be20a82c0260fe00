/* The same by shifted words, where FFTW is not there: slow, so tests are smaller. */
#include "reached.h"

void reference_reached(const uint8_t *source, uint64_t source_bits, const uint8_t *shifts, uint64_t shift_bits,
                       bool *reached, uint64_t target_count) {
    for (uint64_t x = 0; x < target_count; x++)
        reached[x] = false;
    for (uint64_t c = 0; c < source_bits; c++)
        for (uint64_t s = 0; source[c / 8] >> c % 8 & 1 && s < shift_bits && c + s < target_count; s++)
            if (shifts[s / 8] >> s % 8 & 1)
                reached[c + s] = true;
}
