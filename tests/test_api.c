/* The contract of sg_solve and its neighbours: names, games, options, what is refused and in which words. */
#include "checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        {SG_ENGINE_SPLIT, 65536, 0, 1, 0, 0}, {SG_ENGINE_SPLIT, 65536, 1, 1, 0, 0},
        {SG_ENGINE_SPLIT, 3000, 1, 1, 0, 0},  {SG_ENGINE_SPLIT, 1, UINT64_MAX, 1, 0, 0},
        {SG_ENGINE_SPLIT, 0, 0, 64, 0, 0},    {SG_ENGINE_AUTO, 0, 0, 64, 0, 0},
        {SG_ENGINE_DP, 0, 0, 64, 0, 0},       {SG_ENGINE_SIEVE, 0, 0, 64, 0, 0},
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
