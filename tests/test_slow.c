/* Reference facts at sizes that take from seconds to minutes: every test has Slow in its name and is left out of the
 * quick run. */
#include "checks.h"
#include "facts.h"

#include <inttypes.h>
#include <stdlib.h>

static const sg_engine cold_engines[] = {SG_ENGINE_AUTO, SG_ENGINE_DP, SG_ENGINE_SIEVE, SG_ENGINE_SPLIT, 0};
static const char *cold_engine_name(size_t i) {
    return sg_engine_name(cold_engines[i]);
}

static void expect_squares_cold_counts(const sg_result *result, uint64_t n) {
    uint64_t counts[SQUARES_COLD_COUNTS] = {0}, heap;
    for (uint64_t from = 0; sg_result_next_cold(result, from, &heap); from = heap + 1)
        for (size_t i = 0; i < SQUARES_COLD_COUNTS; i++)
            counts[i] += heap < squares_cold_count[i].below;
    for (size_t i = 0; i < SQUARES_COLD_COUNTS; i++)
        if (squares_cold_count[i].below <= n)
            EXPECT_EQ(counts[i], squares_cold_count[i].value);
}

SG_TEST_P(SlowFacts, SquaresColdBelow2To26IsTheKnownSet, sg_engine, cold_engines, cold_engine_name) {
    uint64_t n = UINT64_C(1) << 26;
    sg_result *result = solve_spec("squares", SG_MODE_COLD, n, (run_layout){.engine = *param});
    EXPECT_EQ(fingerprint_of(result), SQUARES_COLD_FINGERPRINT_2_26);
    expect_squares_cold_counts(result, n);
    uint64_t heap, ending_in_6 = 0;
    for (uint64_t from = 0; sg_result_next_cold(result, from, &heap); from = heap + 1)
        ending_in_6 += heap % 10 == 6;
    EXPECT_EQ(ending_in_6, UINT64_C(1));
    sg_result_destroy(result);
}

SG_TEST(SlowFacts, SquaresColdBelow2To24ByConvolutionIsTheKnownSet) {
    uint64_t n = UINT64_C(1) << 24;
    sg_result *result = solve_spec("squares", SG_MODE_COLD, n, (run_layout){.engine = SG_ENGINE_CONVOLUTION});
    EXPECT_EQ(fingerprint_of(result), SQUARES_COLD_FINGERPRINT_2_24);
    expect_squares_cold_counts(result, n);
    sg_result_destroy(result);
}

SG_TEST(SlowFacts, SquaresColdBelow2To26ByConvolutionIsTheKnownSet) {
    uint64_t n = UINT64_C(1) << 26;
    sg_result *result = solve_spec("squares", SG_MODE_COLD, n, (run_layout){.engine = SG_ENGINE_CONVOLUTION});
    EXPECT_EQ(fingerprint_of(result), SQUARES_COLD_FINGERPRINT_2_26);
    sg_result_destroy(result);
}

SG_TEST(SlowFacts, SquaresColdBelow2To28CrowdIntoTheKnownClasses) {
    uint64_t n = UINT64_C(1) << 28, heap;
    sg_result *result = solve_spec("squares", SG_MODE_COLD, n, (run_layout){0});
    uint64_t mod5[5] = {0}, mod7[7] = {0}, fives[5] = {0}, twentyfives[5] = {0};
    for (uint64_t from = 0; sg_result_next_cold(result, from, &heap); from = heap + 1) {
        mod5[heap % 5]++;
        mod7[heap % 7]++;
        fives[heap / 5 % 5]++;
        twentyfives[heap / 25 % 5]++;
    }
    for (size_t i = 0; i < 5; i++) {
        EXPECT_EQ(mod5[i], squares_cold_mod5[i]);
        EXPECT_EQ(fives[i], squares_cold_fives_digit[i]);
        EXPECT_EQ(twentyfives[i], squares_cold_twentyfives_digit[i]);
    }
    for (size_t i = 0; i < 7; i++)
        EXPECT_EQ(mod7[i], squares_cold_mod7[i]);
    sg_result_destroy(result);
}

SG_TEST(SlowFacts, SquaresNimBelow2To22HaveTheKnownMaximum) {
    static const sg_engine engines[] = {SG_ENGINE_AUTO, SG_ENGINE_TILE};
    const fact_maximum *fact = &squares_max_nim[SQUARES_MAX_NIMS - 1];
    for (size_t e = 0; e < 2; e++) {
        sg_result *result = solve_spec("squares", SG_MODE_NIM, fact->below, (run_layout){.engine = engines[e]});
        EXPECT_EQ(info_of(result).max_value, fact->max_nim);
        EXPECT_EQ(info_of(result).max_value_at, fact->at);
        EXPECT_EQ(info_of(result).cold_count, UINT64_C(37783));
        sg_result_destroy(result);
    }
}

