/* The cases of bench_solve: a game, what of ours is timed on it, and the baseline. A trial is one case at one size: its
 * runs are all compared, bit by bit, with the first run of the baseline. */
#ifndef BENCH_SOLVE_CASES_H
#define BENCH_SOLVE_CASES_H

#include "baselines.h"
#include "subgame.h"

typedef enum case_baseline {
    BASELINE_SIEVE,      /* cold */
    BASELINE_RECURRENCE, /* nim */
    BASELINE_ONE_ROW,    /* cold: our own engine split, without residue rows */
    BASELINE_FFTW        /* cold */
} case_baseline;

typedef struct solve_case {
    const char *name;
    const char *set;
    sg_mode mode;
    sg_engine engine; /* of ours */
    case_baseline baseline;
    uint64_t n; /* default: the baseline takes some seconds */
} solve_case;

extern const solve_case solve_cases[];
extern const size_t solve_case_count;

/* NULL when there is none of that name. */
const solve_case *solve_case_named(const char *name, size_t length);

const char *solve_case_baseline_name(const solve_case *which);

/* Whether threads change what the baseline costs. */
bool solve_case_baseline_is_threaded(const solve_case *which);

/* Why the case cannot be run in this build; NULL when it can. */
const char *solve_case_missing(const solve_case *which);

typedef struct trial {
    sg_context *context;
    const solve_case *which;
    uint64_t n;
    sg_game *game;
    uint64_t *members; /* below n */
    size_t member_count;
    uint8_t *expected; /* the baseline's answer, as sg_result_raw gives it; NULL before its first run */
    uint64_t answer_bytes;
} trial;

/* One timed run: all that a user waits for, from the set's members on for plain baselines, from sg_solve on for ours.
 */
typedef struct trial_run {
    double seconds;
    sg_engine engine;            /* ours only, and what follows */
    const char *instruction_set; /* static storage */
    uint64_t peak_bytes;
    uint64_t estimated_bytes;
} trial_run;

/* Each prints what is wrong and ends the program when something fails or an answer differs. */
void trial_open(trial *opened, sg_context *context, const solve_case *which, uint64_t n);
trial_run trial_run_baseline(trial *running, unsigned threads);
trial_run trial_run_ours(trial *running, unsigned threads);
void trial_close(trial *closing);

#endif
