/* Cold and hot: what theory says of every cold set, whichever engine made it. */
#include "checks.h"

#include <inttypes.h>
#include <stdlib.h>

static const char families[FAMILY_COUNT]; /* one parameter a family; only the index matters */

static size_t family_of(const char *param) {
    return (size_t)(param - families);
}

static uint8_t *cold_of(const sg_game *game, uint64_t n, run_layout layout) {
    sg_result *result = solve(game, SG_MODE_COLD, n, layout);
    uint8_t *cold = cold_flags(result, n);
    sg_result_destroy(result);
    return cold;
}

/* The cold set is a kernel: no move joins two cold heaps, and every hot heap that is no hotspot reaches a cold one. */
SG_TEST_P(Outcome, ColdSetIsIndependentAndMaximal, char, families, family_name) {
    sg_engine engines[8];
    size_t engine_count = engines_of(SG_MODE_COLD, engines);
    rng random = {100 + family_of(param)};
    uint64_t n = scaled(6000, 1500);
    for (size_t e = 0; e < engine_count; e++) {
        random_game drawn = random_game_make(&random, family_of(param), n);
        random_game_set_hotspots(&random, &drawn, e % 2 ? HOTSPOTS_SPARSE : HOTSPOTS_NONE, n);
        const oracle_list *s = &drawn.oracle.members, *h = &drawn.oracle.hotspots;
        sg_game *game = game_of(&drawn);
        uint8_t *cold = cold_of(game, n, (run_layout){.engine = engines[e]});
        uint8_t *excused = calloc(n, 1);
        ASSERT_TRUE(excused);
        for (size_t i = 0; i < h->count; i++)
            if (h->items[i] < n) {
                EXPECT_EQ(cold[h->items[i]], 0);
                excused[h->items[i]] = 1;
            }
        uint64_t joined = 0, stranded = 0;
        for (uint64_t p = 0; p < n; p++) {
            uint64_t cold_options = 0;
            for (size_t i = 0; i < s->count; i++)
                cold_options += s->items[i] <= p && cold[p - s->items[i]];
            joined += cold[p] && cold_options > 0;
            stranded += !cold[p] && !excused[p] && cold_options == 0;
        }
        EXPECT_EQ(joined, UINT64_C(0));
        EXPECT_EQ(stranded, UINT64_C(0));
        free(excused);
        free(cold);
        sg_game_destroy(game);
        random_game_free(&drawn);
    }
}

/* By g(p) = 1 exactly when g(p - min S) = 0 (Ferguson). */
SG_TEST_P(Outcome, MisereColdIsNormalColdShiftedByTheLeastMember, char, families, family_name) {
    sg_engine engines[8];
    size_t engine_count = engines_of(SG_MODE_COLD, engines);
    rng random = {200 + family_of(param)};
    uint64_t n = scaled(5000, 1500);
    for (size_t e = 0; e < engine_count; e++) {
        random_game drawn = random_game_make(&random, family_of(param), n);
        const oracle_list *s = &drawn.oracle.members;
        uint64_t least = s->items[0];
        for (size_t i = 1; i < s->count; i++)
            least = s->items[i] < least ? s->items[i] : least;
        sg_game *game = game_of(&drawn);
        uint8_t *normal = cold_of(game, n, (run_layout){0});
        ASSERT_EQ(sg_game_set_play(test_context(), game, SG_PLAY_MISERE), SG_OK);
        uint8_t *misere = cold_of(game, n, (run_layout){.engine = engines[e]});
        uint64_t wrong = 0;
        for (uint64_t p = 0; p < n; p++)
            wrong += misere[p] != (p >= least && normal[p - least]);
        EXPECT_EQ(wrong, UINT64_C(0));
        free(normal);
        free(misere);
        sg_game_destroy(game);
        random_game_free(&drawn);
    }
}

