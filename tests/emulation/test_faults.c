/* What only an emulated device can show: the same bits whatever the order of threads, blocks and streams; every CUDA
 * and cuFFT call failing in turn; devices that are missing, old, small, or compute wrong. */
#include "checks.h"
#include "emulation.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Together these make every kind of call and launch every kernel. */
static const solve_case solves[] = {
    {"split", "squares", NULL, SG_MODE_COLD, 6007, {.engine = SG_ENGINE_SPLIT, .rows = 5, .threshold_pos = 500}},
    {"hotspots", "triangular", "cubes", SG_MODE_COLD, 5003, {.engine = SG_ENGINE_SPLIT, .threshold_pos = 600}},
    {"levels", "primes", NULL, SG_MODE_NIM, 3001, {.engine = SG_ENGINE_SPLIT, .threshold_pos = 512, .level_batch = 3}},
    {"convolution",
     "random{7,1/4}",
     "{9,77}",
     SG_MODE_COLD,
     5003,
     {.engine = SG_ENGINE_CONVOLUTION, .threshold_pos = 600}},
    {"convolved_levels",
     "primes",
     NULL,
     SG_MODE_NIM,
     2003,
     {.engine = SG_ENGINE_CONVOLUTION, .rows = 2, .threshold_pos = 600}},
    {"tiles", "squares", NULL, SG_MODE_NIM, 3001, {.engine = SG_ENGINE_TILE, .near = SG_NEAR_CUDA}},
    {"tiles_near_cpu", "squares", NULL, SG_MODE_NIM, 3001, {.engine = SG_ENGINE_TILE, .near = SG_NEAR_CPU}},
    {"stuck_tiles", "all", NULL, SG_MODE_NIM, 601, {.engine = SG_ENGINE_TILE}},
};

static const char *solve_name(size_t i) {
    return solves[i].name;
}

/* Calls that the last solve made. */
static uint64_t calls_of_solve;

/* Solves in a context of its own, which has its device checked, or in a given one. No call fails once it is solved. */
static sg_status solve_in(sg_context *context, const sg_game *game, const solve_case *param, uint32_t device,
                          uint64_t *fingerprint) {
    sg_solve_options options = options_of(param->layout);
    sg_result *result = NULL;
    options.backend = SG_BACKEND_CUDA;
    options.device = device;
    sg_status status = sg_solve(context, game, param->mode, param->n, &options, &result);
    calls_of_solve = emu_calls();
    if (status == SG_OK) {
        emu_fail_call(0, 0);
        EXPECT_EQ(sg_result_fingerprint(result, fingerprint), SG_OK);
    }
    sg_result_destroy(result);
    return status;
}

static uint64_t expected_of(const sg_game *game, const solve_case *param) {
    sg_result *result = solve(game, param->mode, param->n, (run_layout){.engine = SG_ENGINE_DP});
    uint64_t fingerprint = fingerprint_of(result);
    sg_result_destroy(result);
    return fingerprint;
}

static void expect_nothing_left(void) {
    emu_resources live;
    emu_live(&live);
    EXPECT_EQ(live.device_bytes, 0u);
    EXPECT_EQ(live.pinned_bytes, 0u);
    EXPECT_EQ(live.streams, 0u);
    EXPECT_EQ(live.events, 0u);
    EXPECT_EQ(live.plans, 0u);
}

SG_TEST_P(CudaSchedule, ChangesNoBit, solve_case, solves, solve_name) {
    sg_game *game = game_of_case(param);
    uint64_t expected = expected_of(game, param), fingerprint = 0;
    for (int progress = EMU_EAGER; progress <= EMU_RANDOM; progress++)
        for (int order = EMU_FORWARD; order <= EMU_SHUFFLED; order++)
            for (uint64_t seed = 1; seed <= (order == EMU_SHUFFLED ? scaled(8, 2) : 1); seed++) {
                SG_TRACE("progress %d, order %d, seed %" PRIu64, progress, order, seed);
                emu_reset();
                emu_seed(seed);
                emu_order((emu_thread_order)order);
                emu_async((emu_progress)progress);
                EXPECT_EQ(solve_in(test_context(), game, param, 0, &fingerprint), SG_OK);
                EXPECT_EQ(fingerprint, expected);
                EXPECT_STREQ(emu_last_report(), "");
                expect_nothing_left();
            }
    emu_reset();
    sg_game_destroy(game);
}