SG_TEST(SlowFacts, SquaresNimBelow2To20ByLevelsHaveTheKnownFingerprint) {
    static const sg_engine engines[] = {SG_ENGINE_SPLIT, SG_ENGINE_CONVOLUTION};
    for (size_t e = 0; e < 2; e++) {
        sg_result *result = solve_spec("squares", SG_MODE_NIM, 1 << 20, (run_layout){.engine = engines[e]});
        EXPECT_EQ(fingerprint_of(result), SQUARES_NIM_FINGERPRINT_2_20);
        EXPECT_EQ(info_of(result).levels, UINT64_C(171));
        sg_result_destroy(result);
    }
}

static const sg_engine recurrence_engines[] = {SG_ENGINE_DP, SG_ENGINE_TILE, SG_ENGINE_CONVOLUTION};
static const char *recurrence_engine_name(size_t i) {
    return sg_engine_name(recurrence_engines[i]);
}

SG_TEST_P(SlowFacts, PrimesNimBelow2To19HaveTheKnownCounts, sg_engine, recurrence_engines, recurrence_engine_name) {
    sg_result *result = solve_spec("primes", SG_MODE_NIM, 1 << 19, (run_layout){.engine = *param});
    uint64_t counts[PRIMES_VALUES], heaps[PRIMES_VALUES];
    ASSERT_EQ(sg_result_histogram(result, counts, PRIMES_VALUES), SG_OK);
    ASSERT_EQ(sg_result_first_heaps(result, heaps, PRIMES_VALUES), SG_OK);
    EXPECT_EQ(info_of(result).max_value, (uint64_t)PRIMES_VALUES - 1);
    for (size_t v = 0; v < PRIMES_VALUES; v++) {
        EXPECT_EQ(counts[v], primes_count_by_value[v]);
        EXPECT_EQ(heaps[v], primes_first_heap[v]);
    }
    sg_result_destroy(result);
}

SG_TEST(SlowWidth, ValuesPast65535MakeTheRawFormatU32UnderDp) {
    uint64_t n = 65537;
    sg_result *result = solve_spec("all", SG_MODE_NIM, n, (run_layout){.engine = SG_ENGINE_DP});
    uint32_t *expected = calloc(n, sizeof *expected);
    ASSERT_TRUE(expected);
    for (uint64_t p = 0; p < n; p++)
        expected[p] = (uint32_t)p;
    expect_values(result, expected, n);
    free(expected);
    sg_result_destroy(result);
}

/* Dense sets under forced transforms against the recursion without them, where lengths are large enough that single
 * precision is at its limit; parity and residue structured sets give the largest counts. */
SG_TEST(SlowInvariance, LargeTransformsAgreeWithShiftedOrs) {
    static const char *const specs[] = {"primes", "random{1,1/2}", "random{2,1/64}", "beatty:phi", "{1}", "poly:3*k"};
    for (size_t s = 0; s < 6; s++) {
        SG_TRACE("%s", specs[s]);
        sg_game *game = game_of_spec(specs[s]);
        sg_result *split = solve(game, SG_MODE_COLD, 3000001, (run_layout){.engine = SG_ENGINE_SPLIT});
        sg_result *convolution = solve(game, SG_MODE_COLD, 3000001, (run_layout){.engine = SG_ENGINE_CONVOLUTION});
        EXPECT_EQ(fingerprint_of(split), fingerprint_of(convolution));
        EXPECT_LT(UINT64_C(0), info_of(convolution).convolve_nodes);
        sg_result_destroy(split);
        sg_result_destroy(convolution);
        sg_game_destroy(game);
    }
}

/* Random members = 1 mod 3 with hotspots: cold positions stay many, and so do the coincidences that transforms count.
 */
SG_TEST(SlowInvariance, ResidueStructuredSetsSurviveRounding) {
    uint64_t n = UINT64_C(1) << 21;
    rng random = {77};
    random_game drawn = {0};
    for (uint64_t x = 1; x < n; x += 3)
        if (rng_chance(&random, 1, 2))
            oracle_list_add(&drawn.oracle.members, x);
    sg_game *game = game_of(&drawn);
    sg_result *split = solve(game, SG_MODE_COLD, n, (run_layout){.engine = SG_ENGINE_SPLIT});
    for (uint64_t rows = 1; rows <= 3; rows++) {
        sg_result *result = solve(game, SG_MODE_COLD, n, (run_layout){.engine = SG_ENGINE_CONVOLUTION, .rows = rows});
        EXPECT_EQ(fingerprint_of(split), fingerprint_of(result));
        sg_result_destroy(result);
    }
    sg_result_destroy(split);
    sg_game_destroy(game);
    random_game_free(&drawn);
}
