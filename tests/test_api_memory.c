/* Memory: estimates are kept to, and what does not fit is refused before anything is allocated. */
#include "checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static bool last_error_has_number(uint64_t number) {
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, number);
    return last_error_has(text);
}

typedef struct memory_case {
    const char *name, *spec;
    sg_mode mode;
    sg_engine engine;
    uint64_t n, small_n;
} memory_case;

static const memory_case memory_cases[] = {
    {"squares_cold_auto", "squares", SG_MODE_COLD, SG_ENGINE_AUTO, 1 << 24, 1 << 20},
    {"squares_cold_dp", "squares", SG_MODE_COLD, SG_ENGINE_DP, 1 << 21, 1 << 18},
    {"squares_cold_sieve", "squares", SG_MODE_COLD, SG_ENGINE_SIEVE, 1 << 24, 1 << 20},
    {"squares_cold_split", "squares", SG_MODE_COLD, SG_ENGINE_SPLIT, 1 << 24, 1 << 20},
    {"squares_cold_convolution", "squares", SG_MODE_COLD, SG_ENGINE_CONVOLUTION, 1 << 19, 1 << 15},
    {"primes_cold_auto", "primes", SG_MODE_COLD, SG_ENGINE_AUTO, 1 << 17, 1 << 14},
    {"random_cold_auto", "random{1,1/2}", SG_MODE_COLD, SG_ENGINE_AUTO, 1 << 19, 1 << 16},
    {"all_cold_split", "all", SG_MODE_COLD, SG_ENGINE_SPLIT, 1 << 20, 1 << 16},
    {"squares_nim_auto", "squares", SG_MODE_NIM, SG_ENGINE_AUTO, 1 << 19, 1 << 15},
    {"squares_nim_dp", "squares", SG_MODE_NIM, SG_ENGINE_DP, 1 << 17, 1 << 14},
    {"squares_nim_tile", "squares", SG_MODE_NIM, SG_ENGINE_TILE, 1 << 19, 1 << 15},
    {"primes_nim_split", "primes", SG_MODE_NIM, SG_ENGINE_SPLIT, 1 << 17, 1 << 14},
    {"primes_nim_auto", "primes", SG_MODE_NIM, SG_ENGINE_AUTO, 1 << 16, 1 << 13},
    {"moser_nim_tile", "moser", SG_MODE_NIM, SG_ENGINE_TILE, 1 << 20, 1 << 15},
    {"all_nim_tile", "all", SG_MODE_NIM, SG_ENGINE_TILE, 1 << 13, 1 << 11},
    {"small_nim_auto", "{2,4,7}", SG_MODE_NIM, SG_ENGINE_AUTO, 1 << 20, 1 << 16},
    {"squares_remoteness_auto", "squares", SG_MODE_REMOTENESS, SG_ENGINE_AUTO, 1 << 18, 1 << 14},
    {"one_remoteness_auto", "{1}", SG_MODE_REMOTENESS, SG_ENGINE_AUTO, 1 << 20, 1 << 17},
};

static const char *memory_case_name(size_t i) {
    return memory_cases[i].name;
}

SG_TEST_P(ApiMemory, PeakStaysWithinTheEstimateAndTheEstimateIsNotWild, memory_case, memory_cases, memory_case_name) {
    static const uint32_t thread_counts[] = {1, 3};
    for (size_t t = 0; t < 2; t++)
        for (uint64_t shift = 0; shift <= 6; shift += 3) {
            uint64_t n = scaled(param->n, param->small_n) >> shift;
            sg_game *game = game_of_spec(param->spec);
            run_layout layout = {.engine = param->engine, .threads = thread_counts[t]};
            sg_solve_options options = options_of(layout);
            options.memory_limit_bytes = UINT64_C(64) << 20;
            sg_estimate estimate = {.struct_size = sizeof estimate};
            ASSERT_EQ(sg_solve_estimate(test_context(), game, param->mode, n, &options, &estimate), SG_OK);
            sg_result *result = NULL;
            ASSERT_EQ(sg_solve(test_context(), game, param->mode, n, &options, &result), SG_OK);
            sg_result_info info = info_of(result);
            SG_TRACE("n = %" PRIu64 ", %s", n, layout_text(layout));
            EXPECT_EQ(info.engine, estimate.engine);
            EXPECT_EQ(info.estimated_bytes, estimate.bytes);
            EXPECT_LE(info.peak_bytes * 10, estimate.bytes * 13 + 40960);
            EXPECT_LE(param->mode == SG_MODE_COLD ? n / 8 : n, info.peak_bytes); /* the result alone */
            EXPECT_LE(estimate.bytes, estimate.limit_bytes);
            EXPECT_LE(n, estimate.largest_n);
            EXPECT_TRUE(estimate.seconds >= 0);
            sg_result_destroy(result);
            sg_game_destroy(game);
        }
}