/* Each call in turn: a status that fits, a text that names the call and where it stands, nothing left behind, and a
 * context that solves as before. */
SG_TEST_P(CudaFaults, EveryFailingCallIsReportedAndLeavesNothing, solve_case, solves, solve_name) {
    sg_game *game = game_of_case(param);
    uint64_t expected = expected_of(game, param), fingerprint = 0;
    emu_reset();
    EXPECT_EQ(solve_in(test_context(), game, param, 0, &fingerprint), SG_OK); /* checks the device as well */
    emu_fail_call(0, 0);
    EXPECT_EQ(solve_in(test_context(), game, param, 0, &fingerprint), SG_OK);
    uint64_t calls = calls_of_solve, step = scaled(1, 7);
    EXPECT_LT(50u, calls);
    for (uint64_t nth = 1; nth <= calls; nth += step) {
        emu_fail_call(nth, 0);
        sg_status status = solve_in(test_context(), game, param, 0, &fingerprint);
        const char *failed = emu_failed_call();
        SG_TRACE("call %" PRIu64 " of %" PRIu64 ", %s: %s", nth, calls, failed ? failed : "none",
                 sg_last_error(test_context()));
        ASSERT_TRUE(failed != NULL);
        EXPECT_TRUE(status == SG_ERROR_BACKEND || status == SG_ERROR_OUT_OF_MEMORY);
        EXPECT_TRUE(strstr(sg_last_error(test_context()), "failed: ") != NULL ||
                    strstr(sg_last_error(test_context()), failed) != NULL);
        expect_nothing_left();
        emu_fail_call(0, 0);
        if (nth % 16 == 1) {
            EXPECT_EQ(solve_in(test_context(), game, param, 0, &fingerprint), SG_OK);
            EXPECT_EQ(fingerprint, expected);
        }
    }
    emu_reset();
    sg_game_destroy(game);
}

static sg_status read_in(sg_result *result, int what) {
    uint32_t values[100];
    uint64_t numbers[40];
    uint8_t bytes[99];
    switch (what) {
    case 0:
        return sg_result_nim(result, 7, 100, values);
    case 1:
        return sg_result_histogram(result, numbers, 40);
    case 2:
        return sg_result_first_heaps(result, numbers, 40);
    case 3:
        return sg_result_raw(result, 3, 99, bytes);
    default:
        return sg_result_fingerprint(result, numbers);
    }
}

/* Values that stay on the device can fail to come from there, one call after another, and are there again later. */
SG_TEST(CudaFaults, FailuresToReadValuesAreReported) {
    sg_game *game = game_of_spec("squares");
    emu_reset();
    sg_result *result = solve(game, SG_MODE_NIM, 3001, (run_layout){.engine = SG_ENGINE_TILE});
    for (int what = 0; what < 5; what++) {
        emu_fail_call(0, 0);
        EXPECT_EQ(read_in(result, what), SG_OK);
        uint64_t calls = emu_calls();
        EXPECT_LT(3u, calls);
        for (uint64_t nth = 1; nth <= calls; nth++) {
            SG_TRACE("reading %d, call %" PRIu64 " of %" PRIu64, what, nth, calls);
            emu_fail_call(nth, 0);
            sg_status status = read_in(result, what);
            EXPECT_TRUE(status == SG_ERROR_BACKEND || status == SG_ERROR_OUT_OF_MEMORY);
        }
        emu_fail_call(0, 0);
        EXPECT_EQ(read_in(result, what), SG_OK);
    }
    sg_result_destroy(result);
    expect_nothing_left();
    emu_reset();
    sg_game_destroy(game);
}

