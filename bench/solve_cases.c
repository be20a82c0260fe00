#include "solve_cases.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CHUNK_BYTES = 1 << 20 };

const solve_case solve_cases[] = {
    {"cold-squares", "squares", SG_MODE_COLD, SG_ENGINE_AUTO, BASELINE_SIEVE, (uint64_t)1 << 28},
    {"nim-squares", "squares", SG_MODE_NIM, SG_ENGINE_AUTO, BASELINE_RECURRENCE, (uint64_t)1 << 22},
    {"cold-primes", "primes", SG_MODE_COLD, SG_ENGINE_AUTO, BASELINE_SIEVE, (uint64_t)1 << 19},
    {"nim-primes", "primes", SG_MODE_NIM, SG_ENGINE_AUTO, BASELINE_RECURRENCE, (uint64_t)1 << 18},
    {"cold-random", "random{1,1/4}", SG_MODE_COLD, SG_ENGINE_AUTO, BASELINE_ONE_ROW, (uint64_t)1 << 24},
    {"nim-random", "random{1,1/4}", SG_MODE_NIM, SG_ENGINE_AUTO, BASELINE_RECURRENCE, (uint64_t)1 << 16},
    {"convolution-squares", "squares", SG_MODE_COLD, SG_ENGINE_CONVOLUTION, BASELINE_SIEVE, (uint64_t)1 << 24},
    {"convolution-fftw", "squares", SG_MODE_COLD, SG_ENGINE_CONVOLUTION, BASELINE_FFTW, (uint64_t)1 << 24},
};
const size_t solve_case_count = sizeof solve_cases / sizeof *solve_cases;

const solve_case *solve_case_named(const char *name, size_t length) {
    for (size_t i = 0; i < solve_case_count; i++)
        if (strlen(solve_cases[i].name) == length && strncmp(solve_cases[i].name, name, length) == 0)
            return &solve_cases[i];
    return NULL;
}

const char *solve_case_baseline_name(const solve_case *which) {
    static const char *const names[] = {"sieve", "recurrence", "split, 1 row", "FFTW"};
    return names[which->baseline];
}

bool solve_case_baseline_is_threaded(const solve_case *which) {
    return which->baseline == BASELINE_ONE_ROW || which->baseline == BASELINE_FFTW;
}

const char *solve_case_missing(const solve_case *which) {
#if BENCH_HAVE_FFTW
    (void)which;
    return NULL;
#else
    return which->baseline == BASELINE_FFTW ? "this build has no baseline on FFTW" : NULL;
#endif
}

static void check(const trial *t, sg_status status) {
    if (status == SG_OK)
        return;
    fprintf(stderr, "bench_solve: %s at n = %" PRIu64 ": %s: %s\n", t->which->name, t->n, sg_status_name(status),
            sg_last_error(t->context));
    exit(1);
}

static void *take(const trial *t, size_t bytes) {
    void *taken = calloc(1, bytes);
    if (!taken) {
        fprintf(stderr, "bench_solve: %s at n = %" PRIu64 ": out of memory\n", t->which->name, t->n);
        exit(1);
    }
    return taken;
}

