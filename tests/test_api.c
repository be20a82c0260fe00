/* The contract of sg_solve and its neighbours: what is refused and in which words, memory, progress, cancelling,
 * callbacks, several contexts at once. */
#include "checks.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sg_status try_solve(const sg_game *game, sg_mode mode, uint64_t n, const sg_solve_options *options) {
    sg_result *result = NULL;
    sg_status status = sg_solve(test_context(), game, mode, n, options, &result);
    EXPECT_EQ(result != NULL, status == SG_OK); /* outputs are written on success only */
    sg_result_destroy(result);
    return status;
}

static bool last_error_has(const char *text) {
    return strstr(sg_last_error(test_context()), text) != NULL;
}

static bool last_error_has_number(uint64_t number) {
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, number);
    return last_error_has(text);
}

/* One line without full stop, as the header promises. */
static void expect_well_formed_error(void) {
    const char *text = sg_last_error(test_context());
    size_t length = strlen(text);
    ASSERT_TRUE(length > 0);
    EXPECT_FALSE(strchr(text, '\n'));
    EXPECT_NE(text[length - 1], '.');
}

/* ---------------------------------------------------------------- names and versions */

SG_TEST(Api, VersionIsThatOfTheHeader) {
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", SG_VERSION_MAJOR, SG_VERSION_MINOR, SG_VERSION_PATCH);
    EXPECT_STREQ(sg_version(), version);
}

SG_TEST(Api, StatusValuesArePinned) {
    EXPECT_EQ(SG_OK, 0);
    EXPECT_EQ(SG_ERROR_INVALID_ARGUMENT, 1);
    EXPECT_EQ(SG_ERROR_PARSE, 2);
    EXPECT_EQ(SG_ERROR_UNSUPPORTED, 3);
    EXPECT_EQ(SG_ERROR_MEMORY_LIMIT, 4);
    EXPECT_EQ(SG_ERROR_OUT_OF_MEMORY, 5);
    EXPECT_EQ(SG_ERROR_IO, 6);
    EXPECT_EQ(SG_ERROR_CANCELLED, 7);
    EXPECT_EQ(SG_ERROR_OVERFLOW, 8);
    EXPECT_EQ(SG_ERROR_BACKEND, 9);
    EXPECT_EQ(SG_ERROR_INTERNAL, 10);
}

SG_TEST(Api, EveryEnumValueHasItsOwnName) {
    for (int a = 0; a <= SG_ERROR_INTERNAL; a++)
        for (int b = 0; b < a; b++)
            EXPECT_TRUE(strcmp(sg_status_name((sg_status)a), sg_status_name((sg_status)b)) != 0);
    EXPECT_STREQ(sg_status_name(SG_ERROR_MEMORY_LIMIT), "memory limit");
    EXPECT_TRUE(sg_status_name((sg_status)12345));
    static const char *const engines[] = {"auto", "dp", "tile", "sieve", "split", "convolution", "structure"};
    for (int e = 0; e <= SG_ENGINE_STRUCTURE; e++)
        EXPECT_STREQ(sg_engine_name((sg_engine)e), engines[e]);
    EXPECT_STREQ(sg_engine_name((sg_engine)7), NULL);
    EXPECT_STREQ(sg_mode_name(SG_MODE_COLD), "cold");
    EXPECT_STREQ(sg_mode_name(SG_MODE_NIM), "nim");
    EXPECT_STREQ(sg_mode_name(SG_MODE_REMOTENESS), "remoteness");
    EXPECT_STREQ(sg_mode_name((sg_mode)3), NULL);
    EXPECT_STREQ(sg_backend_name(SG_BACKEND_AUTO), "auto");
    EXPECT_STREQ(sg_backend_name(SG_BACKEND_CPU), "cpu");
    EXPECT_STREQ(sg_backend_name(SG_BACKEND_CUDA), "cuda");
    EXPECT_STREQ(sg_backend_name((sg_backend)3), NULL);
}

/* ---------------------------------------------------------------- contexts and games */

SG_TEST(Api, NewContextHasNoError) {
    sg_context *context = NULL;
    ASSERT_EQ(sg_context_create(&context), SG_OK);
    EXPECT_STREQ(sg_last_error(context), "");
    sg_context_destroy(context);
    sg_context_destroy(NULL);
    EXPECT_EQ(sg_context_create(NULL), SG_ERROR_INVALID_ARGUMENT);
}

