/* Whole solves on a CUDA device, emulated or real, against the CPU: the same bits, honest reports, and refusals before
 * anything is allocated. Random games in all layouts are test_invariance.c's, which is built for the device as well. */
#include "checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const solve_case cases[] = {
    {"squares", "squares", NULL, SG_MODE_COLD, 16384, {.engine = SG_ENGINE_SPLIT}},
    {"squares_odd", "squares", NULL, SG_MODE_COLD, 300007, {.engine = SG_ENGINE_SPLIT}},
    {"squares_wide_tiles", "squares", NULL, SG_MODE_COLD, 300007, {.engine = SG_ENGINE_SPLIT, .rows = 5}},
    {"squares_one_row", "squares", NULL, SG_MODE_COLD, 300007, {.engine = SG_ENGINE_SPLIT, .rows = 1}},
    {"squares_65_rows", "squares", NULL, SG_MODE_COLD, 99991, {.engine = SG_ENGINE_SPLIT, .rows = 65}},
    {"squares_hotspots", "squares", "{3,5,100,4097,8191}", SG_MODE_COLD, 100003, {.engine = SG_ENGINE_SPLIT}},
    {"squares_hot_cubes", "squares", "cubes", SG_MODE_COLD, 300007, {.engine = SG_ENGINE_SPLIT}},
    {"primes_hot_squares", "primes", "squares", SG_MODE_COLD, 65537, {.engine = SG_ENGINE_SPLIT}},
    {"primes", "primes", NULL, SG_MODE_COLD, 300007, {.engine = SG_ENGINE_SPLIT}},
    {"primes_nim", "primes", NULL, SG_MODE_NIM, 100003, {.engine = SG_ENGINE_SPLIT}},
    {"primes_nim_convolved", "primes", NULL, SG_MODE_NIM, 20011, {.engine = SG_ENGINE_CONVOLUTION}},
    {"random_convolved", "random{7,1/4}", NULL, SG_MODE_COLD, 300007, {.engine = SG_ENGINE_CONVOLUTION}},
    {"random_convolved_rows", "random{7,1/4}", NULL, SG_MODE_COLD, 50021, {.engine = SG_ENGINE_CONVOLUTION, .rows = 3}},
    {"squares_convolved", "squares", NULL, SG_MODE_COLD, 300007, {.engine = SG_ENGINE_CONVOLUTION}},
    {"triangular_hot_primes_convolved", "triangular", "primes", SG_MODE_COLD, 70001, {.engine = SG_ENGINE_CONVOLUTION}},
    {"all", "all", NULL, SG_MODE_COLD, 40009, {.engine = SG_ENGINE_SPLIT}},
    {"sparse", "powers-of:3", NULL, SG_MODE_NIM, 30011, {.engine = SG_ENGINE_SPLIT}},
    {"squares_tiles", "squares", NULL, SG_MODE_NIM, 100003, {.engine = SG_ENGINE_TILE}},
    {"squares_tiles_near_cpu", "squares", NULL, SG_MODE_NIM, 20011, {.engine = SG_ENGINE_TILE, .near = SG_NEAR_CPU}},
    {"squares_tiles_near_cuda", "squares", NULL, SG_MODE_NIM, 20011, {.engine = SG_ENGINE_TILE, .near = SG_NEAR_CUDA}},
    {"squares_tiles_short_leaves",
     "squares",
     NULL,
     SG_MODE_NIM,
     9001,
     {.engine = SG_ENGINE_TILE, .threshold_pos = 5, .near = SG_NEAR_CUDA}},
    {"cubes_tiles", "cubes", NULL, SG_MODE_NIM, 100003, {.engine = SG_ENGINE_TILE}},
    {"period_tiles", "{1,9,10}", NULL, SG_MODE_NIM, 30011, {.engine = SG_ENGINE_TILE}},
    {"random_tiles", "random{3,1/64}", NULL, SG_MODE_NIM, 30011, {.engine = SG_ENGINE_TILE}},
    /* Windows fill up, and in the emulation sets do not hold all values. */
    {"all_tiles", "all", NULL, SG_MODE_NIM, 2003, {.engine = SG_ENGINE_TILE, .near = SG_NEAR_CUDA}},
    {"all_tiles_near_cpu", "all", NULL, SG_MODE_NIM, 2003, {.engine = SG_ENGINE_TILE, .near = SG_NEAR_CPU}},
};

static const char *case_name(size_t i) {
    return cases[i].name;
}

