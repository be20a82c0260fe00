/* Engine, rows, base threshold and threads must not change one bit: every layout against the oracle, for every family
 * of sets, with and without hotspots, under misere play, at heap counts around word, vector, tile and block edges. */
#include "checks.h"

#include <inttypes.h>
#include <stdlib.h>

static const char families[FAMILY_COUNT]; /* one parameter a family; only the index matters */

static size_t family_of(const char *param) {
    return (size_t)(param - families);
}

static const uint64_t edge_sizes[] = {0,   1,   2,   3,   7,    8,    9,    31,   63,   64,   65,   127, 128,
                                      129, 511, 512, 513, 1023, 1024, 1025, 2047, 2049, 4095, 4096, 4097};
enum { EDGE_SIZES = sizeof edge_sizes / sizeof edge_sizes[0] };

static void check_cold(const random_game *random, const sg_game *game, const uint8_t *cold, uint64_t n,
                       run_layout layout) {
    SG_TRACE("cold of %s, %zu hotspots, %s play, n = %" PRIu64 ", %s", sg_game_set_name(game),
             random->oracle.hotspots.count, random->oracle.misere ? "misere" : "normal", n, layout_text(layout));
    sg_result *result = solve(game, SG_MODE_COLD, n, layout);
    expect_cold(result, cold, n);
    sg_result_destroy(result);
}

static void check_nim(const sg_game *game, const uint32_t *nim, uint64_t n, run_layout layout) {
    SG_TRACE("nim of %s, n = %" PRIu64 ", %s", sg_game_set_name(game), n, layout_text(layout));
    sg_result *result = solve(game, SG_MODE_NIM, n, layout);
    expect_values(result, nim, n);
    sg_result_destroy(result);
}

/* The cold set below n is the beginning of the cold set below a larger n: one oracle run serves all sizes of a game.
 * Every hotspot kind and misere play get their turn, a family starting with another one. */
SG_TEST_P(Invariance, ColdBitsAtEdgeSizesAreTheOraclesUnderEveryEngine, char, families, family_name) {
    enum { VARIANTS = HOTSPOT_KINDS + 1 };
    sg_engine engines[8];
    size_t engine_count = engines_of(SG_MODE_COLD, engines);
    uint64_t limit = edge_sizes[EDGE_SIZES - 1];
    rng random = {1000 + family_of(param)};
    for (size_t variant = 0; variant < VARIANTS; variant++) {
        random_game drawn = random_game_make(&random, family_of(param), limit);
        random_game_set_hotspots(&random, &drawn, (hotspot_kind)(variant % HOTSPOT_KINDS), limit);
        drawn.oracle.misere = variant == HOTSPOT_KINDS; /* whose hotspots are none */
        sg_game *game = game_of(&drawn);
        uint8_t *cold = calloc(limit, 1);
        ASSERT_TRUE(cold);
        oracle_cold(&drawn.oracle, limit, cold);
        size_t step = (size_t)scaled(1, 3);
        for (size_t i = variant % step; i < EDGE_SIZES; i += step)
            for (size_t e = 0; e < engine_count; e++)
                check_cold(&drawn, game, cold, edge_sizes[i], random_layout(&random, engines[e], edge_sizes[i]));
        free(cold);
        sg_game_destroy(game);
        random_game_free(&drawn);
    }
}

SG_TEST_P(Invariance, ColdBitsAtRandomSizesAreTheOraclesUnderEveryLayout, char, families, family_name) {
    sg_engine engines[8];
    size_t engine_count = engines_of(SG_MODE_COLD, engines);
    rng random = {2000 + family_of(param)};
    for (size_t round = 0; round < scaled(4, 1); round++) {
        uint64_t limit = rng_between(&random, 3000, scaled(20000, 6000));
        random_game drawn = random_game_make(&random, family_of(param), limit);
        bool misere = rng_chance(&random, 1, 4);
        if (!misere)
            random_game_set_hotspots(&random, &drawn, (hotspot_kind)rng_below(&random, HOTSPOT_KINDS), limit);
        drawn.oracle.misere = misere;
        sg_game *game = game_of(&drawn);
        uint8_t *cold = calloc(limit, 1);
        ASSERT_TRUE(cold);
        oracle_cold(&drawn.oracle, limit, cold);
        for (size_t e = 0; e < engine_count; e++) {
            bool recursive = engines[e] == SG_ENGINE_SPLIT || engines[e] == SG_ENGINE_CONVOLUTION;
            for (size_t i = 0; i < (recursive ? scaled(6, 3) : 2); i++) {
                uint64_t n = i == 0 ? limit : rng_below(&random, limit);
                check_cold(&drawn, game, cold, n, random_layout(&random, engines[e], n));
            }
        }
        free(cold);
        sg_game_destroy(game);
        random_game_free(&drawn);
    }
}