SG_TEST(Api, NullPointersAreRefused) {
    sg_game *game = game_of_spec("squares"), *other = NULL;
    sg_result *result = NULL;
    uint64_t member = 1, count;
    bool is_member;
    sg_context *context = test_context();
    EXPECT_EQ(sg_game_create(context, NULL, &other), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_game_create(context, "squares", NULL), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_game_create_from_members(context, NULL, 1, &other), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_game_create_from_members(context, &member, 1, NULL), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_game_create_from_members(context, &member, 0, &other), SG_ERROR_INVALID_ARGUMENT);
    member = 0;
    EXPECT_EQ(sg_game_create_from_members(context, &member, 1, &other), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_game_create_from_callback(context, "none", NULL, NULL, &other), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_game_set_hotspots(context, NULL, "{1}"), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_game_set_hotspots_from_members(context, NULL, &member, 1), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_game_set_hotspots_from_members(context, game, NULL, 1), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_game_set_play(context, NULL, SG_PLAY_MISERE), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_game_set_play(context, game, (sg_play)2), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_game_has_member(context, NULL, 1, &is_member), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_game_has_member(context, game, 1, NULL), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_game_members(context, game, 10, NULL, 1, &count), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_game_members(context, game, 10, &member, 1, NULL), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_solve(context, NULL, SG_MODE_COLD, 10, NULL, &result), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_solve(context, game, SG_MODE_COLD, 10, NULL, NULL), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_solve(context, game, (sg_mode)3, 10, NULL, &result), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_solve_estimate(context, game, SG_MODE_COLD, 10, NULL, NULL), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_FALSE(result);
    EXPECT_FALSE(other);
    EXPECT_EQ(sg_game_play(game), SG_PLAY_NORMAL);
    sg_game_destroy(NULL);
    sg_game_destroy(game);
}

SG_TEST(Api, MembersAreThoseOfTheOracle) {
    for (size_t family = 0; family < FAMILY_COUNT; family++) {
        rng random = {family};
        uint64_t limit = 2000;
        random_game drawn = random_game_make(&random, family, limit);
        if (drawn.spec[0]) {
            SG_TRACE("set %s", drawn.spec);
            sg_game *game = game_of(&drawn);
            oracle_list *expected = &drawn.oracle.members;
            while (expected->count && expected->items[expected->count - 1] >= limit)
                expected->count--;
            uint64_t members[2000], count = 0;
            ASSERT_EQ(sg_game_members(test_context(), game, limit, members, 2000, &count), SG_OK);
            EXPECT_EQ(count, expected->count);
            EXPECT_MEMEQ(members, expected->items, expected->count * sizeof *members);
            /* capacity 0 counts, a small capacity is kept to */
            count = 0;
            EXPECT_EQ(sg_game_members(test_context(), game, limit, NULL, 0, &count), SG_OK);
            EXPECT_EQ(count, expected->count);
            members[1] = 77;
            EXPECT_EQ(sg_game_members(test_context(), game, limit, members, 1, &count), SG_OK);
            EXPECT_EQ(count, expected->count);
            EXPECT_EQ(members[1], UINT64_C(77));
            size_t next = 0;
            for (uint64_t x = 0; x < 200; x++) {
                bool is_member = false, wanted = next < expected->count && expected->items[next] == x;
                next += wanted;
                EXPECT_EQ(sg_game_has_member(test_context(), game, x, &is_member), SG_OK);
                EXPECT_EQ(is_member, wanted);
            }
            sg_game_destroy(game);
        }
        random_game_free(&drawn);
    }
}

SG_TEST(Api, NamesOfAGameAreKept) {
    sg_game *game = game_of_spec("{7,2,4,2}");
    EXPECT_STREQ(sg_game_set_name(game), "{2,4,7}");
    EXPECT_STREQ(sg_game_hotspots_name(game), NULL);
    ASSERT_EQ(sg_game_set_hotspots(test_context(), game, "{9,0}"), SG_OK);
    EXPECT_STREQ(sg_game_hotspots_name(game), "{0,9}");
    ASSERT_EQ(sg_game_set_hotspots_from_members(test_context(), game, NULL, 0), SG_OK);
    EXPECT_STREQ(sg_game_hotspots_name(game), NULL);
    ASSERT_EQ(sg_game_set_play(test_context(), game, SG_PLAY_MISERE), SG_OK);
    EXPECT_EQ(sg_game_play(game), SG_PLAY_MISERE);
    sg_game_destroy(game);
}

/* A failed call leaves the game as it was. */
SG_TEST(Api, RefusedHotspotsLeaveTheOldOnes) {
    sg_game *game = game_of_spec("{1}");
    ASSERT_EQ(sg_game_set_hotspots(test_context(), game, "{3}"), SG_OK);
    EXPECT_NE(sg_game_set_hotspots(test_context(), game, "{3,"), SG_OK);
    expect_well_formed_error();
    EXPECT_STREQ(sg_game_hotspots_name(game), "{3}");
    sg_game_destroy(game);
}

/* ---------------------------------------------------------------- options */

SG_TEST(Api, OptionsStartAsChooseForMe) {
    sg_solve_options options;
    memset(&options, 0x5A, sizeof options);
    sg_solve_options_init(&options);
    EXPECT_EQ(options.struct_size, sizeof options);
    EXPECT_EQ(options.engine, SG_ENGINE_AUTO);
    EXPECT_EQ(options.backend, SG_BACKEND_AUTO);
    EXPECT_EQ(options.threads, 0);
    EXPECT_EQ(options.memory_limit_bytes, UINT64_C(0));
    EXPECT_EQ(options.base_threshold_pos, UINT64_C(0));
    EXPECT_EQ(options.rows, UINT64_C(0));
    EXPECT_FALSE(options.progress);
}

SG_TEST(Api, OptionsOutOfRangeAreRefusedWithTheirNumber) {
    sg_game *game = game_of_spec("squares");
    sg_solve_options options = options_of((run_layout){0});
    options.struct_size = 0;
    EXPECT_EQ(try_solve(game, SG_MODE_COLD, 100, &options), SG_ERROR_INVALID_ARGUMENT);
    options.struct_size = 3;
    EXPECT_EQ(try_solve(game, SG_MODE_COLD, 100, &options), SG_ERROR_INVALID_ARGUMENT);
    options = options_of((run_layout){.threads = 5000});
    EXPECT_EQ(try_solve(game, SG_MODE_COLD, 100, &options), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_TRUE(last_error_has("5000"));
    expect_well_formed_error();
    options = options_of((run_layout){.threads = 1025});
    EXPECT_EQ(try_solve(game, SG_MODE_COLD, 100, &options), SG_ERROR_INVALID_ARGUMENT);
    options = options_of((run_layout){.engine = SG_ENGINE_SPLIT, .rows = 65537});
    EXPECT_EQ(try_solve(game, SG_MODE_COLD, 100, &options), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_TRUE(last_error_has("65537"));
    options = options_of((run_layout){.engine = (sg_engine)7});
    EXPECT_EQ(try_solve(game, SG_MODE_COLD, 100, &options), SG_ERROR_INVALID_ARGUMENT);
    options = options_of((run_layout){0});
    options.backend = (sg_backend)3;
    EXPECT_EQ(try_solve(game, SG_MODE_COLD, 100, &options), SG_ERROR_INVALID_ARGUMENT);
    /* the same through the estimate */
    sg_estimate estimate = {.struct_size = sizeof estimate};
    options = options_of((run_layout){.threads = 5000});
    EXPECT_EQ(sg_solve_estimate(test_context(), game, SG_MODE_COLD, 100, &options, &estimate),
              SG_ERROR_INVALID_ARGUMENT);
    estimate.struct_size = 0;
    EXPECT_EQ(sg_solve_estimate(test_context(), game, SG_MODE_COLD, 100, NULL, &estimate), SG_ERROR_INVALID_ARGUMENT);
    sg_game_destroy(game);
}

/* A program built against a newer header passes a larger struct: what this library does not know of is 0. */
SG_TEST(Api, LargerOptionStructOfANewerProgramIsAccepted) {
    struct {
        sg_solve_options known;
        uint64_t unknown[4];
    } newer = {.known = options_of((run_layout){.threads = 1}), .unknown = {0}};
    newer.known.struct_size = sizeof newer;
    sg_game *game = game_of_spec("squares");
    EXPECT_EQ(try_solve(game, SG_MODE_COLD, 100, &newer.known), SG_OK);
    sg_game_destroy(game);
}

SG_TEST(Api, ExtremesOfTheOptionsThatAreInRangeWork) {
    sg_game *game = game_of_spec("squares");
    oracle_game oracle = {.members = oracle_set("squares", 3000)};
    uint8_t cold[3000];
    oracle_cold(&oracle, 3000, cold);
    static const run_layout layouts[] = {
        {SG_ENGINE_SPLIT, 65536, 0, 1, 0}, {SG_ENGINE_SPLIT, 65536, 1, 1, 0},
        {SG_ENGINE_SPLIT, 3000, 1, 1, 0},  {SG_ENGINE_SPLIT, 1, UINT64_MAX, 1, 0},
        {SG_ENGINE_SPLIT, 0, 0, 64, 0},    {SG_ENGINE_AUTO, 0, 0, 64, 0},
        {SG_ENGINE_DP, 0, 0, 64, 0},       {SG_ENGINE_SIEVE, 0, 0, 64, 0},
    };
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        SG_TRACE("%s", layout_text(layouts[i]));
        sg_result *result = solve(game, SG_MODE_COLD, 3000, layouts[i]);
        expect_cold(result, cold, 3000);
        sg_result_destroy(result);
    }
    oracle_list_free(&oracle.members);
    sg_game_destroy(game);
}

/* ---------------------------------------------------------------- what cannot be served */

SG_TEST(Api, EngineThatCannotServeTheModeIsRefusedAndNeverReplaced) {
    static const struct {
        sg_engine engine;
        sg_mode mode;
    } pairs[] = {
        {SG_ENGINE_TILE, SG_MODE_COLD},
        {SG_ENGINE_SIEVE, SG_MODE_NIM},
        {SG_ENGINE_TILE, SG_MODE_REMOTENESS},
        {SG_ENGINE_SIEVE, SG_MODE_REMOTENESS},
        {SG_ENGINE_SPLIT, SG_MODE_REMOTENESS},
        {SG_ENGINE_CONVOLUTION, SG_MODE_REMOTENESS},
        {SG_ENGINE_STRUCTURE, SG_MODE_COLD},
        {SG_ENGINE_STRUCTURE, SG_MODE_NIM},
        {SG_ENGINE_STRUCTURE, SG_MODE_REMOTENESS},
    };
    sg_game *game = game_of_spec("squares");
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        SG_TRACE("engine %s, mode %s", sg_engine_name(pairs[i].engine), sg_mode_name(pairs[i].mode));
        sg_solve_options options = options_of((run_layout){.engine = pairs[i].engine});
        EXPECT_EQ(try_solve(game, pairs[i].mode, 100, &options), SG_ERROR_UNSUPPORTED);
        EXPECT_TRUE(last_error_has(sg_engine_name(pairs[i].engine)));
        expect_well_formed_error();
        EXPECT_EQ(try_solve(game, pairs[i].mode, 0, &options), SG_ERROR_UNSUPPORTED);
        sg_estimate estimate = {.struct_size = sizeof estimate};
        EXPECT_EQ(sg_solve_estimate(test_context(), game, pairs[i].mode, 100, &options, &estimate),
                  SG_ERROR_UNSUPPORTED);
    }
    sg_game_destroy(game);
}

SG_TEST(Api, CombinationsWithoutMeaningAreRefused) {
    sg_game *game = game_of_spec("squares");
    ASSERT_EQ(sg_game_set_hotspots(test_context(), game, "{5}"), SG_OK);
    EXPECT_EQ(try_solve(game, SG_MODE_NIM, 100, NULL), SG_ERROR_UNSUPPORTED); /* values undefined at hotspots */
    expect_well_formed_error();
    EXPECT_EQ(try_solve(game, SG_MODE_COLD, 100, NULL), SG_OK);
    EXPECT_EQ(try_solve(game, SG_MODE_REMOTENESS, 100, NULL), SG_OK);
    ASSERT_EQ(sg_game_set_play(test_context(), game, SG_PLAY_MISERE), SG_OK);
    EXPECT_EQ(try_solve(game, SG_MODE_COLD, 100, NULL), SG_ERROR_UNSUPPORTED); /* misere and hotspots */
    EXPECT_EQ(try_solve(game, SG_MODE_REMOTENESS, 100, NULL), SG_ERROR_UNSUPPORTED);
    ASSERT_EQ(sg_game_set_hotspots(test_context(), game, NULL), SG_OK);
    EXPECT_EQ(try_solve(game, SG_MODE_NIM, 100, NULL), SG_ERROR_UNSUPPORTED); /* misere and values */
    expect_well_formed_error();
    EXPECT_EQ(try_solve(game, SG_MODE_COLD, 100, NULL), SG_OK);
    EXPECT_EQ(try_solve(game, SG_MODE_REMOTENESS, 100, NULL), SG_OK);
    sg_game_destroy(game);
}

SG_TEST(Api, CudaBackendThatIsNotThereIsABackendError) {
    sg_game *game = game_of_spec("squares");
    sg_solve_options options = options_of((run_layout){0});
    options.backend = SG_BACKEND_CUDA;
    options.device = 999; /* on a machine that has a device, this one is not there */
    EXPECT_EQ(try_solve(game, SG_MODE_COLD, 1000, &options), SG_ERROR_BACKEND);
    expect_well_formed_error();
    options.backend = SG_BACKEND_CPU;
    options.device = 0;
    EXPECT_EQ(try_solve(game, SG_MODE_COLD, 1000, &options), SG_OK);
    sg_game_destroy(game);
}

/* ---------------------------------------------------------------- small n */

SG_TEST(Api, NoHeapsAndOneHeapWorkInEveryModeAndEngine) {
    static const char *const specs[] = {"squares", "{5}", "all", "primes"};
    for (size_t s = 0; s < 4; s++)
        for (int mode = SG_MODE_COLD; mode <= SG_MODE_REMOTENESS; mode++) {
            sg_engine engines[8];
            size_t engine_count = engines_of((sg_mode)mode, engines);
            for (size_t e = 0; e < engine_count; e++) {
                SG_TRACE("%s, mode %s, engine %s", specs[s], sg_mode_name((sg_mode)mode), sg_engine_name(engines[e]));
                sg_result *none = solve_spec(specs[s], (sg_mode)mode, 0, (run_layout){.engine = engines[e]});
                sg_result_info info = info_of(none);
                uint64_t heap, fingerprint = 0;
                EXPECT_EQ(info.n, UINT64_C(0));
                EXPECT_EQ(info.cold_count, UINT64_C(0));
                EXPECT_EQ(info.max_value, UINT64_C(0));
                EXPECT_EQ(sg_result_raw_bytes(none), UINT64_C(0));
                EXPECT_FALSE(sg_result_next_cold(none, 0, &heap));
                EXPECT_EQ(sg_result_fingerprint(none, &fingerprint), SG_OK);
                EXPECT_EQ(fingerprint, UINT64_C(0x2d06800538d394c2)); /* XXH3-64 of nothing */
                sg_result_destroy(none);

                sg_result *one = solve_spec(specs[s], (sg_mode)mode, 1, (run_layout){.engine = engines[e]});
                EXPECT_EQ(info_of(one).cold_count, UINT64_C(1));
                EXPECT_TRUE(sg_result_next_cold(one, 0, &heap));
                EXPECT_EQ(heap, UINT64_C(0));
                EXPECT_EQ(sg_result_raw_bytes(one), mode == SG_MODE_COLD ? 1 : 2);
                uint8_t raw[2] = {9, 9};
                EXPECT_EQ(sg_result_raw(one, 0, sg_result_raw_bytes(one), raw), SG_OK);
                EXPECT_EQ(raw[0], mode == SG_MODE_COLD);
                sg_result_destroy(one);
            }
        }
}

SG_TEST(Api, OneHeapUnderMisereOrAsHotspotIsHot) {
    sg_game *game = game_of_spec("squares");
    ASSERT_EQ(sg_game_set_play(test_context(), game, SG_PLAY_MISERE), SG_OK);
    sg_result *result = solve(game, SG_MODE_COLD, 1, (run_layout){0});
    EXPECT_EQ(info_of(result).cold_count, UINT64_C(0));
    sg_result_destroy(result);
    ASSERT_EQ(sg_game_set_play(test_context(), game, SG_PLAY_NORMAL), SG_OK);
    ASSERT_EQ(sg_game_set_hotspots(test_context(), game, "{0}"), SG_OK);
    result = solve(game, SG_MODE_COLD, 1, (run_layout){0});
    EXPECT_EQ(info_of(result).cold_count, UINT64_C(0));
    sg_result_destroy(result);
    sg_game_destroy(game);
}

/* ---------------------------------------------------------------- memory */

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

static void skip_unless_built(sg_engine engine) {
    if (!engine_is_built(engine))
        SG_SKIP("this build has no %s engine", sg_engine_name(engine));
}

SG_TEST_P(ApiMemory, PeakStaysWithinTheEstimateAndTheEstimateIsNotWild, memory_case, memory_cases, memory_case_name) {
    skip_unless_built(param->engine);
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
    skip_unless_built(param->engine);
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

/* ---------------------------------------------------------------- progress and cancelling */

typedef struct watch {
    uint64_t calls, stop_at; /* stop_at 0: never */
    double last_fraction;
    uint64_t last_done, n;
    pthread_t thread;
    bool out_of_range, fell, other_thread, bad_phase;
} watch;

static bool observe(void *user, const sg_progress *progress) {
    watch *w = user;
    w->calls++;
    w->out_of_range |= !(progress->fraction >= 0 && progress->fraction <= 1);
    w->out_of_range |= progress->done_pos > progress->total_pos || progress->total_pos != w->n;
    w->fell |= progress->fraction < w->last_fraction || progress->done_pos < w->last_done;
    w->other_thread |= !pthread_equal(w->thread, pthread_self());
    w->bad_phase |= !progress->phase || (strcmp(progress->phase, "set") != 0 && strcmp(progress->phase, "solve") != 0 &&
                                         strcmp(progress->phase, "verify") != 0);
    w->last_fraction = progress->fraction;
    w->last_done = progress->done_pos;
    return w->calls != w->stop_at;
}

/* Work of some hundred milliseconds for each engine, so that there is something to report. */
typedef struct progress_case {
    const char *name, *spec;
    sg_mode mode;
    sg_engine engine;
    uint64_t n, small_n;
} progress_case;

static const progress_case progress_cases[] = {
    {"cold_dp", "squares", SG_MODE_COLD, SG_ENGINE_DP, 1 << 22, 1 << 20},
    {"cold_sieve", "squares", SG_MODE_COLD, SG_ENGINE_SIEVE, 1 << 24, 1 << 21},
    {"cold_split", "squares", SG_MODE_COLD, SG_ENGINE_SPLIT, 1 << 24, 1 << 21},
    {"cold_convolution", "random{1,1/4}", SG_MODE_COLD, SG_ENGINE_CONVOLUTION, 1 << 20, 1 << 17},
    {"nim_dp", "squares", SG_MODE_NIM, SG_ENGINE_DP, 1 << 18, 1 << 15},
    {"nim_tile", "squares", SG_MODE_NIM, SG_ENGINE_TILE, 1 << 20, 1 << 17},
    {"nim_split", "primes", SG_MODE_NIM, SG_ENGINE_SPLIT, 1 << 19, 1 << 15},
    {"remoteness_dp", "squares", SG_MODE_REMOTENESS, SG_ENGINE_DP, 1 << 18, 1 << 15},
};

static const char *progress_case_name(size_t i) {
    return progress_cases[i].name;
}

SG_TEST_P(ApiProgress, IsReportedRisingOnTheCallersThread, progress_case, progress_cases, progress_case_name) {
    skip_unless_built(param->engine);
    uint64_t n = scaled(param->n, param->small_n);
    sg_game *game = game_of_spec(param->spec);
    watch w = {.thread = pthread_self(), .n = n};
    sg_solve_options options = options_of((run_layout){.engine = param->engine, .threads = 2});
    options.progress = observe;
    options.progress_user = &w;
    EXPECT_EQ(try_solve(game, param->mode, n, &options), SG_OK);
    EXPECT_LE(UINT64_C(1), w.calls);
    EXPECT_FALSE(w.out_of_range);
    EXPECT_FALSE(w.fell);
    EXPECT_FALSE(w.other_thread);
    EXPECT_FALSE(w.bad_phase);
    sg_game_destroy(game);
}

SG_TEST_P(ApiProgress, CancellingStopsTheSolveAndTheContextGoesOn, progress_case, progress_cases, progress_case_name) {
    skip_unless_built(param->engine);
    uint64_t n = scaled(param->n, param->small_n);
    sg_game *game = game_of_spec(param->spec);
    for (uint64_t stop_at = 1; stop_at <= 2; stop_at++) {
        watch w = {.thread = pthread_self(), .n = n, .stop_at = stop_at};
        sg_solve_options options = options_of((run_layout){.engine = param->engine, .threads = 2});
        options.progress = observe;
        options.progress_user = &w;
        sg_status status = try_solve(game, param->mode, n, &options);
        if (stop_at == 1 || w.calls >= stop_at) { /* a fast machine may be done before the second call */
            EXPECT_EQ(status, SG_ERROR_CANCELLED);
            EXPECT_EQ(w.calls, stop_at); /* not asked again */
        }
        EXPECT_EQ(try_solve(game, param->mode, 1000, NULL), SG_OK);
    }
    sg_game_destroy(game);
}

/* ---------------------------------------------------------------- user callbacks */

typedef struct enumerator {
    const uint64_t *members;
    uint64_t count, calls, restarts;
    pthread_t thread;
    bool other_thread, skipped;
    uint64_t last_index;
} enumerator;

static bool next_member(void *user, uint64_t index, uint64_t *member) {
    enumerator *e = user;
    e->calls++;
    e->restarts += index == 0;
    e->skipped |= index != 0 && index != e->last_index + 1;
    e->last_index = index;
    e->other_thread |= !pthread_equal(e->thread, pthread_self());
    if (index >= e->count)
        return false;
    *member = e->members[index];
    return true;
}

static bool next_square(void *user, uint64_t index, uint64_t *member) {
    (void)user;
    *member = (index + 1) * (index + 1);
    return true;
}

SG_TEST(ApiCallback, EnumeratedSetIsSolvedLikeTheListedOne) {
    static const uint64_t members[] = {2, 4, 7, 100, UINT64_MAX};
    enumerator e = {.members = members, .count = 5, .thread = pthread_self()};
    sg_game *game = NULL;
    ASSERT_EQ(sg_game_create_from_callback(test_context(), "mine", next_member, &e, &game), SG_OK);
    EXPECT_STREQ(sg_game_set_name(game), "mine");
    oracle_game oracle = {.members = {(uint64_t *)(uintptr_t)members, 5}};
    uint32_t nim[3000];
    oracle_nim(&oracle, 3000, nim);
    sg_engine engines[8];
    size_t engine_count = engines_of(SG_MODE_NIM, engines);
    for (size_t i = 0; i < engine_count; i++) {
        uint64_t restarts = e.restarts;
        sg_result *result = solve(game, SG_MODE_NIM, 3000, (run_layout){.engine = engines[i], .threads = 3});
        expect_values(result, nim, 3000);
        EXPECT_LT(restarts, e.restarts); /* enumerated anew at every solve */
        sg_result_destroy(result);
    }
    EXPECT_FALSE(e.other_thread);
    EXPECT_FALSE(e.skipped);
    sg_game_destroy(game);
}

SG_TEST(ApiCallback, InfiniteSetIsEnumeratedAsFarAsNeeded) {
    sg_game *game = NULL;
    ASSERT_EQ(sg_game_create_from_callback(test_context(), "my squares", next_square, NULL, &game), SG_OK);
    sg_engine engines[8];
    size_t engine_count = engines_of(SG_MODE_COLD, engines);
    for (size_t i = 0; i < engine_count; i++) {
        sg_result *result = solve(game, SG_MODE_COLD, 20000, (run_layout){.engine = engines[i]});
        EXPECT_EQ(info_of(result).cold_count, UINT64_C(911));
        sg_result_destroy(result);
    }
    sg_game_destroy(game);
}

SG_TEST(ApiCallback, BrokenOrderOrZeroIsRefusedAndTheContextGoesOn) {
    static const uint64_t falling[] = {3, 2}, repeated[] = {3, 3}, zero_first[] = {0, 1}, zero_later[] = {5, 0};
    static const uint64_t *const sets[] = {falling, repeated, zero_first, zero_later};
    for (size_t i = 0; i < 4; i++)
        for (int mode = SG_MODE_COLD; mode <= SG_MODE_REMOTENESS; mode++) {
            enumerator e = {.members = sets[i], .count = 2, .thread = pthread_self()};
            sg_game *game = NULL;
            ASSERT_EQ(sg_game_create_from_callback(test_context(), "broken", next_member, &e, &game), SG_OK);
            EXPECT_EQ(try_solve(game, (sg_mode)mode, 1000, NULL), SG_ERROR_INVALID_ARGUMENT);
            expect_well_formed_error();
            sg_game_destroy(game);
        }
    sg_game *game = game_of_spec("squares");
    EXPECT_EQ(try_solve(game, SG_MODE_COLD, 1000, NULL), SG_OK);
    sg_game_destroy(game);
}

SG_TEST(ApiCallback, EmptySetLeavesEveryHeapCold) {
    enumerator e = {.count = 0, .thread = pthread_self()};
    sg_game *game = NULL;
    ASSERT_EQ(sg_game_create_from_callback(test_context(), "nothing", next_member, &e, &game), SG_OK);
    for (int mode = SG_MODE_COLD; mode <= SG_MODE_REMOTENESS; mode++) {
        sg_engine engines[8];
        size_t engine_count = engines_of((sg_mode)mode, engines);
        for (size_t i = 0; i < engine_count; i++) {
            sg_result *result = solve(game, (sg_mode)mode, 777, (run_layout){.engine = engines[i]});
            EXPECT_EQ(info_of(result).cold_count, UINT64_C(777));
            EXPECT_EQ(info_of(result).option_count, UINT64_C(0));
            sg_result_destroy(result);
        }
    }
    sg_game_destroy(game);
}

/* ---------------------------------------------------------------- threads */

enum { WORKERS = 4 };

typedef struct worker {
    const sg_game *game; /* shared by all */
    const sg_result *shared;
    uint64_t fingerprints[8], shared_fingerprint;
    uint64_t n;
    int failures;
} worker;

static void *solve_in_own_context(void *argument) {
    worker *w = argument;
    sg_context *context = NULL;
    sg_engine engines[] = {SG_ENGINE_AUTO,  SG_ENGINE_DP,          SG_ENGINE_SIEVE,
                           SG_ENGINE_SPLIT, SG_ENGINE_CONVOLUTION, SG_ENGINE_TILE};
    w->failures += sg_context_create(&context) != SG_OK;
    for (size_t i = 0; i < 6; i++) {
        sg_solve_options options = options_of((run_layout){.engine = engines[i], .threads = 2});
        sg_mode mode = engines[i] == SG_ENGINE_TILE ? SG_MODE_NIM : SG_MODE_COLD;
        sg_result *result = NULL;
        sg_status status = sg_solve(context, w->game, mode, w->n, &options, &result);
        if (status == SG_OK)
            w->failures += sg_result_fingerprint(result, &w->fingerprints[i]) != SG_OK;
        else
            w->failures += status != SG_ERROR_UNSUPPORTED; /* a build without transforms */
        sg_result_destroy(result);
    }
    w->failures += sg_result_fingerprint(w->shared, &w->shared_fingerprint) != SG_OK;
    w->failures += sg_last_error(context) == NULL;
    sg_context_destroy(context);
    return NULL;
}

SG_TEST(ApiThreads, ContextsInParallelShareAGameAndAResultAndAgree) {
    sg_game *game = game_of_spec("squares");
    uint64_t n = scaled(400000, 20000);
    sg_result *shared = solve(game, SG_MODE_COLD, n, (run_layout){0});
    uint64_t expected = 0;
    ASSERT_EQ(sg_result_fingerprint(shared, &expected), SG_OK);
    worker workers[WORKERS];
    pthread_t threads[WORKERS];
    for (size_t i = 0; i < WORKERS; i++) {
        workers[i] = (worker){.game = game, .shared = shared, .n = n};
        ASSERT_EQ(pthread_create(&threads[i], NULL, solve_in_own_context, &workers[i]), 0);
    }
    for (size_t i = 0; i < WORKERS; i++)
        ASSERT_EQ(pthread_join(threads[i], NULL), 0);
    for (size_t i = 0; i < WORKERS; i++) {
        EXPECT_EQ(workers[i].failures, 0);
        EXPECT_EQ(workers[i].shared_fingerprint, expected);
        for (size_t e = 0; e < 4; e++)
            EXPECT_EQ(workers[i].fingerprints[e], expected);
        if (engine_is_built(SG_ENGINE_CONVOLUTION))
            EXPECT_EQ(workers[i].fingerprints[4], expected);
        EXPECT_EQ(workers[i].fingerprints[5], workers[0].fingerprints[5]);
    }
    sg_result_destroy(shared);
    sg_game_destroy(game);
}

/* Errors of one context do not show in another. */
SG_TEST(ApiThreads, ErrorTextsBelongToTheirContext) {
    sg_context *one = NULL, *two = NULL;
    sg_game *game = NULL;
    ASSERT_EQ(sg_context_create(&one), SG_OK);
    ASSERT_EQ(sg_context_create(&two), SG_OK);
    EXPECT_EQ(sg_game_create(one, "nonsense", &game), SG_ERROR_PARSE);
    EXPECT_TRUE(strstr(sg_last_error(one), "nonsense"));
    EXPECT_STREQ(sg_last_error(two), "");
    sg_context_destroy(one);
    sg_context_destroy(two);
}

/* Enough work that every engine's parallel parts run; for the race detector. */
SG_TEST(ApiThreads, ParallelSolvesOfEveryEngineAgreeWithOneThread) {
    static const char *const specs[] = {"squares", "primes", "random{1,1/16}"};
    for (size_t s = 0; s < 3; s++)
        for (int mode = SG_MODE_COLD; mode <= SG_MODE_NIM; mode++) {
            sg_engine engines[8];
            size_t engine_count = engines_of((sg_mode)mode, engines);
            uint64_t n = mode == SG_MODE_COLD ? scaled(1 << 21, 1 << 19) : scaled(1 << 15, 1 << 13);
            sg_game *game = game_of_spec(specs[s]);
            for (size_t e = 0; e < engine_count; e++) {
                bool by_options =
                    engines[e] == SG_ENGINE_DP || engines[e] == SG_ENGINE_SIEVE || engines[e] == SG_ENGINE_TILE;
                uint64_t size = engines[e] == SG_ENGINE_CONVOLUTION ? n / 8 : s > 0 && by_options ? n / 64 : n;
                uint64_t one = 0, four = 1;
                sg_result *a = solve(game, (sg_mode)mode, size, (run_layout){.engine = engines[e], .threads = 1});
                sg_result *b = solve(game, (sg_mode)mode, size, (run_layout){.engine = engines[e], .threads = 4});
                SG_TRACE("%s, mode %s, engine %s", specs[s], sg_mode_name((sg_mode)mode), sg_engine_name(engines[e]));
                EXPECT_EQ(sg_result_fingerprint(a, &one), SG_OK);
                EXPECT_EQ(sg_result_fingerprint(b, &four), SG_OK);
                EXPECT_EQ(one, four);
                sg_result_destroy(a);
                sg_result_destroy(b);
            }
            sg_game_destroy(game);
        }
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
    if (!engine_is_built(param->engine))
        SG_SKIP("this build has no Fourier transform");
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