/* A context that is new has its device checked, by calls that may fail as well. */
SG_TEST(CudaFaults, FailuresOfTheSelfTestAreReported) {
    const solve_case *param = &solves[0];
    sg_game *game = game_of_case(param);
    uint64_t fingerprint = 0, calls = 1, nth = 1;
    emu_reset();
    for (; nth <= calls; nth += scaled(5, 31)) {
        sg_context *context;
        ASSERT_EQ(sg_context_create(&context), SG_OK);
        emu_fail_call(nth == 1 ? UINT64_MAX : nth, 0);
        sg_status status = solve_in(context, game, param, 0, &fingerprint);
        if (nth == 1)
            calls = calls_of_solve;
        SG_TRACE("call %" PRIu64 ": %s", nth, sg_last_error(context));
        /* Random games differ in their number of calls: the last ones may not come. */
        if (emu_failed_call())
            EXPECT_TRUE(status == SG_ERROR_BACKEND || status == SG_ERROR_OUT_OF_MEMORY);
        else
            EXPECT_EQ(status, SG_OK);
        expect_nothing_left();
        sg_context_destroy(context);
    }
    emu_reset();
    sg_game_destroy(game);
}

/* What becomes of a solve with a fresh context on a device that leaves out its nth launch. */
typedef enum verdict { NOTICED, DIED, UNNOTICED } verdict;

static verdict verdict_without_launch(const sg_game *game, uint64_t nth) {
    const solve_case tiny = {.mode = SG_MODE_COLD, .n = 1, .layout = {.engine = SG_ENGINE_SPLIT}};
    uint64_t fingerprint = 0;
    int child_status = 0;
    pid_t child = fork();
    if (child == 0) {
        sg_context *context = NULL;
        if (sg_context_create(&context) != SG_OK)
            _exit(3);
        emu_drop_launch(nth);
        sg_status status = solve_in(context, game, &tiny, 0, &fingerprint);
        _exit(status == SG_OK ? 1 : strstr(sg_last_error(context), "computes wrong") ? 0 : 2);
    }
    EXPECT_EQ(waitpid(child, &child_status, 0), child);
    if (!WIFEXITED(child_status) || WEXITSTATUS(child_status) > 2)
        return DIED; /* a kernel followed what was never written: on a device, an error that stays */
    return WEXITSTATUS(child_status) == 1 ? UNNOTICED : NOTICED;
}

/* A launch that is not done, as on a broken card: whichever it is, the self-test sees it. */
SG_TEST(CudaFaults, TheSelfTestNoticesADeviceThatComputesWrong) {
    sg_game *game = game_of_spec("{1,2}");
    uint64_t verdicts[3] = {0}, nth = 1;
    emu_reset();
    for (uint64_t unnoticed = 0; unnoticed < scaled(16, 4);
         nth += scaled(3, 29)) { /* so many on end: past the last launch */
        verdict seen = verdict_without_launch(game, nth);
        unnoticed = seen == UNNOTICED ? unnoticed + 1 : 0;
        verdicts[seen]++;
    }
    SG_TRACE("%" PRIu64 " noticed, %" PRIu64 " died, %" PRIu64 " unnoticed", verdicts[NOTICED], verdicts[DIED],
             verdicts[UNNOTICED]);
    /* What is unnoticed is a base case outside the node that was not gathered: there the one before it looks right. */
    EXPECT_LT(scaled(20, 2), verdicts[NOTICED]); /* of some 35: random games differ */
    EXPECT_LT(verdicts[UNNOTICED], 2 * verdicts[NOTICED] + scaled(16, 4));
    sg_game_destroy(game);
}