/* The whole product of rows, thresholds and thread counts for one sparse, one dense and one explicit set with hotspots.
 */
SG_TEST(Invariance, ColdBitsAreTheSameForAllRowsThresholdsAndThreads) {
    static const size_t chosen[] = {0 /* squares */, 15 /* random_1_4 */, 22 /* list_sparse */};
    static const uint64_t rows[] = {1, 2, 3, 5, 7, 13, 64, 65, 100, 325};
    static const uint64_t thresholds[] = {1, 2, 3, 63, 64, 65, 511, 512, 4096, 1000000};
    uint64_t n = scaled(1500, 500);
    for (size_t f = 0; f < 3; f++) {
        rng random = {3000 + f};
        random_game drawn = random_game_make(&random, chosen[f], n);
        random_game_set_hotspots(&random, &drawn, f == 2 ? HOTSPOTS_DENSE : HOTSPOTS_NONE, n);
        sg_game *game = game_of(&drawn);
        uint8_t *cold = calloc(n, 1);
        ASSERT_TRUE(cold);
        oracle_cold(&drawn.oracle, n, cold);
        for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
            for (size_t t = 0; t < sizeof thresholds / sizeof thresholds[0]; t++)
                for (uint32_t threads = 1; threads <= 3; threads++) {
                    run_layout layout = {SG_ENGINE_SPLIT, rows[r], thresholds[t], threads, 0, SG_NEAR_AUTO};
                    check_cold(&drawn, game, cold, n, layout);
                    layout.engine = SG_ENGINE_CONVOLUTION;
                    if (rows[r] <= 13 && threads < 3)
                        check_cold(&drawn, game, cold, n, layout);
                }
        free(cold);
        sg_game_destroy(game);
        random_game_free(&drawn);
    }
}

static uint32_t max_of(const uint32_t *values, uint64_t n) {
    uint32_t most = 0;
    for (uint64_t p = 0; p < n; p++)
        most = values[p] > most ? values[p] : most;
    return most;
}

/* Levels cost an outcome solve each, so games with many values are given to them at small sizes only. */
static bool affordable(sg_engine engine, const uint32_t *nim, uint64_t n) {
    if (engine == SG_ENGINE_SPLIT)
        return (max_of(nim, n) + 1) * n <= scaled(400000, 50000);
    if (engine == SG_ENGINE_CONVOLUTION)
        return (max_of(nim, n) + 1) * n <= scaled(60000, 8000);
    return true;
}

SG_TEST_P(Invariance, NimValuesAtEdgeSizesAreTheOraclesUnderEveryEngine, char, families, family_name) {
    sg_engine engines[8];
    size_t engine_count = engines_of(SG_MODE_NIM, engines);
    uint64_t limit = edge_sizes[EDGE_SIZES - 1];
    rng random = {4000 + family_of(param)};
    random_game drawn = random_game_make(&random, family_of(param), limit);
    sg_game *game = game_of(&drawn);
    uint32_t *nim = calloc(limit, sizeof *nim);
    ASSERT_TRUE(nim);
    oracle_nim(&drawn.oracle, limit, nim);
    for (size_t i = 0; i < EDGE_SIZES; i++)
        for (size_t e = 0; e < engine_count; e++)
            if (affordable(engines[e], nim, edge_sizes[i]))
                check_nim(game, nim, edge_sizes[i], random_layout(&random, engines[e], edge_sizes[i]));
    free(nim);
    sg_game_destroy(game);
    random_game_free(&drawn);
}

