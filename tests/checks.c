#include "checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

static sg_context *the_context;

static void destroy_the_context(void) {
    sg_context_destroy(the_context);
}

sg_context *test_context(void) {
    if (!the_context) {
        ASSERT_EQ(sg_context_create(&the_context), SG_OK);
        atexit(destroy_the_context);
    }
    return the_context;
}

void end_without_device(const char *reason) {
    const char *required = getenv("SUBGAME_REQUIRE_DEVICE");
    SG_TRACE("%s", reason);
    ASSERT_FALSE(required && *required == '1');
    SG_SKIP("%s", reason);
}

static bool device_is_there(void) {
    uint32_t count;
    return sg_device_count(test_context(), SG_BACKEND_CUDA, &count) == SG_OK;
}

void need_device(void) {
    if (!device_is_there())
        end_without_device(sg_last_error(test_context()));
}

bool last_error_has(const char *text) {
    return strstr(sg_last_error(test_context()), text) != NULL;
}

void expect_well_formed_error(void) {
    const char *text = sg_last_error(test_context());
    size_t length = strlen(text);
    ASSERT_TRUE(length > 0);
    EXPECT_FALSE(strchr(text, '\n'));
    EXPECT_NE(text[length - 1], '.');
}

sg_game *game_of_spec(const char *spec) {
    sg_game *game = NULL;
    sg_status status = sg_game_create(test_context(), spec, &game);
    if (status != SG_OK) {
        SG_TRACE("set %s: %s", spec, sg_last_error(test_context()));
        ASSERT_EQ(status, SG_OK);
    }
    return game;
}

sg_game *game_of(const random_game *random) {
    const oracle_game *oracle = &random->oracle;
    sg_game *game = NULL;
    if (random->spec[0])
        game = game_of_spec(random->spec);
    else
        ASSERT_EQ(sg_game_create_from_members(test_context(), oracle->members.items, oracle->members.count, &game),
                  SG_OK);
    if (oracle->hotspots.count)
        ASSERT_EQ(
            sg_game_set_hotspots_from_members(test_context(), game, oracle->hotspots.items, oracle->hotspots.count),
            SG_OK);
    if (oracle->misere)
        ASSERT_EQ(sg_game_set_play(test_context(), game, SG_PLAY_MISERE), SG_OK);
    return game;
}

static sg_backend engine_test_backend(sg_engine engine) {
#ifdef SG_TEST_BACKEND_CUDA
    bool on_device = engine == SG_ENGINE_SPLIT || engine == SG_ENGINE_CONVOLUTION || engine == SG_ENGINE_TILE;
    return on_device ? SG_BACKEND_CUDA : SG_BACKEND_CPU;
#else
    (void)engine;
    return SG_BACKEND_CPU;
#endif
}

sg_solve_options options_of(run_layout layout) {
    sg_solve_options options;
    sg_solve_options_init(&options);
    options.engine = layout.engine;
    options.rows = layout.rows;
    options.base_threshold_pos = layout.threshold_pos;
    options.threads = layout.threads;
    options.level_batch = layout.level_batch;
    options.near = layout.near;
    options.backend = engine_test_backend(layout.engine);
    return options;
}

const char *layout_text(run_layout layout) {
    static char texts[2][160];
    static int next;
    char *text = texts[next ^= 1];
    snprintf(text, sizeof texts[0],
             "engine %s, rows %" PRIu64 ", threshold %" PRIu64 ", threads %" PRIu32 ", level batch %" PRIu32
             ", near %s",
             sg_engine_name(layout.engine), layout.rows, layout.threshold_pos, layout.threads, layout.level_batch,
             sg_near_name(layout.near));
    return text;
}

sg_status try_solve(const sg_game *game, sg_mode mode, uint64_t n, const sg_solve_options *options) {
    sg_result *result = NULL;
    sg_status status = sg_solve(test_context(), game, mode, n, options, &result);
    EXPECT_EQ(result != NULL, status == SG_OK); /* outputs are written on success only */
    sg_result_destroy(result);
    return status;
}

sg_result *solve(const sg_game *game, sg_mode mode, uint64_t n, run_layout layout) {
    sg_solve_options options = options_of(layout);
    sg_result *result = NULL;
    if (options.backend == SG_BACKEND_CUDA)
        need_device();
    sg_status status = sg_solve(test_context(), game, mode, n, &options, &result);
    if (status != SG_OK) {
        SG_TRACE("%s of %s, n = %" PRIu64 ", %s: %s", sg_mode_name(mode), sg_game_set_name(game), n,
                 layout_text(layout), sg_last_error(test_context()));
        ASSERT_EQ(status, SG_OK);
    }
    return result;
}

sg_result *solve_spec(const char *spec, sg_mode mode, uint64_t n, run_layout layout) {
    sg_game *game = game_of_spec(spec);
    sg_result *result = solve(game, mode, n, layout);
    sg_game_destroy(game);
    return result;
}

size_t engines_of(sg_mode mode, sg_engine engines[8]) {
    static const sg_engine cold[] = {SG_ENGINE_AUTO, SG_ENGINE_DP, SG_ENGINE_SIEVE, SG_ENGINE_SPLIT,
                                     SG_ENGINE_CONVOLUTION};
    static const sg_engine nim[] = {SG_ENGINE_AUTO, SG_ENGINE_DP, SG_ENGINE_TILE, SG_ENGINE_SPLIT,
                                    SG_ENGINE_CONVOLUTION};
    const sg_engine *candidates = mode == SG_MODE_NIM ? nim : cold;
    size_t candidate_count = mode == SG_MODE_REMOTENESS ? 2 : 5, count = 0;
    for (size_t i = 0; i < candidate_count; i++)
        engines[count++] = candidates[i];
    return count;
}