/* d*S plays on d interleaved copies of S. */
SG_TEST_P(Outcome, ScaledSetPlaysOnInterleavedCopies, char, families, family_name) {
    static const uint64_t scales[] = {2, 3, 7, 64};
    sg_engine engines[8];
    size_t engine_count = engines_of(SG_MODE_COLD, engines);
    rng random = {300 + family_of(param)};
    for (size_t i = 0; i < 4; i++) {
        uint64_t scale = scales[i], n = scaled(8000, 2000) + i, base_n = n / scale + 1;
        random_game base = random_game_make(&random, family_of(param), base_n + 500); /* never without members */
        random_game scaled_game = random_game_scaled(&base, scale);
        sg_game *small = game_of(&base), *large = game_of(&scaled_game);
        uint8_t *expected = cold_of(small, base_n, (run_layout){.engine = SG_ENGINE_DP});
        uint8_t *cold = cold_of(large, n, (run_layout){.engine = engines[i % engine_count]});
        uint64_t wrong = 0;
        for (uint64_t p = 0; p < n; p++)
            wrong += cold[p] != expected[p / scale];
        EXPECT_EQ(wrong, UINT64_C(0));
        free(expected);
        free(cold);
        sg_game_destroy(small);
        sg_game_destroy(large);
        random_game_free(&base);
        random_game_free(&scaled_game);
    }
}

/* The recursion down to single heap sizes on one bit vector, as the paper states it. */
SG_TEST_P(Outcome, ThePapersAlgorithmAsWrittenWorks, char, families, family_name) {
    rng random = {400 + family_of(param)};
    uint64_t n = scaled(5000, 1000);
    random_game drawn = random_game_make(&random, family_of(param), n);
    random_game_set_hotspots(&random, &drawn, HOTSPOTS_SPARSE, n);
    uint8_t *expected = calloc(n, 1);
    ASSERT_TRUE(expected);
    oracle_cold(&drawn.oracle, n, expected);
    sg_game *game = game_of(&drawn);
    static const sg_engine engines[] = {SG_ENGINE_SPLIT, SG_ENGINE_CONVOLUTION};
    for (size_t e = 0; e < 2; e++) {
        sg_result *result = solve(game, SG_MODE_COLD, n, (run_layout){engines[e], 1, 1, 1, 0, 0});
        expect_cold(result, expected, n);
        EXPECT_EQ(info_of(result).rows, UINT64_C(1));
        EXPECT_EQ(info_of(result).base_threshold_pos, UINT64_C(1));
        sg_result_destroy(result);
    }
    free(expected);
    sg_game_destroy(game);
    random_game_free(&drawn);
}

SG_TEST(Outcome, ConvolutionEngineConvolvesAndSplitDoesNot) {
    sg_result *split = solve_spec("squares", SG_MODE_COLD, 1 << 15, (run_layout){SG_ENGINE_SPLIT, 1, 512, 1, 0, 0});
    EXPECT_EQ(info_of(split).convolve_nodes, UINT64_C(0));
    EXPECT_LT(UINT64_C(0), info_of(split).shift_or_nodes + info_of(split).scatter_nodes);
    sg_result_destroy(split);
    sg_result *convolution =
        solve_spec("squares", SG_MODE_COLD, 1 << 15, (run_layout){SG_ENGINE_CONVOLUTION, 1, 512, 1, 0, 0});
    EXPECT_LT(UINT64_C(0), info_of(convolution).convolve_nodes);
    EXPECT_LE(info_of(convolution).convolve_nodes, UINT64_C(63)); /* 2^15 / 512 leaves */
    EXPECT_EQ(info_of(convolution).shift_or_nodes + info_of(convolution).scatter_nodes, UINT64_C(0));
    sg_result_destroy(convolution);
}

