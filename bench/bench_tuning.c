/* The measurements behind src/tuning.h: for each choice that the planner makes, what the alternatives cost, beside what
 * the cost model foresees. Every solve's fingerprint is compared with the first of its table, so nothing wrong is
 * timed.
 *
 *     bench_tuning [rows|threshold|tile|convolution|nim]...      all when none is named */
#include "subgame.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench_state {
    sg_context *context;
    uint64_t expected; /* fingerprint of the table's first solve; 0 before it */
    bool failed;
} bench_state;

typedef struct solved {
    double seconds;
    double foreseen_seconds;
    sg_result_info info;
} solved;

static sg_game *game_of(bench_state *bench, const char *set) {
    sg_game *game = NULL;
    if (sg_game_create(bench->context, set, &game) != SG_OK) {
        fprintf(stderr, "%s\n", sg_last_error(bench->context));
        exit(1);
    }
    return game;
}

static solved solve_once(bench_state *bench, const sg_game *game, sg_mode mode, uint64_t n,
                         const sg_solve_options *options) {
    solved found = {.info.struct_size = sizeof found.info};
    sg_estimate estimate = {.struct_size = sizeof estimate};
    sg_result *result = NULL;
    uint64_t fingerprint;
    if (sg_solve_estimate(bench->context, game, mode, n, options, &estimate) != SG_OK ||
        sg_solve(bench->context, game, mode, n, options, &result) != SG_OK ||
        sg_result_fingerprint(result, &fingerprint) != SG_OK || sg_result_get_info(result, &found.info) != SG_OK) {
        fprintf(stderr, "%s\n", sg_last_error(bench->context));
        exit(1);
    }
    if (bench->expected && fingerprint != bench->expected) {
        printf("WRONG: fingerprint %016" PRIx64 ", expected %016" PRIx64 "\n", fingerprint, bench->expected);
        bench->failed = true;
    }
    bench->expected = fingerprint;
    found.seconds = found.info.seconds_solve;
    found.foreseen_seconds = estimate.seconds;
    found.info.device = NULL; /* belongs to the result */
    sg_result_destroy(result);
    return found;
}

/* The least of three runs: what the machine can do when left alone. */
static solved solve_best(bench_state *bench, const char *set, sg_mode mode, uint64_t n, sg_solve_options options) {
    sg_game *game = game_of(bench, set);
    solved best = solve_once(bench, game, mode, n, &options);
    for (int run = 1; run < 3; run++) {
        solved again = solve_once(bench, game, mode, n, &options);
        if (again.seconds < best.seconds)
            best = again;
    }
    sg_game_destroy(game);
    return best;
}

static sg_solve_options one_thread(sg_engine engine) {
    sg_solve_options options;
    sg_solve_options_init(&options);
    options.engine = engine;
    options.threads = 1;
    return options;
}

static void rows_table(bench_state *bench) {
    static const struct {
        const char *set;
        uint64_t n;
        uint64_t rows[8]; /* 0 ends the list and stands for the planner's choice */
    } cases[] = {
        {"squares", 1 << 26, {1, 5, 13, 25, 65, 325, 1105, 0}},
        {"cubes", 1 << 26, {1, 2, 7, 9, 63, 0}},
        {"primes", 1 << 23, {1, 2, 3, 6, 30, 0}},
        {"triangular", 1 << 24, {1, 3, 5, 8, 0}},
        {"random{1,1/64}", 1 << 23, {1, 2, 8, 0}},
    };
    printf("\ncold heap sizes by rows M (split, one thread, seconds)\n%-16s %10s %6s %10s %10s\n", "set", "n", "M",
           "measured", "foreseen");
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        bench->expected = 0;
        for (size_t i = 0;; i++) {
            sg_solve_options options = one_thread(cases[c].rows[i] ? SG_ENGINE_SPLIT : SG_ENGINE_AUTO);
            options.rows = cases[c].rows[i];
            solved found = solve_best(bench, cases[c].set, SG_MODE_COLD, cases[c].n, options);
            printf("%-16s %10" PRIu64 " %6" PRIu64 " %10.4f", cases[c].set, cases[c].n, found.info.rows, found.seconds);
            if (!options.rows) {
                printf(" %10.4f  chosen by auto\n", found.foreseen_seconds);
                break;
            }
            printf("\n");
        }
    }
}