static sg_result *solve_on(sg_backend backend, const sg_game *game, sg_mode mode, uint64_t n,
                           const sg_solve_options *wanted) {
    sg_solve_options options = *wanted;
    sg_result *result = NULL;
    options.backend = backend;
    sg_status status = sg_solve(test_context(), game, mode, n, &options, &result);
    SG_TRACE("%s", sg_last_error(test_context()));
    ASSERT_EQ(status, SG_OK);
    return result;
}

SG_TEST_P(CudaSolve, GivesTheBitsOfTheCpu, solve_case, cases, case_name) {
    need_device();
    sg_game *game = game_of_case(param);
    uint64_t n = scaled(param->n, param->n / 8 + 3);
    sg_solve_options options = options_of(param->layout);
    sg_result *on_device = solve_on(SG_BACKEND_CUDA, game, param->mode, n, &options);
    sg_result *on_cpu = solve_on(SG_BACKEND_CPU, game, param->mode, n, &options);
    EXPECT_EQ(fingerprint_of(on_device), fingerprint_of(on_cpu));
    sg_result_info info = info_of(on_device);
    EXPECT_EQ((int)info.backend, (int)SG_BACKEND_CUDA);
    EXPECT_EQ((int)info.engine, (int)param->layout.engine);
    EXPECT_EQ(info.cold_count, info_of(on_cpu).cold_count);
    if (param->layout.engine == SG_ENGINE_TILE)
        EXPECT_NE((int)info.near, (int)SG_NEAR_AUTO);
    else
        EXPECT_LT(0u, info.shift_or_nodes + info.scatter_nodes + info.convolve_nodes);
    sg_result_destroy(on_device);
    sg_result_destroy(on_cpu);
    sg_game_destroy(game);
}

SG_TEST(CudaSolve, LevelBatchesChangeNothing) {
    need_device();
    static const uint32_t batches[] = {1, 2, 3, 5, 8, 100};
    static const sg_engine engines[] = {SG_ENGINE_SPLIT, SG_ENGINE_CONVOLUTION};
    sg_game *game = game_of_spec("primes");
    uint64_t n = scaled(12007, 3001);
    sg_result *expected = solve(game, SG_MODE_NIM, n, (run_layout){.engine = SG_ENGINE_DP});
    for (size_t e = 0; e < 2; e++)
        for (size_t b = 0; b < sizeof batches / sizeof batches[0]; b++) {
            run_layout layout = {.engine = engines[e], .threshold_pos = 512, .level_batch = batches[b]};
            sg_solve_options options = options_of(layout);
            SG_TRACE("%s", layout_text(layout));
            sg_result *result = solve_on(SG_BACKEND_CUDA, game, SG_MODE_NIM, n, &options);
            EXPECT_EQ(fingerprint_of(result), fingerprint_of(expected));
            EXPECT_EQ(info_of(result).level_batch, (uint64_t)batches[b]);
            sg_result_destroy(result);
        }
    sg_result_destroy(expected);
    sg_game_destroy(game);
}

/* Blocks are long: windows that fill up again and again would give right values, and a device nothing to do at once. */
SG_TEST(CudaSolve, WindowsSeldomFillUp) {
    need_device();
    static const char *const sets[] = {"squares", "triangular", "cubes"};
    uint64_t n = scaled(400009, 100003);
    for (size_t i = 0; i < 3; i++) {
        sg_game *game = game_of_spec(sets[i]);
        sg_solve_options options = options_of((run_layout){.engine = SG_ENGINE_TILE, .near = SG_NEAR_CUDA});
        sg_result *result = solve_on(SG_BACKEND_CUDA, game, SG_MODE_NIM, n, &options);
        sg_kernel_report report = {.struct_size = sizeof report};
        ASSERT_TRUE(sg_result_kernel(result, 0, &report));
        SG_TRACE("%s: %" PRIu64 " launches for far options", sets[i], report.calls);
        EXPECT_STREQ(report.name, "nim_far");
        EXPECT_LE(report.calls, n / 1024 + 8);
        sg_result_destroy(result);
        sg_game_destroy(game);
    }
}

/* The nim-value of a heap is its size when everything may be taken. */
SG_TEST(CudaSolve, NimValuesPastTwoBytesAreWidened) {
    need_device();
#ifdef SG_TEST_EMULATED
    SG_SKIP("two thousand million options take the emulation minutes; test_nim_operators widens by itself");
#endif
    static const sg_near nears[] = {SG_NEAR_CPU, SG_NEAR_CUDA};
    uint64_t n = 67001;
    sg_game *game = game_of_spec("all");
    for (size_t i = 0; i < 2; i++) {
        sg_solve_options options = options_of((run_layout){.engine = SG_ENGINE_TILE, .near = nears[i]});
        sg_result *result = solve_on(SG_BACKEND_CUDA, game, SG_MODE_NIM, n, &options);
        uint32_t *values = values_of_result(result, n);
        for (uint64_t p = 0; p < n; p++)
            ASSERT_EQ(values[p], p);
        EXPECT_EQ(info_of(result).value_bytes, 4u);
        free(values);
        sg_result_destroy(result);
    }
    sg_game_destroy(game);
}