SG_TEST(CudaDevices, SolvesOnADeviceThatIsNotTheDefault) {
    emu_machine machine = emu_default_machine();
    uint64_t fingerprint = 0;
    machine.devices = 3;
    for (size_t i = 0; i < sizeof solves / sizeof solves[0]; i++) {
        sg_game *game = game_of_case(&solves[i]);
        uint64_t expected = expected_of(game, &solves[i]);
        emu_reset();
        emu_set_machine(&machine);
        for (uint32_t device = 0; device < 3; device++) {
            sg_context *context;
            ASSERT_EQ(sg_context_create(&context), SG_OK);
            SG_TRACE("%s on device %" PRIu32, solves[i].name, device);
            EXPECT_EQ(solve_in(context, game, &solves[i], device, &fingerprint), SG_OK);
            EXPECT_EQ(fingerprint, expected);
            expect_nothing_left();
            sg_context_destroy(context);
        }
        EXPECT_EQ(solve_in(test_context(), game, &solves[i], 3, &fingerprint), SG_ERROR_BACKEND);
        EXPECT_TRUE(strstr(sg_last_error(test_context()), "no device 3") != NULL);
        emu_reset();
        sg_game_destroy(game);
    }
}

typedef struct unusable {
    const char *name;
    bool driver;
    int devices;
    int major;
    const char *says;
} unusable;

static const unusable unusables[] = {{"no_driver", false, 1, 9, "cudaGetDeviceCount"},
                                     {"no_device", true, 0, 9, "no CUDA device"},
                                     {"old_device", true, 1, 7, "compute capability 7"}};

static const char *unusable_name(size_t i) {
    return unusables[i].name;
}

SG_TEST_P(CudaDevices, SaysWhyNoneIsUsable, unusable, unusables, unusable_name) {
    emu_machine machine = emu_default_machine();
    sg_game *game = game_of_case(&solves[0]);
    uint64_t fingerprint = 0;
    emu_reset();
    machine.driver = param->driver;
    machine.devices = param->devices;
    machine.major = param->major;
    emu_set_machine(&machine);
    EXPECT_EQ(solve_in(test_context(), game, &solves[0], 0, &fingerprint), SG_ERROR_BACKEND);
    SG_TRACE("%s", sg_last_error(test_context()));
    EXPECT_TRUE(strstr(sg_last_error(test_context()), param->says) != NULL);
    emu_reset();
    sg_game_destroy(game);
}

SG_TEST(CudaDevices, DescribesWhatThereIs) {
    emu_machine machine = emu_default_machine();
    sg_device_info info = {.struct_size = sizeof info};
    uint32_t count = 0;
    emu_reset();
    machine.devices = 2;
    emu_set_machine(&machine);
    EXPECT_EQ(sg_device_count(test_context(), SG_BACKEND_CUDA, &count), SG_OK);
    EXPECT_EQ(count, 2u);
    EXPECT_EQ(sg_device_get_info(test_context(), SG_BACKEND_CUDA, 1, &info), SG_OK);
    EXPECT_EQ(info.capability_major, 9u);
    EXPECT_EQ(info.memory_bytes, machine.memory_bytes);
    EXPECT_EQ(info.processors, (uint32_t)machine.multiprocessors);
    EXPECT_TRUE(strstr(info.name, "EMU") != NULL);
    EXPECT_EQ(sg_device_get_info(test_context(), SG_BACKEND_CUDA, 2, &info), SG_ERROR_BACKEND);
    EXPECT_EQ(sg_device_count(test_context(), SG_BACKEND_AUTO, &count), SG_ERROR_INVALID_ARGUMENT);
    emu_reset();
}