run_layout random_layout(rng *random, sg_engine engine, uint64_t n) {
    static const uint64_t rows[] = {0, 1, 1, 2, 3, 5, 7, 13, 64, 65, 100, 325};
    static const uint64_t thresholds[] = {0, 1, 2, 3, 63, 64, 65, 511, 512, 4096, 65536};
    static const uint32_t batches[] = {0, 1, 2, 3, 8};
    for (;;) {
        run_layout layout = {engine,
                             rows[rng_below(random, sizeof rows / sizeof rows[0])],
                             thresholds[rng_below(random, sizeof thresholds / sizeof thresholds[0])],
                             (uint32_t)rng_between(random, 1, 3),
                             batches[rng_below(random, 5)],
                             (sg_near)rng_below(random, 3)};
        uint64_t least_block = layout.threshold_pos > layout.rows ? layout.threshold_pos : layout.rows;
        uint64_t row_pairs = (layout.rows * layout.rows + 1) * (n / (least_block + 1) + 1);
#ifdef SG_TEST_BACKEND_CUDA
        uint64_t bound = scaled(10000, 2000); /* a node takes several launches, however short it is */
#else
        uint64_t bound = engine == SG_ENGINE_CONVOLUTION ? scaled(40000, 10000) : scaled(2000000, 200000);
#endif
        if (row_pairs <= bound)
            return layout;
    }
}

uint8_t *cold_flags(const sg_result *result, uint64_t n) {
    uint8_t *flags = calloc(n + 1, 1), *bits = calloc(n / 8 + 1, 1);
    ASSERT_TRUE(flags && bits);
    ASSERT_EQ(sg_result_cold_bits(result, 0, n, bits), SG_OK);
    for (uint64_t p = 0; p < n; p++)
        flags[p] = bits[p / 8] >> p % 8 & 1;
    free(bits);
    return flags;
}

uint32_t *values_of_result(const sg_result *result, uint64_t n) {
    uint32_t *values = calloc(n + 1, sizeof *values);
    ASSERT_TRUE(values);
    if (info_of(result).mode == SG_MODE_NIM)
        ASSERT_EQ(sg_result_nim(result, 0, n, values), SG_OK);
    else
        ASSERT_EQ(sg_result_remoteness(result, 0, n, values), SG_OK);
    return values;
}

sg_result_info info_of(const sg_result *result) {
    sg_result_info info = {.struct_size = sizeof info};
    ASSERT_EQ(sg_result_get_info(result, &info), SG_OK);
    return info;
}

uint64_t xxh3_of(const void *bytes, size_t count) {
    return XXH3_64bits(bytes, count);
}

static void expect_raw(const sg_result *result, const uint8_t *expected, uint64_t count) {
    ASSERT_EQ(sg_result_raw_bytes(result), count);
    uint8_t *actual = malloc(count + 1);
    ASSERT_TRUE(actual);
    actual[count] = 0xA5;
    EXPECT_EQ(sg_result_raw(result, 0, count, actual), SG_OK);
    EXPECT_EQ(actual[count], 0xA5);
    EXPECT_MEMEQ(actual, expected, count);
    uint64_t fingerprint = 0;
    EXPECT_EQ(sg_result_fingerprint(result, &fingerprint), SG_OK);
    EXPECT_EQ(fingerprint, xxh3_of(expected, count));
    free(actual);
}

void expect_cold(const sg_result *result, const uint8_t *cold, uint64_t n) {
    uint8_t *bits = calloc(n / 8 + 1, 1);
    ASSERT_TRUE(bits);
    uint64_t cold_count = 0;
    for (uint64_t p = 0; p < n; p++) {
        bits[p / 8] |= (uint8_t)(cold[p] << p % 8);
        cold_count += cold[p];
    }
    expect_raw(result, bits, (n + 7) / 8);
    EXPECT_EQ(sg_result_raw_value_bytes(result), 0);
    EXPECT_EQ(info_of(result).cold_count, cold_count);
    EXPECT_EQ(info_of(result).n, n);
    free(bits);
}

void expect_values(const sg_result *result, const uint32_t *values, uint64_t n) {
    uint32_t max_value = 0;
    uint64_t max_value_at = 0;
    for (uint64_t p = 0; p < n; p++)
        if (values[p] > max_value) {
            max_value = values[p];
            max_value_at = p;
        }
    uint32_t width = max_value > 65535 ? 4 : 2;
    uint8_t *raw = malloc(n * width + 1);
    ASSERT_TRUE(raw);
    for (uint64_t p = 0; p < n; p++)
        for (uint32_t byte = 0; byte < width; byte++)
            raw[p * width + byte] = (uint8_t)(values[p] >> 8 * byte);
    expect_raw(result, raw, n * width);
    sg_result_info info = info_of(result);
    EXPECT_EQ(sg_result_raw_value_bytes(result), width);
    EXPECT_EQ(info.max_value, max_value);
    EXPECT_EQ(info.max_value_at, max_value_at);
    EXPECT_EQ(info.n, n);
    free(raw);
}

uint64_t fingerprint_of(const sg_result *result) {
    uint64_t fingerprint = 0;
    EXPECT_EQ(sg_result_fingerprint(result, &fingerprint), SG_OK);
    return fingerprint;
}

sg_game *game_of_case(const solve_case *row) {
    sg_game *game = game_of_spec(row->set);
    if (row->hotspots)
        ASSERT_EQ(sg_game_set_hotspots(test_context(), game, row->hotspots), SG_OK);
    return game;
}
