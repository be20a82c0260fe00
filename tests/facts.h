/* Reference facts about subtraction games, with heap sizes from 0.
 *
 * They come from programs independent of this library (a plain sieve, the plain mex recurrence, Brent's cycle search),
 * or from the sources named beside them. Fingerprints are XXH3-64 of the raw formats. The tables are in facts.c. */
#ifndef FACTS_H
#define FACTS_H

#include <stddef.h>
#include <stdint.h>

/* An array whose length is known. */
typedef struct fact_list {
    const uint64_t *items;
    size_t count;
} fact_list;

/* A value for the heap sizes below `below`. */
typedef struct fact_below {
    uint64_t below;
    uint64_t value;
} fact_below;

/* `value` is reached first at heap size `heap`. */
typedef struct fact_record {
    uint64_t heap;
    uint64_t value;
} fact_record;

/* ---- subtract-a-square: OEIS A030193 (cold), A014586 (nim), A338027 (remoteness), A224839 (misere cold) */

extern const fact_list squares_cold_first;        /* the first cold heap sizes */
extern const fact_list squares_nim_first;         /* nim-values of 0, 1, 2, ... */
extern const fact_list squares_remoteness_first;  /* remoteness of 0, 1, 2, ... */
extern const fact_list squares_misere_cold_first; /* the first heap sizes that are cold under misere play */

enum { SQUARES_COLD_COUNTS = 10, SQUARES_MAX_NIMS = 3, SQUARES_NIM_SUMS = 2 };
extern const fact_below squares_cold_count[SQUARES_COLD_COUNTS];
typedef struct fact_maximum {
    uint64_t below, max_nim, at;
} fact_maximum;
extern const fact_maximum squares_max_nim[SQUARES_MAX_NIMS];
extern const fact_below squares_nim_sum[SQUARES_NIM_SUMS];

#define SQUARES_COLD_FINGERPRINT_2_24 UINT64_C(0x3071898cf2ff61e6)
#define SQUARES_COLD_FINGERPRINT_2_26 UINT64_C(0x435c266c75957074)
#define SQUARES_NIM_FINGERPRINT_2_20  UINT64_C(0x025de8da7eae3fa4)

#define SQUARES_ONLY_COLD_ENDING_IN_6 11356 /* below 2^26 */
#define SQUARES_LOST_TRIPLES_TO_29    1160  /* 0 <= a <= b <= c <= 29, Project Euler 310 */

/* Cold heap sizes below 2^28 by residue and by digit. */
extern const uint64_t squares_cold_mod5[5], squares_cold_mod7[7];
extern const uint64_t squares_cold_fives_digit[5], squares_cold_twentyfives_digit[5];

/* ---- several sets below 20000 */

enum { FACT_SETS = 7, FACT_NIM_FIRST = 60 };
typedef struct fact_set {
    const char *spec;
    uint64_t cold_count, max_nim;
    uint8_t nim_first[FACT_NIM_FIRST];
    fact_record last_records[8]; /* the last new maxima; those past record_count are unused */
    size_t record_count;
} fact_set;
extern const fact_set sets_below_20000[FACT_SETS];

/* ---- subtract-a-prime: OEIS A014589, A025043 */

enum { PRIMES_VALUES = 12 };
extern const uint64_t primes_count_by_value[PRIMES_VALUES]; /* below 2^19 */
extern const uint64_t primes_first_heap[PRIMES_VALUES];     /* first heap size with each value */
#define PRIMES_EVEN_COLD 5

/* ---- periods */

enum { FACT_MEMBERS = 5 };
typedef struct fact_period {
    uint64_t members[FACT_MEMBERS]; /* 0 ends them */
    uint64_t preperiod, period, saltus;
} fact_period;

enum { FINITE_PERIODS = 14, ALLBUT_PERIODS = 5 };
extern const fact_period finite_nim_period[FINITE_PERIODS];
extern const fact_period finite_outcome_period_2_4_7;
extern const fact_period allbut_nim_period[ALLBUT_PERIODS]; /* members: those left out */

/* Althofer and Bultermann: {a, 4a, 12a+1, 16a+1} has nim period 56a^3 + 52a^2 + 9a + 1. */
enum { ALTHOFER_BULTERMANN_A = 5 };
extern const uint64_t althofer_bultermann_period[ALTHOFER_BULTERMANN_A];

#endif