static void stop_wrong(const trial *t, const char *who) {
    fprintf(stderr, "bench_solve: %s at n = %" PRIu64 ": WRONG: the answer of %s differs from the baseline's first\n",
            t->which->name, t->n, who);
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void trial_open(trial *opened, sg_context *context, const solve_case *which, uint64_t n) {
    uint64_t count;
    *opened = (trial){.context = context, .which = which, .n = n};
    opened->answer_bytes = which->mode == SG_MODE_COLD ? (n + 7) / 8 : 2 * n;
    check(opened, sg_game_create(context, which->set, &opened->game));
    if (which->baseline == BASELINE_ONE_ROW)
        return;
    check(opened, sg_game_members(context, opened->game, n, NULL, 0, &count));
    opened->member_count = (size_t)count;
    opened->members = take(opened, (size_t)(count + 1) * sizeof *opened->members);
    check(opened, sg_game_members(context, opened->game, n, opened->members, (size_t)count, &count));
}

void trial_close(trial *closing) {
    sg_game_destroy(closing->game);
    free(closing->members);
    free(closing->expected);
}

/* The first answer is kept; each later one must be the same. Takes over `answer`. */
static void keep_or_compare(trial *t, uint8_t *answer) {
    if (!t->expected) {
        t->expected = answer;
        return;
    }
    if (memcmp(answer, t->expected, t->answer_bytes) != 0)
        stop_wrong(t, "the baseline");
    free(answer);
}

static trial_run run_plain(trial *t, unsigned threads) {
    /* Whole words, which is more than the answer. */
    void *answer = take(t, (size_t)t->answer_bytes + 16);
    baseline_set set = {t->members, t->member_count, strcmp(t->which->set, "squares") == 0};
    double start = now();
    int failed = 1;
    if (t->which->baseline == BASELINE_SIEVE)
        failed = baseline_sieve_cold(&set, t->n, answer);
    else if (t->which->baseline == BASELINE_RECURRENCE)
        failed = baseline_recurrence_nim(&set, t->n, answer);
#if BENCH_HAVE_FFTW
    else
        failed = baseline_fftw_cold(t->members, t->member_count, t->n, threads, answer);
#else
    (void)threads;
#endif
    trial_run run = {.seconds = now() - start};
    if (failed) {
        fprintf(stderr, "bench_solve: %s at n = %" PRIu64 ": the baseline cannot do it\n", t->which->name, t->n);
        exit(1);
    }
    keep_or_compare(t, answer);
    return run;
}

static trial_run solve(trial *t, const sg_solve_options *options, sg_result **result) {
    sg_result_info info = {.struct_size = sizeof info};
    double start = now();
    check(t, sg_solve(t->context, t->game, t->which->mode, t->n, options, result));
    double seconds = now() - start;
    check(t, sg_result_get_info(*result, &info));
    return (trial_run){.seconds = seconds,
                       .engine = info.engine,
                       .instruction_set = info.instruction_set,
                       .peak_bytes = info.peak_bytes,
                       .estimated_bytes = info.estimated_bytes};
}

static sg_solve_options on_cpu(sg_engine engine, unsigned threads) {
    sg_solve_options options;
    sg_solve_options_init(&options);
    options.engine = engine;
    options.backend = SG_BACKEND_CPU;
    options.threads = threads;
    return options;
}

static trial_run run_one_row(trial *t, unsigned threads) {
    sg_solve_options options = on_cpu(SG_ENGINE_SPLIT, threads);
    sg_result *result = NULL;
    uint8_t *answer = take(t, (size_t)t->answer_bytes + 1);
    options.rows = 1;
    trial_run run = solve(t, &options, &result);
    check(t, sg_result_raw(result, 0, (size_t)t->answer_bytes, answer));
    sg_result_destroy(result);
    keep_or_compare(t, answer);
    return run;
}

trial_run trial_run_baseline(trial *running, unsigned threads) {
    return running->which->baseline == BASELINE_ONE_ROW ? run_one_row(running, threads) : run_plain(running, threads);
}

static void compare(trial *t, const sg_result *result) {
    uint8_t *chunk = take(t, CHUNK_BYTES);
    if (sg_result_raw_bytes(result) != t->answer_bytes)
        stop_wrong(t, "ours");
    for (uint64_t at = 0; at < t->answer_bytes; at += CHUNK_BYTES) {
        uint64_t left = t->answer_bytes - at;
        size_t count = left < CHUNK_BYTES ? (size_t)left : CHUNK_BYTES;
        check(t, sg_result_raw(result, at, count, chunk));
        if (memcmp(chunk, t->expected + at, count) != 0)
            stop_wrong(t, "ours");
    }
    free(chunk);
}

trial_run trial_run_ours(trial *running, unsigned threads) {
    sg_solve_options options = on_cpu(running->which->engine, threads);
    sg_result *result = NULL;
    trial_run run = solve(running, &options, &result);
    compare(running, result);
    sg_result_destroy(result);
    return run;
}