SG_TEST_P(ApiMemory, RefusalNamesBothNumbersAndALargestNThatIndeedFits, memory_case, memory_cases, memory_case_name) {
    sg_game *game = game_of_spec(param->spec);
    uint64_t n = scaled(param->n, param->small_n);
    sg_solve_options options = options_of((run_layout){.engine = param->engine, .threads = 2});
    sg_estimate estimate = {.struct_size = sizeof estimate};
    ASSERT_EQ(sg_solve_estimate(test_context(), game, param->mode, n / 4, &options, &estimate), SG_OK);
    options.memory_limit_bytes = estimate.bytes + estimate.bytes / 10;
    for (uint64_t doubling = 0; estimate.bytes <= options.memory_limit_bytes; doubling++) {
        ASSERT_TRUE(doubling < 10); /* a larger n may have a leaner plan, but not for long */
        n *= 2;
        ASSERT_EQ(sg_solve_estimate(test_context(), game, param->mode, n, &options, &estimate), SG_OK);
        EXPECT_EQ(estimate.limit_bytes, options.memory_limit_bytes);
    }
    EXPECT_EQ(try_solve(game, param->mode, n, &options), SG_ERROR_MEMORY_LIMIT);
    SG_TRACE("text: %s", sg_last_error(test_context()));
    EXPECT_TRUE(last_error_has_number(estimate.bytes));
    EXPECT_TRUE(last_error_has_number(estimate.limit_bytes));
    EXPECT_TRUE(last_error_has_number(estimate.largest_n));
    expect_well_formed_error();

    uint64_t largest = estimate.largest_n;
    ASSERT_TRUE(largest > 0);
    EXPECT_LT(largest, n);
    EXPECT_EQ(try_solve(game, param->mode, largest, &options), SG_OK);
    if (param->engine != SG_ENGINE_AUTO && param->mode == SG_MODE_COLD) /* nothing to plan: the bound is sharp */
        EXPECT_EQ(try_solve(game, param->mode, largest + largest / 16 + 65536, &options), SG_ERROR_MEMORY_LIMIT);
    sg_game_destroy(game);
}

static void expect_refusal_of_absurd_sizes(const char *spec, sg_mode mode, sg_engine engine) {
    static const uint64_t sizes[] = {UINT64_MAX, UINT64_MAX / 2 + 1, UINT64_MAX / 8, UINT64_C(1) << 62,
                                     UINT64_C(1) << 50};
    sg_game *game = game_of_spec(spec);
    sg_solve_options options = options_of((run_layout){.engine = engine});
    options.memory_limit_bytes = UINT64_C(64) << 20;
    for (size_t i = 0; i < scaled(sizeof sizes / sizeof sizes[0], 1); i++) {
        SG_TRACE("%s of %s, engine %s, n = %" PRIu64, sg_mode_name(mode), spec, sg_engine_name(engine), sizes[i]);
        EXPECT_EQ(try_solve(game, mode, sizes[i], &options), SG_ERROR_MEMORY_LIMIT);
        sg_estimate estimate = {.struct_size = sizeof estimate};
        ASSERT_EQ(sg_solve_estimate(test_context(), game, mode, sizes[i], &options, &estimate), SG_OK);
        EXPECT_LT(estimate.limit_bytes, estimate.bytes);
        EXPECT_LE(UINT64_C(100000), estimate.largest_n); /* 64 MiB are some 600 bytes for each of so many */
    }
    sg_game_destroy(game);
}

SG_TEST(ApiMemory, AbsurdSizesAreRefusedBeforeAnythingIsAllocated) {
    static const char *const specs[] = {"{1,2}", "primes", "all", "random{1,1/2}"};
    for (int mode = SG_MODE_COLD; mode <= SG_MODE_REMOTENESS; mode++) {
        sg_engine engines[8];
        size_t engine_count = engines_of((sg_mode)mode, engines);
        for (size_t e = 0; e < engine_count; e++)
            expect_refusal_of_absurd_sizes("squares", (sg_mode)mode, engines[e]);
        for (size_t s = 0; s < sizeof specs / sizeof specs[0]; s++)
            expect_refusal_of_absurd_sizes(specs[s], (sg_mode)mode, SG_ENGINE_AUTO);
    }
}

SG_TEST(ApiMemory, LimitOfOneByteIsRefused) {
    sg_game *game = game_of_spec("squares");
    sg_solve_options options = options_of((run_layout){0});
    options.memory_limit_bytes = 1;
    EXPECT_EQ(try_solve(game, SG_MODE_COLD, 100000, &options), SG_ERROR_MEMORY_LIMIT);
    sg_game_destroy(game);
}

