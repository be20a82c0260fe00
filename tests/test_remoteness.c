/* Remoteness: the winner hurries, the loser delays. Every family, play convention and hotspot kind against the oracle.
 */
#include "checks.h"

#include <inttypes.h>
#include <stdlib.h>

static const char families[FAMILY_COUNT]; /* one parameter a family; only the index matters */

static size_t family_of(const char *param) {
    return (size_t)(param - families);
}

static void check_remoteness(const random_game *drawn, uint64_t n, sg_engine engine, uint32_t threads) {
    sg_game *game = game_of(drawn);
    uint32_t *expected = calloc(n + 1, sizeof *expected);
    uint8_t *cold = calloc(n + 1, 1);
    ASSERT_TRUE(expected && cold);
    oracle_remoteness(&drawn->oracle, n, expected);
    oracle_cold(&drawn->oracle, n, cold);
    SG_TRACE("%s, %zu hotspots, %s play, n = %" PRIu64 ", engine %s", sg_game_set_name(game),
             drawn->oracle.hotspots.count, drawn->oracle.misere ? "misere" : "normal", n, sg_engine_name(engine));
    sg_result *result = solve(game, SG_MODE_REMOTENESS, n, (run_layout){.engine = engine, .threads = threads});
    expect_values(result, expected, n);
    uint32_t *values = values_of_result(result, n);
    EXPECT_MEMEQ(values, expected, n * sizeof *values);
    uint8_t *flags = cold_flags(result, n);
    EXPECT_MEMEQ(flags, cold, n);
    uint64_t cold_count = 0;
    for (uint64_t p = 0; p < n; p++)
        cold_count += cold[p];
    EXPECT_EQ(info_of(result).cold_count, cold_count);
    uint64_t heap = 0, from = 0;
    for (uint64_t p = 0; p < n; p++)
        if (cold[p]) {
            ASSERT_TRUE(sg_result_next_cold(result, from, &heap));
            ASSERT_EQ(heap, p);
            from = heap + 1;
        }
    EXPECT_FALSE(sg_result_next_cold(result, from, &heap));
    free(flags);
    free(values);
    free(cold);
    free(expected);
    sg_result_destroy(result);
    sg_game_destroy(game);
}

static const uint64_t sizes[] = {0, 1, 2, 63, 64, 65, 511, 513, 1024, 1500};

SG_TEST_P(Remoteness, NormalPlayIsTheOracles, char, families, family_name) {
    rng random = {10 + family_of(param)};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        random_game drawn = random_game_make(&random, family_of(param), sizes[i] + 2);
        check_remoteness(&drawn, sizes[i], i % 2 ? SG_ENGINE_DP : SG_ENGINE_AUTO, (uint32_t)(1 + i % 3));
        random_game_free(&drawn);
    }
}

SG_TEST_P(Remoteness, MiserePlayIsTheOracles, char, families, family_name) {
    rng random = {20 + family_of(param)};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        random_game drawn = random_game_make(&random, family_of(param), sizes[i] + 2);
        drawn.oracle.misere = true;
        check_remoteness(&drawn, sizes[i], i % 2 ? SG_ENGINE_AUTO : SG_ENGINE_DP, (uint32_t)(1 + i % 3));
        random_game_free(&drawn);
    }
}

SG_TEST_P(Remoteness, WithHotspotsIsTheOracles, char, families, family_name) {
    rng random = {30 + family_of(param)};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        random_game drawn = random_game_make(&random, family_of(param), sizes[i] + 2);
        hotspot_kind kind = (hotspot_kind)(1 + i % (HOTSPOT_KINDS - 1));
        random_game_set_hotspots(&random, &drawn, kind, sizes[i]);
        check_remoteness(&drawn, sizes[i], SG_ENGINE_AUTO, (uint32_t)(1 + i % 3));
        random_game_free(&drawn);
    }
}

/* A game that the winner ends: he makes the first and the last move of an odd number. */
SG_TEST_P(Remoteness, IsOddExactlyForHotHeapsInNormalPlay, char, families, family_name) {
    rng random = {40 + family_of(param)};
    uint64_t n = scaled(6000, 2000);
    random_game drawn = random_game_make(&random, family_of(param), n);
    sg_game *game = game_of(&drawn);
    sg_result *remoteness = solve(game, SG_MODE_REMOTENESS, n, (run_layout){0});
    sg_result *outcome = solve(game, SG_MODE_COLD, n, (run_layout){0});
    uint32_t *values = values_of_result(remoteness, n);
    uint8_t *cold = cold_flags(outcome, n);
    uint64_t wrong = 0;
    for (uint64_t p = 0; p < n; p++)
        wrong += (values[p] % 2 == 0) != cold[p];
    EXPECT_EQ(wrong, UINT64_C(0));
    free(values);
    free(cold);
    sg_result_destroy(remoteness);
    sg_result_destroy(outcome);
    sg_game_destroy(game);
    random_game_free(&drawn);
}

/* {1}: one move a token, so remoteness is the heap size; past 255 and past 65535 the values widen. */
SG_TEST(Remoteness, OfTakingOneIsTheHeapSizeAtEveryWidth) {
    static const uint64_t counts[] = {256, 257, 65536, 65537, 70000};
    for (size_t i = 0; i < 5; i++) {
        uint64_t n = counts[i];
        sg_result *result = solve_spec("{1}", SG_MODE_REMOTENESS, n, (run_layout){0});
        uint32_t *expected = calloc(n, sizeof *expected);
        ASSERT_TRUE(expected);
        for (uint64_t p = 0; p < n; p++)
            expected[p] = (uint32_t)p;
        expect_values(result, expected, n);
        free(expected);
        sg_result_destroy(result);
    }
}