static void threshold_table(bench_state *bench) {
    static const char *const sets[] = {"squares", "cubes", "primes", "random{1,1/64}"};
    printf("\ncold heap sizes below 2^22 by base threshold (split, planner's rows, one thread, milliseconds)\n%-16s",
           "set");
    for (unsigned log2_pos = 8; log2_pos <= 20; log2_pos += 2)
        printf(" %8s%-2u", "2^", log2_pos);
    printf("\n");
    for (size_t c = 0; c < sizeof sets / sizeof *sets; c++) {
        bench->expected = 0;
        sg_solve_options options = one_thread(SG_ENGINE_SPLIT);
        options.rows = solve_best(bench, sets[c], SG_MODE_COLD, 1 << 22, options).info.rows;
        printf("%-16s", sets[c]);
        for (unsigned log2_pos = 8; log2_pos <= 20; log2_pos += 2) {
            options.base_threshold_pos = (uint64_t)1 << log2_pos;
            printf(" %10.2f", 1e3 * solve_best(bench, sets[c], SG_MODE_COLD, 1 << 22, options).seconds);
        }
        printf("\n");
    }
}

static void tile_table(bench_state *bench) {
    static const char *const instruction_sets[] = {"portable", "avx2", "avx512"};
    static const struct {
        const char *set;
        uint64_t n;
    } cases[] = {{"squares", 1 << 20}, {"triangular", 1 << 20}, {"random{1,1/64}", 1 << 17}};
    printf("\nnim-values by tiles (one thread)\n%-16s %10s %9s %10s %12s\n", "set", "n", "kernels", "seconds",
           "ns/option");
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        bench->expected = 0;
        for (size_t i = 0; i < sizeof instruction_sets / sizeof *instruction_sets; i++) {
            setenv("SUBGAME_ISA", instruction_sets[i], 1);
            sg_game *game = game_of(bench, cases[c].set);
            sg_result *probe = NULL;
            bool runs = sg_solve(bench->context, game, SG_MODE_COLD, 1, NULL, &probe) == SG_OK;
            sg_result_destroy(probe);
            sg_game_destroy(game);
            if (!runs)
                continue;
            solved found = solve_best(bench, cases[c].set, SG_MODE_NIM, cases[c].n, one_thread(SG_ENGINE_TILE));
            printf("%-16s %10" PRIu64 " %9s %10.3f %12.3f\n", cases[c].set, cases[c].n, instruction_sets[i],
                   found.seconds, 1e9 * found.seconds / (double)found.info.option_count);
        }
        unsetenv("SUBGAME_ISA");
    }
}

static void convolution_table(bench_state *bench) {
    printf("\nforced convolution of primes, one row (one thread, seconds)\n%10s %10s %10s %8s %8s\n", "n", "measured",
           "foreseen", "nodes", "float");
    for (unsigned log2_n = 18; log2_n <= 23; log2_n++) {
        bench->expected = 0;
        solved found =
            solve_best(bench, "primes", SG_MODE_COLD, (uint64_t)1 << log2_n, one_thread(SG_ENGINE_CONVOLUTION));
        printf("%8s%-2u %10.3f %10.3f %8" PRIu64 " %8" PRIu64 "\n", "2^", log2_n, found.seconds, found.foreseen_seconds,
               found.info.convolve_nodes, found.info.convolve_float_nodes);
    }
}

static void nim_table(bench_state *bench) {
    static const struct {
        const char *set;
        uint64_t n;
    } cases[] = {{"squares", 1 << 20}, {"primes", 1 << 18}, {"fibonacci", 1 << 20}, {"random{1,1/64}", 1 << 18}};
    printf("\nnim-values: tiles, levels and the planner (one thread, seconds)\n%-16s %10s %10s %10s %10s  %s\n", "set",
           "n", "tile", "split", "auto", "auto took");
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        static const sg_engine engines[] = {SG_ENGINE_TILE, SG_ENGINE_SPLIT, SG_ENGINE_AUTO};
        solved found = {0};
        bench->expected = 0;
        printf("%-16s %10" PRIu64, cases[c].set, cases[c].n);
        for (size_t e = 0; e < 3; e++) {
            found = solve_best(bench, cases[c].set, SG_MODE_NIM, cases[c].n, one_thread(engines[e]));
            printf(" %10.3f", found.seconds);
        }
        printf("  %s\n", sg_engine_name(found.info.engine));
    }
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(bench_state *bench);
    } tables[] = {{"rows", rows_table},
                  {"threshold", threshold_table},
                  {"tile", tile_table},
                  {"convolution", convolution_table},
                  {"nim", nim_table}};
    bench_state bench = {0};
    if (sg_context_create(&bench.context) != SG_OK)
        return 1;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        bool wanted = argc == 1;
        for (int i = 1; i < argc; i++)
            wanted |= strcmp(argv[i], tables[t].name) == 0;
        if (wanted)
            tables[t].run(&bench);
        fflush(stdout);
    }
    sg_context_destroy(bench.context);
    return bench.failed;
}