/* With odd members only, all even heap sizes are cold: counts up to n / 4, where single precision cannot be trusted. */
SG_TEST(CudaSolve, ConvolvesInDoublePrecisionWhereSingleIsNotPlannedToBeExact) {
    need_device();
    uint64_t n = (uint64_t)1 << 19;
    uint64_t *members = calloc(n / 2, sizeof *members);
    sg_game *game = NULL;
    for (uint64_t i = 0; i < n / 2; i++)
        members[i] = 2 * i + 1;
    ASSERT_EQ(sg_game_create_from_members(test_context(), members, n / 2, &game), SG_OK);
    sg_solve_options options = options_of((run_layout){.engine = SG_ENGINE_CONVOLUTION, .rows = 1});
    sg_result *result = solve_on(SG_BACKEND_CUDA, game, SG_MODE_COLD, n, &options);
    sg_result_info info = info_of(result);
    EXPECT_EQ(info.cold_count, n / 2);
    EXPECT_LT(info.convolve_float_nodes, info.convolve_nodes);
    EXPECT_LT(0u, info.convolve_float_nodes);
    EXPECT_EQ(info.convolve_redone, 0u);
    sg_result_destroy(result);
    sg_game_destroy(game);
    free(members);
}

SG_TEST(CudaSolve, ReportsWhatItsKernelsDid) {
    need_device();
    sg_game *game = game_of_spec("squares");
    sg_solve_options options = options_of((run_layout){.engine = SG_ENGINE_SPLIT, .rows = 5});
    sg_result *result = solve_on(SG_BACKEND_CUDA, game, SG_MODE_COLD, 300007, &options);
    sg_kernel_report report = {.struct_size = sizeof report};
    sg_result_info info = info_of(result);
    size_t count = 0;
    bool shifts = false, scatters = false;
    for (; sg_result_kernel(result, count, &report); count++) {
        EXPECT_LT(0u, report.calls);
        EXPECT_LT(0u, report.work);
        EXPECT_TRUE(report.seconds >= 0 && report.limit_per_second > 0);
        EXPECT_TRUE(report.name && report.unit);
        shifts |= strcmp(report.name, "shift_or") == 0;
        scatters |= strcmp(report.name, "scatter") == 0;
    }
    EXPECT_TRUE(shifts && scatters);
    EXPECT_LT(0u, info.bytes_to_device);
    EXPECT_LT(0u, info.bytes_from_device);
    EXPECT_LT(0u, info.device_peak_bytes);
    EXPECT_LE(info.device_peak_bytes, info.device_estimated_bytes);
    EXPECT_LE(info.peak_bytes, info.estimated_bytes);
    EXPECT_TRUE(info.fallback == NULL);
    EXPECT_FALSE(sg_result_kernel(result, count, NULL));
    sg_result_destroy(result);
    sg_game_destroy(game);
}

typedef struct short_case {
    const char *name;
    sg_mode mode;
    run_layout layout;
} short_case;

/* Convolutions, whose transforms need more memory than the host's side, and values that stay on the device. */
static const short_case short_cases[] = {
    {"one_row", SG_MODE_COLD, {.engine = SG_ENGINE_CONVOLUTION, .rows = 1}},
    {"three_rows", SG_MODE_COLD, {.engine = SG_ENGINE_CONVOLUTION, .rows = 3}},
    {"tiles", SG_MODE_NIM, {.engine = SG_ENGINE_TILE, .near = SG_NEAR_CUDA}},
};

static const char *short_name(size_t i) {
    return short_cases[i].name;
}