SG_TEST(CudaMemory, FewerLevelsShareARecursionWhereMemoryIsShort) {
    const solve_case *param = &(solve_case){.set = "primes", .mode = SG_MODE_NIM, .n = 12007};
    emu_machine machine = emu_default_machine();
    sg_game *game = game_of_case(param);
    sg_solve_options options = options_of((run_layout){.engine = SG_ENGINE_SPLIT, .rows = 1});
    sg_estimate estimate = {.struct_size = sizeof estimate};
    uint64_t expected = expected_of(game, param), fingerprint = 0;
    sg_result *result = NULL;
    emu_reset();
    options.backend = SG_BACKEND_CUDA;
    ASSERT_EQ(sg_solve_estimate(test_context(), game, param->mode, param->n, &options, &estimate), SG_OK);
    machine.memory_bytes = estimate.device_bytes - 1;
    emu_set_machine(&machine);
    ASSERT_EQ(sg_solve(test_context(), game, param->mode, param->n, &options, &result), SG_OK);
    EXPECT_LT(1u, info_of(result).level_batch);
    EXPECT_LE(info_of(result).device_peak_bytes, machine.memory_bytes);
    EXPECT_EQ(sg_result_fingerprint(result, &fingerprint), SG_OK);
    EXPECT_EQ(fingerprint, expected);
    uint64_t fewer = info_of(result).level_batch;
    sg_result_destroy(result);
    emu_reset();
    ASSERT_EQ(sg_solve(test_context(), game, param->mode, param->n, &options, &result), SG_OK);
    EXPECT_LT(fewer, info_of(result).level_batch);
    sg_result_destroy(result);
    emu_reset();
    sg_game_destroy(game);
}

/* The headline: two bytes a heap size on the device, and no values at all on the host. */
SG_TEST(CudaMemory, NimValuesBelow2To34FitACardOf48GiB) {
    emu_machine machine = emu_default_machine();
    uint64_t n = UINT64_C(1) << 34, card = UINT64_C(48) << 30;
    sg_game *game = game_of_spec("squares");
    sg_solve_options options;
    sg_estimate estimate = {.struct_size = sizeof estimate};
    sg_result *result = NULL;
    sg_solve_options_init(&options);
    options.backend = SG_BACKEND_CUDA;
    emu_reset();
    machine.memory_bytes = card;
    machine.multiprocessors = 132;
    emu_set_machine(&machine);
    ASSERT_EQ(sg_solve_estimate(test_context(), game, SG_MODE_NIM, n, &options, &estimate), SG_OK);
    EXPECT_EQ((int)estimate.engine, (int)SG_ENGINE_TILE);
    EXPECT_LT(2 * n, estimate.device_bytes);
    EXPECT_LT(estimate.device_bytes, card - (UINT64_C(8) << 30));
    EXPECT_LT(estimate.bytes, UINT64_C(3) << 30);
    EXPECT_LT(n, estimate.largest_n);
    machine.memory_bytes = UINT64_C(24) << 30;
    emu_set_machine(&machine);
    EXPECT_EQ(sg_solve(test_context(), game, SG_MODE_NIM, n, &options, &result), SG_ERROR_MEMORY_LIMIT);
    SG_TRACE("%s", sg_last_error(test_context()));
    EXPECT_TRUE(last_error_has("bytes of device memory") && last_error_has("25769803776 are available") &&
                last_error_has("largest n that fits is 12"));
    emu_reset();
    sg_game_destroy(game);
}

/* Rounding that is worse than planned: counts are told from noise by the guard, and the node is done again. */
SG_TEST(CudaGuard, RedoesInDoublePrecisionWhatSinglePrecisionGotWrong) {
    static const solve_case noisy = {
        "noisy", "random{7,1/4}", NULL, SG_MODE_COLD, 20011, {.engine = SG_ENGINE_CONVOLUTION, .threshold_pos = 1000}};
    sg_game *game = game_of_case(&noisy);
    sg_solve_options options = options_of(noisy.layout);
    uint64_t expected = expected_of(game, &noisy), fingerprint = 0;
    sg_result *result = NULL;
    emu_reset();
    EXPECT_EQ(solve_in(test_context(), game, &noisy, 0, &fingerprint), SG_OK); /* checks the device */
    emu_noise(40.0);
    options.backend = SG_BACKEND_CUDA;
    ASSERT_EQ(sg_solve(test_context(), game, noisy.mode, noisy.n, &options, &result), SG_OK);
    EXPECT_LT(0u, info_of(result).convolve_redone);
    EXPECT_EQ(sg_result_fingerprint(result, &fingerprint), SG_OK);
    EXPECT_EQ(fingerprint, expected);
    sg_result_destroy(result);
    emu_reset();
    sg_game_destroy(game);
}
