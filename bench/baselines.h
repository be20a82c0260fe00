/* What bench_solve measures against: the plain way to solve each game, written as well as plain code can be and then
 * left alone, so that ratios from different days can be compared. Nothing here uses the library. */
#ifndef BENCH_BASELINES_H
#define BENCH_BASELINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The subtraction set, as far as it lies below n. */
typedef struct baseline_set {
    const uint64_t *members; /* rising */
    size_t count;            /* below 2^32 */
    bool squares;            /* members are 1, 4, 9, ...: then they are generated and not read */
} baseline_set;

/* All return 0, or 1 when memory is short or a number does not fit. `cold_bits` has room for n/64 + 1 words and is
 * overwritten: bit p % 64 of word p / 64 is set when heap size p is cold. */

/* The sieve of section 4 of D. Eppstein, Faster evaluation of subtraction games: each cold heap size, in rising order,
 * marks what it is reached from. One bit a heap size, in segments of 2^22 that stay within the second-level cache. */
int baseline_sieve_cold(const baseline_set *set, uint64_t n, uint64_t *cold_bits);

/* The recurrence g(p) = mex g(p - s): each option stamps its value with p, then the values are gone through from 0.
 * n below 2^32. */
int baseline_recurrence_nim(const baseline_set *set, uint64_t n, uint16_t *values);

/* Theorem 1 of the same paper, with FFTW for the convolutions; in a file of its own, where FFTW was found. */
int baseline_fftw_cold(const uint64_t *members, size_t member_count, uint64_t n, unsigned threads, uint64_t *cold_bits);

#endif
