/* The same by shifted words, where FFTW is not there. */
#include "reached.h"

#include <stdlib.h>
#include <string.h>

void reference_reached(const uint8_t *source, uint64_t source_bits, const uint8_t *shifts, uint64_t shift_bits,
                       bool *reached, uint64_t target_count) {
    uint64_t words = target_count / 64 + 1, shift_bytes = (shift_bits + 7) / 8;
    uint64_t *sums = calloc(words, sizeof *sums), *members = calloc(words + 1, sizeof *members);
    memcpy(members + 1, shifts, shift_bytes < 8 * words ? shift_bytes : 8 * words); /* members[0] is a zero word */
    for (uint64_t c = 0; c < source_bits && c < target_count; c++) {
        if (!(source[c / 8] >> c % 8 & 1))
            continue;
        uint64_t *from = sums + c / 64;
        unsigned shift = (unsigned)(c % 64);
        for (uint64_t w = 0; w < words - c / 64; w++)
            from[w] |= shift ? members[w + 1] << shift | members[w] >> (64 - shift) : members[w + 1];
    }
    for (uint64_t x = 0; x < target_count; x++)
        reached[x] = sums[x / 64] >> x % 64 & 1;
    free(sums);
    free(members);
}