/* Layouts far from what the planner would choose take most of their memory in places that usually do not count. */
typedef struct crowded_case {
    const char *set;
    const char *hotspots;
    sg_engine engine;
    uint64_t n;
    uint64_t rows;
} crowded_case;

static const crowded_case crowded_cases[] = {
    {"primes", "primes", SG_ENGINE_SPLIT, 65537, 4097},      {"primes", NULL, SG_ENGINE_SPLIT, 65537, 4097},
    {"beatty:e", NULL, SG_ENGINE_SPLIT, 262143, 999},        {"random{1,3/4}", NULL, SG_ENGINE_SPLIT, 100003, 3000},
    {"squares", "primes", SG_ENGINE_CONVOLUTION, 50021, 99}, {"all", NULL, SG_ENGINE_SPLIT, 30011, 8192},
};

SG_TEST_P(ApiMemory, PeakStaysWithinTheEstimateWithManyRows, crowded_case, crowded_cases, NULL) {
    sg_game *game = game_of_spec(param->set);
    ASSERT_EQ(sg_game_set_hotspots(test_context(), game, param->hotspots), SG_OK);
    sg_result *result = solve(game, SG_MODE_COLD, param->n, (run_layout){.engine = param->engine, .rows = param->rows});
    sg_result_info info = {.struct_size = sizeof info};
    ASSERT_EQ(sg_result_get_info(result, &info), SG_OK);
    EXPECT_LE(info.peak_bytes, info.estimated_bytes);
    sg_result_destroy(result);
    sg_game_destroy(game);
}

SG_TEST(ApiMemory, AutoTakesAnEngineThatFitsWhereTheFastestDoesNot) {
    sg_game *game = game_of_spec("squares");
    sg_solve_options options;
    sg_result *result;
    sg_result_info info = {.struct_size = sizeof info};
    sg_solve_options_init(&options);
    options.memory_limit_bytes = 3 << 20;
    ASSERT_EQ(sg_solve(test_context(), game, SG_MODE_COLD, 10000000, &options, &result), SG_OK);
    ASSERT_EQ(sg_result_get_info(result, &info), SG_OK);
    EXPECT_EQ(info.engine, SG_ENGINE_SIEVE);
    EXPECT_EQ(info.cold_count, 69489u);
    EXPECT_LE(info.peak_bytes, options.memory_limit_bytes);
    sg_result_destroy(result);
    sg_game_destroy(game);
}

/* Rows of more than 2^32 columns cannot be addressed: so long a game has two rows at least, whatever else is foreseen.
 */
SG_TEST(ApiMemory, GamesPastTheLongestRowArePlannedOnMoreRows) {
    sg_game *game = game_of_spec("random{1,1/10}");
    sg_estimate estimate = {.struct_size = sizeof estimate};
    sg_solve_options options;
    sg_solve_options_init(&options);
    options.backend = SG_BACKEND_CPU;
    options.engine = SG_ENGINE_SPLIT;
    options.memory_limit_bytes = UINT64_C(900) << 30;
    ASSERT_EQ(sg_solve_estimate(test_context(), game, SG_MODE_COLD, UINT64_C(1) << 33, &options, &estimate), SG_OK);
    EXPECT_LE(UINT64_C(3), estimate.rows);
    sg_game_destroy(game);
}

/* Classes of S that are held as bits cost a padded row each. */
SG_TEST(ApiMemory, PeakStaysWithinTheEstimateWithManyDenseClasses) {
    enum { MODULUS = 64, CLASSES = 20, N = 262208 };
    uint64_t *members = calloc(CLASSES * (N / MODULUS / 64 + 2), sizeof *members), count = 0;
    for (uint64_t q = 0; q <= N / MODULUS / 64 + 1; q++)
        for (uint64_t t = 1; t <= CLASSES; t++)
            members[count++] = q * MODULUS + t;
    sg_game *game;
    ASSERT_EQ(sg_game_create_from_members(test_context(), members, count, &game), SG_OK);
    sg_result *result =
        solve(game, SG_MODE_COLD, N, (run_layout){.engine = SG_ENGINE_SPLIT, .rows = MODULUS, .threshold_pos = 4096});
    sg_result_info info = {.struct_size = sizeof info};
    ASSERT_EQ(sg_result_get_info(result, &info), SG_OK);
    EXPECT_LE(info.peak_bytes, info.estimated_bytes);
    free(members);
    sg_result_destroy(result);
    sg_game_destroy(game);
}