SG_TEST_P(Invariance, NimValuesAtRandomSizesAreTheOraclesUnderEveryLayout, char, families, family_name) {
    sg_engine engines[8];
    size_t engine_count = engines_of(SG_MODE_NIM, engines);
    rng random = {5000 + family_of(param)};
    for (size_t round = 0; round < scaled(3, 1); round++) {
        uint64_t limit = rng_between(&random, 2000, scaled(12000, 3000));
        random_game drawn = random_game_make(&random, family_of(param), limit);
        sg_game *game = game_of(&drawn);
        uint32_t *nim = calloc(limit, sizeof *nim);
        ASSERT_TRUE(nim);
        oracle_nim(&drawn.oracle, limit, nim);
        for (size_t e = 0; e < engine_count; e++)
            for (size_t i = 0; i < scaled(3, 2); i++) {
                uint64_t n = i == 0 ? limit : rng_below(&random, limit);
                if (affordable(engines[e], nim, n))
                    check_nim(game, nim, n, random_layout(&random, engines[e], n));
            }
        free(nim);
        sg_game_destroy(game);
        random_game_free(&drawn);
    }
}

/* A game read from a specification and the same game from a list of its members must not differ. */
SG_TEST_P(Invariance, SpecificationAndMemberListGiveTheSameFingerprint, char, families, family_name) {
    rng random = {6000 + family_of(param)};
    uint64_t n = 3000;
    random_game drawn = random_game_make(&random, family_of(param), n);
    if (drawn.spec[0]) {
        sg_game *by_spec = game_of(&drawn);
        drawn.spec[0] = 0;
        sg_game *by_list = game_of(&drawn);
        for (int mode = SG_MODE_COLD; mode <= SG_MODE_REMOTENESS; mode++) {
            sg_result *a = solve(by_spec, (sg_mode)mode, n, (run_layout){0});
            sg_result *b = solve(by_list, (sg_mode)mode, n, (run_layout){.engine = SG_ENGINE_DP});
            uint64_t x = 0, y = 1;
            EXPECT_EQ(sg_result_fingerprint(a, &x), SG_OK);
            EXPECT_EQ(sg_result_fingerprint(b, &y), SG_OK);
            EXPECT_EQ(x, y);
            sg_result_destroy(a);
            sg_result_destroy(b);
        }
        sg_game_destroy(by_spec);
        sg_game_destroy(by_list);
    } else {
        /* lists: order and duplicates must not matter */
        sg_game *plain = game_of(&drawn);
        oracle_list *members = &drawn.oracle.members;
        for (size_t i = members->count; i > 0; i--)
            oracle_list_add(members, members->items[rng_below(&random, i)]);
        sg_game *shuffled = game_of(&drawn);
        sg_result *a = solve(plain, SG_MODE_NIM, n, (run_layout){0});
        sg_result *b = solve(shuffled, SG_MODE_NIM, n, (run_layout){0});
        uint64_t x = 0, y = 1;
        EXPECT_EQ(sg_result_fingerprint(a, &x), SG_OK);
        EXPECT_EQ(sg_result_fingerprint(b, &y), SG_OK);
        EXPECT_EQ(x, y);
        sg_result_destroy(a);
        sg_result_destroy(b);
        sg_game_destroy(plain);
        sg_game_destroy(shuffled);
    }
    random_game_free(&drawn);
}

/* Hundreds of thousands of heap sizes: more than one segment of the sieve, nodes that transform. Engines that look at
 * every option are left out where there are too many. */
SG_TEST_P(Invariance, LargerColdSetsAgreeBetweenEngines, char, families, family_name) {
    sg_engine engines[8];
    size_t engine_count = engines_of(SG_MODE_COLD, engines);
    rng random = {7000 + family_of(param)};
    uint64_t n = scaled(500000, 40000) + rng_below(&random, 1000);
    random_game drawn = random_game_make(&random, family_of(param), 1000);
    if (drawn.spec[0]) {
        sg_game *game = game_of(&drawn);
        uint64_t expected = 0, members = 0;
        ASSERT_EQ(sg_game_members(test_context(), game, n, NULL, 0, &members), SG_OK);
        for (size_t e = 0; e < engine_count; e++) {
            bool recurrence = engines[e] == SG_ENGINE_DP || engines[e] == SG_ENGINE_SIEVE;
            if (recurrence && members * n > scaled(2000000000, 200000000))
                continue;
            run_layout layout = {.engine = engines[e]};
            SG_TRACE("n = %" PRIu64 ", %s", n, layout_text(layout));
            sg_result *result = solve(game, SG_MODE_COLD, n, layout);
            uint64_t fingerprint = 0;
            EXPECT_EQ(sg_result_fingerprint(result, &fingerprint), SG_OK);
            if (e == 0)
                expected = fingerprint;
            EXPECT_EQ(fingerprint, expected);
            sg_result_destroy(result);
        }
        sg_game_destroy(game);
    }
    random_game_free(&drawn);
}
