#include "reached.h"

#include <fftw3.h>
#include <string.h>

static void spread(const uint8_t *bits, uint64_t count, double unit, double *numbers, uint64_t length) {
    memset(numbers, 0, length * sizeof *numbers);
    for (uint64_t i = 0; i < count; i++)
        if (bits[i / 8] >> i % 8 & 1)
            numbers[i] = unit;
}

void reference_reached(const uint8_t *source, uint64_t source_bits, const uint8_t *shifts, uint64_t shift_bits,
                       bool *reached, uint64_t target_count) {
    uint64_t length = 1;
    while (length < source_bits + shift_bits)
        length *= 2;
    double *a = fftw_malloc((length + 2) * sizeof *a), *b = fftw_malloc((length + 2) * sizeof *b);
    fftw_complex *fa = (fftw_complex *)a, *fb = (fftw_complex *)b;
    fftw_plan forward_a = fftw_plan_dft_r2c_1d((int)length, a, fa, FFTW_ESTIMATE);
    fftw_plan forward_b = fftw_plan_dft_r2c_1d((int)length, b, fb, FFTW_ESTIMATE);
    fftw_plan inverse = fftw_plan_dft_c2r_1d((int)length, fa, a, FFTW_ESTIMATE);
    spread(source, source_bits, 1, a, length);
    spread(shifts, shift_bits, 1 / (double)length, b, length);
    fftw_execute(forward_a);
    fftw_execute(forward_b);
    for (uint64_t k = 0; k <= length / 2; k++) {
        double re = fa[k][0] * fb[k][0] - fa[k][1] * fb[k][1];
        fa[k][1] = fa[k][0] * fb[k][1] + fa[k][1] * fb[k][0];
        fa[k][0] = re;
    }
    fftw_execute(inverse);
    for (uint64_t x = 0; x < target_count; x++)
        reached[x] = x < length && a[x] > 0.5;
    fftw_destroy_plan(forward_a);
    fftw_destroy_plan(forward_b);
    fftw_destroy_plan(inverse);
    fftw_free(a);
    fftw_free(b);
}