SG_TEST(Outcome, HotspotsAreHotAndTheirSuccessorsDoNotCountThemAsCold) {
    /* {1} with hotspot 0: 0 is hot, so 1 is cold, 2 hot, 3 cold, ... */
    sg_game *game = game_of_spec("{1}");
    ASSERT_EQ(sg_game_set_hotspots(test_context(), game, "{0}"), SG_OK);
    uint8_t *cold = cold_of(game, 100, (run_layout){0});
    for (int p = 0; p < 100; p++)
        EXPECT_EQ(cold[p], p % 2);
    free(cold);
    /* without hotspots again: the even ones */
    ASSERT_EQ(sg_game_set_hotspots(test_context(), game, NULL), SG_OK);
    cold = cold_of(game, 100, (run_layout){0});
    for (int p = 0; p < 100; p++)
        EXPECT_EQ(cold[p], 1 - p % 2);
    free(cold);
    sg_game_destroy(game);
}

SG_TEST(Outcome, WhenEveryHeapIsAHotspotNoneIsCold) {
    sg_engine engines[8];
    size_t engine_count = engines_of(SG_MODE_COLD, engines);
    sg_game *game = game_of_spec("squares");
    uint64_t hotspots[1000];
    for (uint64_t p = 0; p < 1000; p++)
        hotspots[p] = p;
    ASSERT_EQ(sg_game_set_hotspots_from_members(test_context(), game, hotspots, 1000), SG_OK);
    for (size_t e = 0; e < engine_count; e++) {
        sg_result *result = solve(game, SG_MODE_COLD, 1000, (run_layout){.engine = engines[e]});
        uint64_t heap;
        EXPECT_EQ(info_of(result).cold_count, UINT64_C(0));
        EXPECT_FALSE(sg_result_next_cold(result, 0, &heap));
        sg_result_destroy(result);
    }
    sg_game_destroy(game);
}

SG_TEST(Outcome, HotspotsBySpecificationAreTheSpecifiedNumbers) {
    uint64_t n = 4000;
    random_game drawn = {.spec = "random{3,1/16}", .oracle = {.members = oracle_set("random{3,1/16}", n)}};
    drawn.oracle.hotspots = oracle_set("triangular", n);
    uint8_t *expected = calloc(n, 1);
    ASSERT_TRUE(expected);
    oracle_cold(&drawn.oracle, n, expected);
    sg_game *game = game_of_spec(drawn.spec);
    ASSERT_EQ(sg_game_set_hotspots(test_context(), game, "triangular"), SG_OK);
    sg_engine engines[8];
    size_t engine_count = engines_of(SG_MODE_COLD, engines);
    for (size_t e = 0; e < engine_count; e++) {
        sg_result *result = solve(game, SG_MODE_COLD, n, (run_layout){.engine = engines[e]});
        expect_cold(result, expected, n);
        sg_result_destroy(result);
    }
    free(expected);
    sg_game_destroy(game);
    random_game_free(&drawn);
}

/* Near 2^64 nothing may wrap: such members cannot be taken from small heaps. */
SG_TEST(Outcome, HugeMembersAndHotspotsDoNotWrap) {
    static const uint64_t members[] = {3, UINT64_MAX, UINT64_MAX - 1, UINT64_C(1) << 63, UINT64_C(1) << 32};
    static const uint64_t hotspots[] = {UINT64_MAX, UINT64_C(1) << 63};
    sg_engine engines[8];
    size_t engine_count = engines_of(SG_MODE_COLD, engines);
    sg_game *game = NULL;
    ASSERT_EQ(sg_game_create_from_members(test_context(), members, 5, &game), SG_OK);
    ASSERT_EQ(sg_game_set_hotspots_from_members(test_context(), game, hotspots, 2), SG_OK);
    for (size_t e = 0; e < engine_count; e++) {
        uint8_t *cold = cold_of(game, 1000, (run_layout){.engine = engines[e]});
        for (int p = 0; p < 1000; p++)
            EXPECT_EQ(cold[p], p % 6 < 3);
        free(cold);
    }
    sg_game_destroy(game);
}
