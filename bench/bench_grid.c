/* What the planner chooses, against the best of fixed choices, on sets and sizes of all kinds. Every solve must give
 * the fingerprint of the first one of its game. Rounds go through all choices in turn, so that what the machine does
 * meanwhile meets all of them; a choice's time is the least of its rounds.
 *
 *     bench_grid [THREADS]     1 when not given */
#include "subgame.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct fixed_choice {
    const char *name;
    sg_engine engine;
    uint64_t rows;
} fixed_choice;

static const fixed_choice cold_choices[] = {
    {"auto", SG_ENGINE_AUTO, 0},
    {"sieve", SG_ENGINE_SIEVE, 0},
    {"M = 1", SG_ENGINE_SPLIT, 1},
    {"M = 2", SG_ENGINE_SPLIT, 2},
    {"M = 5", SG_ENGINE_SPLIT, 5},
    {"M = 6", SG_ENGINE_SPLIT, 6},
    {"M = 7", SG_ENGINE_SPLIT, 7},
    {"M = 9", SG_ENGINE_SPLIT, 9},
    {"M = 65", SG_ENGINE_SPLIT, 65},
    {"M = 325", SG_ENGINE_SPLIT, 325},
    {"convolution", SG_ENGINE_CONVOLUTION, 0},
    {NULL, 0, 0},
};

static const fixed_choice nim_choices[] = {
    {"auto", SG_ENGINE_AUTO, 0},
    {"tile", SG_ENGINE_TILE, 0},
    {"levels, M = 1", SG_ENGINE_SPLIT, 1},
    {"levels, M = 2", SG_ENGINE_SPLIT, 2},
    {"levels, M = 6", SG_ENGINE_SPLIT, 6},
    {"levels, convolution", SG_ENGINE_CONVOLUTION, 0},
    {NULL, 0, 0},
};

static const struct grid_row {
    const char *set;
    unsigned least_log2; /* n from 2^least_log2 to 2^most_log2, in steps of 3 */
    unsigned most_log2;
    sg_mode mode;
} grid[] = {
    {"squares", 20, 26, SG_MODE_COLD},        {"cubes", 20, 26, SG_MODE_COLD},
    {"triangular", 20, 26, SG_MODE_COLD},     {"primes", 17, 23, SG_MODE_COLD},
    {"fibonacci", 20, 26, SG_MODE_COLD},      {"poly:k^2+k", 20, 26, SG_MODE_COLD},
    {"random{1,1/64}", 17, 23, SG_MODE_COLD}, {"random{1,1/4}", 17, 23, SG_MODE_COLD},
    {"beatty:phi", 17, 23, SG_MODE_COLD},     {"all", 20, 26, SG_MODE_COLD},
    {"squares", 14, 20, SG_MODE_NIM},         {"primes", 14, 20, SG_MODE_NIM},
    {"triangular", 14, 20, SG_MODE_NIM},      {"random{1,1/4}", 11, 17, SG_MODE_NIM},
};

enum { ROUNDS = 3, MOST_CHOICES = 12 };

/* Choices that take this many times as long as the best are given up. */
static const double HOPELESS = 1.5, HOPELESS_MORE_SECONDS = 0.05;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool go_on(void *user, const sg_progress *progress) {
    const double *deadline = user;
    (void)progress;
    return now() < *deadline;
}

typedef struct bench_state {
    sg_context *context;
    uint32_t threads;
    uint64_t expected; /* fingerprint of the game's first solve; 0 before it */
    bool failed;
} bench_state;

/* Seconds of planning and solving; HUGE_VAL when that is past the deadline or the choice is refused. */
static double time_choice(bench_state *bench, const sg_game *game, sg_mode mode, uint64_t n, const fixed_choice *choice,
                          double most_seconds) {
    sg_solve_options options;
    sg_result *result = NULL;
    uint64_t fingerprint;
    double begin = now(), deadline = begin + most_seconds;
    sg_solve_options_init(&options);
    options.engine = choice->engine;
    options.rows = choice->rows;
    options.threads = bench->threads;
    options.backend = SG_BACKEND_CPU;
    options.progress = go_on;
    options.progress_user = &deadline;
    if (sg_solve(bench->context, game, mode, n, &options, &result) != SG_OK)
        return HUGE_VAL;
    double seconds = now() - begin;
    if (sg_result_fingerprint(result, &fingerprint) != SG_OK || (bench->expected && fingerprint != bench->expected)) {
        printf("WRONG: %s gives fingerprint %016" PRIx64 ", expected %016" PRIx64 "\n", choice->name, fingerprint,
               bench->expected);
        bench->failed = true;
    }
    bench->expected = fingerprint;
    sg_result_destroy(result);
    return seconds;
}

/* Prints a line; returns auto's time over the best fixed one's. */
static double measure_game(bench_state *bench, const struct grid_row *row, unsigned log2_n) {
    const fixed_choice *choices = row->mode == SG_MODE_COLD ? cold_choices : nim_choices;
    double seconds[MOST_CHOICES] = {0}, best = HUGE_VAL, fastest = HUGE_VAL;
    uint64_t n = (uint64_t)1 << log2_n;
    size_t best_at = 1;
    sg_game *game;
    if (sg_game_create(bench->context, row->set, &game) != SG_OK) {
        fprintf(stderr, "%s\n", sg_last_error(bench->context));
        exit(1);
    }
    bench->expected = 0;
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; choices[i].name; i++) {
            bool hopeless = round && seconds[i] == HUGE_VAL;
            double again =
                hopeless ? HUGE_VAL
                         : time_choice(bench, game, row->mode, n, &choices[i], HOPELESS * best + HOPELESS_MORE_SECONDS);
            seconds[i] = round && seconds[i] < again ? seconds[i] : again;
            fastest = seconds[i] < fastest ? seconds[i] : fastest;
            if (i && seconds[i] < best) {
                best = seconds[i];
                best_at = i;
            }
        }
    printf("%-16s %-4s 2^%-3u %12.6f %12.6f %6.2f  %s\n", row->set, sg_mode_name(row->mode), log2_n, seconds[0], best,
           seconds[0] / best, choices[best_at].name);
    fflush(stdout);
    sg_game_destroy(game);
    return seconds[0] / best;
}

int main(int argc, char **argv) {
    bench_state bench = {.threads = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1};
    double logs = 0, worst = 0;
    unsigned games = 0;
    if (argc > 2 || bench.threads < 1 || bench.threads > 1024) {
        fprintf(stderr, "usage: bench_grid [THREADS], 1 .. 1024\n");
        return 2;
    }
    if (sg_context_create(&bench.context) != SG_OK)
        return 1;
    printf("%-16s %-4s %-5s %12s %12s %6s  %s\n", "set", "mode", "n", "auto", "best fixed", "ratio", "which");
    for (size_t i = 0; i < sizeof grid / sizeof *grid; i++)
        for (unsigned log2_n = grid[i].least_log2; log2_n <= grid[i].most_log2; log2_n += 3, games++) {
            double ratio = measure_game(&bench, &grid[i], log2_n);
            logs += log(ratio);
            worst = ratio > worst ? ratio : worst;
        }
    printf("seconds of planning and solving, %u thread%s; ratio: %.2f in the geometric mean, %.2f at worst\n",
           bench.threads, bench.threads == 1 ? "" : "s", exp(logs / games), worst);
    sg_context_destroy(bench.context);
    return bench.failed;
}