/* What a refusal says must be true: the largest n that it names is solved, and n itself is not. */
SG_TEST_P(CudaMemory, RefusesWithBothNumbersAndTheLargestNThatFits, short_case, short_cases, short_name) {
    need_device();
    sg_game *game = game_of_spec("squares");
    sg_solve_options options = options_of(param->layout);
    sg_estimate estimate = {.struct_size = sizeof estimate};
    sg_result *result = NULL;
    options.backend = SG_BACKEND_CUDA;
    ASSERT_EQ(sg_solve_estimate(test_context(), game, param->mode, 100003, &options, &estimate), SG_OK);
    EXPECT_LT(0u, estimate.device_bytes);
    EXPECT_LT(0u, estimate.device_limit_bytes);
    options.memory_limit_bytes = estimate.device_bytes - 1;
    EXPECT_EQ(sg_solve(test_context(), game, param->mode, 100003, &options, &result), SG_ERROR_MEMORY_LIMIT);
    const char *text = sg_last_error(test_context());
    char needed[64], available[64];
    snprintf(needed, sizeof needed, "%" PRIu64 " bytes of device memory", estimate.device_bytes);
    snprintf(available, sizeof available, "%" PRIu64 " are available", options.memory_limit_bytes);
    SG_TRACE("%s", text);
    EXPECT_TRUE(strstr(text, needed) && strstr(text, available));
    const char *largest = strstr(text, "largest n that fits is ");
    ASSERT_TRUE(largest != NULL);
    uint64_t n = strtoull(largest + strlen("largest n that fits is "), NULL, 10);
    EXPECT_LT(n, 100003u);
    EXPECT_LT(50000u, n);
    EXPECT_EQ(sg_solve(test_context(), game, param->mode, n, &options, &result), SG_OK);
    sg_result_info info = info_of(result);
    EXPECT_LE(info.device_peak_bytes, info.device_estimated_bytes);
    EXPECT_LE(info.peak_bytes, info.estimated_bytes);
    sg_result_destroy(result);
    sg_game_destroy(game);
}

typedef struct refusal {
    const char *name;
    sg_mode mode;
    sg_engine engine;
    const char *says;
} refusal;

static const refusal refusals[] = {{"dp", SG_MODE_COLD, SG_ENGINE_DP, "cannot run engine 'dp'"},
                                   {"sieve", SG_MODE_COLD, SG_ENGINE_SIEVE, "cannot run engine 'sieve'"},
                                   {"dp_nim", SG_MODE_NIM, SG_ENGINE_DP, "can: auto, tile, split, convolution"},
                                   {"remoteness", SG_MODE_REMOTENESS, SG_ENGINE_AUTO, "mode 'remoteness'"}};

static const char *refusal_name(size_t i) {
    return refusals[i].name;
}

SG_TEST_P(CudaSolve, RefusesWhatOnlyTheCpuCanDo, refusal, refusals, refusal_name) {
    need_device();
    sg_game *game = game_of_spec("squares");
    sg_solve_options options = options_of((run_layout){.engine = param->engine});
    sg_result *result = NULL;
    options.backend = SG_BACKEND_CUDA;
    EXPECT_EQ(sg_solve(test_context(), game, param->mode, 1000, &options, &result), SG_ERROR_UNSUPPORTED);
    EXPECT_TRUE(strstr(sg_last_error(test_context()), param->says) != NULL);
    sg_game_destroy(game);
}

SG_TEST(CudaSolve, TinyGamesNeedNoNode) {
    need_device();
    sg_game *game = game_of_spec("{1,3}");
    sg_solve_options options = options_of((run_layout){.engine = SG_ENGINE_SPLIT});
    for (uint64_t n = 0; n < 40; n++) {
        sg_result *result = solve_on(SG_BACKEND_CUDA, game, SG_MODE_COLD, n, &options);
        EXPECT_EQ(info_of(result).cold_count, (n + 1) / 2);
        sg_result_destroy(result);
    }
    sg_game_destroy(game);
}

static bool stop_early(void *user, const sg_progress *progress) {
    (void)user;
    return progress->fraction < 0.3;
}

/* The callback comes every 50 ms, so that a solve must last a little. */
SG_TEST(CudaSolve, StopsWhenTheCallbackSaysSo) {
    need_device();
#ifdef SG_TEST_EMULATED
    uint64_t tiled_n = 400009;
#else
    uint64_t tiled_n = UINT64_C(1) << 26;
#endif
    sg_game *game = game_of_spec("squares");
    sg_solve_options options = options_of((run_layout){.engine = SG_ENGINE_SPLIT, .threshold_pos = 256});
    sg_result *result = NULL;
    options.backend = SG_BACKEND_CUDA;
    options.progress = stop_early;
    EXPECT_EQ(sg_solve(test_context(), game, SG_MODE_COLD, 1000003, &options, &result), SG_ERROR_CANCELLED);
    options.progress = NULL;
    options.progress = stop_early;
    options.engine = SG_ENGINE_TILE;
    EXPECT_EQ(sg_solve(test_context(), game, SG_MODE_NIM, tiled_n, &options, &result), SG_ERROR_CANCELLED);
    options.progress = NULL;
    options.engine = SG_ENGINE_SPLIT;
    sg_result *again = solve_on(SG_BACKEND_CUDA, game, SG_MODE_COLD, 1000, &options);
    sg_result_destroy(again);
    sg_game_destroy(game);
}
