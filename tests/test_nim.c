/* Nim-values: Lemma 2 of the paper through the public hotspot interface, Ferguson's pairing, widths, sums of games. */
#include "checks.h"

#include <inttypes.h>
#include <stdlib.h>

static const char families[FAMILY_COUNT]; /* one parameter a family; only the index matters */

static size_t family_of(const char *param) {
    return (size_t)(param - families);
}

static uint32_t *nim_of(const sg_game *game, uint64_t n, run_layout layout) {
    sg_result *result = solve(game, SG_MODE_NIM, n, layout);
    uint32_t *nim = values_of_result(result, n);
    sg_result_destroy(result);
    return nim;
}

/* Lemma 2: with the heap sizes of values <= t as hotspots, the cold ones are exactly those of value t+1. */
SG_TEST_P(Nim, HotspotsUpToValueTLeaveValueTPlusOneCold, char, families, family_name) {
    sg_engine engines[8];
    size_t engine_count = engines_of(SG_MODE_COLD, engines);
    rng random = {500 + family_of(param)};
    uint64_t n = scaled(2500, 600);
    random_game drawn = random_game_make(&random, family_of(param), n);
    sg_game *game = game_of(&drawn);
    uint32_t *nim = nim_of(game, n, (run_layout){0});
    uint64_t *hotspots = calloc(n, sizeof *hotspots);
    ASSERT_TRUE(hotspots);
    uint64_t hotspot_count = 0, decided = 0;
    for (int64_t t = -1; decided < n && t < 40; t++) {
        hotspot_count = 0;
        for (uint64_t p = 0; p < n; p++)
            if ((int64_t)nim[p] <= t)
                hotspots[hotspot_count++] = p;
        ASSERT_EQ(sg_game_set_hotspots_from_members(test_context(), game, hotspots, hotspot_count), SG_OK);
        sg_engine engine = engines[(size_t)(t + 1) % engine_count];
        sg_result *result = solve(game, SG_MODE_COLD, n, (run_layout){.engine = engine});
        uint8_t *cold = cold_flags(result, n);
        uint64_t wrong = 0;
        for (uint64_t p = 0; p < n; p++)
            wrong += cold[p] != ((int64_t)nim[p] == t + 1);
        SG_TRACE("t = %" PRId64 ", engine %s", t, sg_engine_name(engine));
        EXPECT_EQ(wrong, UINT64_C(0));
        decided = hotspot_count + info_of(result).cold_count;
        free(cold);
        sg_result_destroy(result);
    }
    free(hotspots);
    free(nim);
    sg_game_destroy(game);
    random_game_free(&drawn);
}

SG_TEST_P(Nim, ValueIsOneExactlyWhenTheLeastMemberLeadsToZero, char, families, family_name) {
    rng random = {600 + family_of(param)};
    uint64_t n = scaled(8000, 2000);
    random_game drawn = random_game_make(&random, family_of(param), n);
    const oracle_list *s = &drawn.oracle.members;
    uint64_t least = s->items[0];
    for (size_t i = 1; i < s->count; i++)
        least = s->items[i] < least ? s->items[i] : least;
    sg_game *game = game_of(&drawn);
    uint32_t *nim = nim_of(game, n, (run_layout){0});
    uint64_t wrong = 0;
    for (uint64_t p = 0; p < n; p++)
        wrong += (nim[p] == 1) != (p >= least && nim[p - least] == 0);
    EXPECT_EQ(wrong, UINT64_C(0));
    free(nim);
    sg_game_destroy(game);
    random_game_free(&drawn);
}

SG_TEST_P(Nim, ValueZeroIsColdAndFirstHeapsRise, char, families, family_name) {
    rng random = {700 + family_of(param)};
    uint64_t n = scaled(5000, 1500);
    random_game drawn = random_game_make(&random, family_of(param), n);
    sg_game *game = game_of(&drawn);
    sg_result *nim = solve(game, SG_MODE_NIM, n, (run_layout){0});
    sg_result *cold = solve(game, SG_MODE_COLD, n, (run_layout){0});
    uint8_t *by_nim = cold_flags(nim, n), *by_cold = cold_flags(cold, n);
    EXPECT_MEMEQ(by_nim, by_cold, n);
    EXPECT_EQ(info_of(nim).cold_count, info_of(cold).cold_count);
    /* A heap of value v has options of all lesser values, so value v - 1 was seen before v: A297963 rises. */
    uint64_t values = info_of(nim).max_value + 1;
    uint64_t *heaps = calloc(values, sizeof *heaps), *counts = calloc(values, sizeof *counts);
    ASSERT_TRUE(heaps && counts);
    ASSERT_EQ(sg_result_first_heaps(nim, heaps, values), SG_OK);
    ASSERT_EQ(sg_result_histogram(nim, counts, values), SG_OK);
    uint64_t total = counts[0];
    for (uint64_t v = 1; v < values; v++) {
        EXPECT_LT(heaps[v - 1], heaps[v]);
        EXPECT_LT(UINT64_C(0), counts[v]);
        total += counts[v];
    }
    EXPECT_EQ(total, n);
    EXPECT_EQ(heaps[values - 1], info_of(nim).max_value_at);
    free(heaps);
    free(counts);
    free(by_nim);
    free(by_cold);
    sg_result_destroy(nim);
    sg_result_destroy(cold);
    sg_game_destroy(game);
    random_game_free(&drawn);
}

SG_TEST_P(Nim, ScaledSetPlaysOnInterleavedCopies, char, families, family_name) {
    static const uint64_t scales[] = {2, 5, 64};
    rng random = {800 + family_of(param)};
    for (size_t i = 0; i < 3; i++) {
        uint64_t scale = scales[i], n = scaled(6000, 2000) + i, base_n = n / scale + 1;
        random_game base = random_game_make(&random, family_of(param), base_n + 500); /* never without members */
        random_game scaled_game = random_game_scaled(&base, scale);
        sg_game *small = game_of(&base), *large = game_of(&scaled_game);
        uint32_t *expected = nim_of(small, base_n, (run_layout){.engine = SG_ENGINE_DP});
        uint32_t *nim = nim_of(large, n, (run_layout){.engine = i == 1 ? SG_ENGINE_TILE : SG_ENGINE_AUTO});
        uint64_t wrong = 0;
        for (uint64_t p = 0; p < n; p++)
            wrong += nim[p] != expected[p / scale];
        EXPECT_EQ(wrong, UINT64_C(0));
        free(expected);
        free(nim);
        sg_game_destroy(small);
        sg_game_destroy(large);
        random_game_free(&base);
        random_game_free(&scaled_game);
    }
}

/* ---------------------------------------------------------------- widths */

typedef struct width_case {
    sg_engine engine;
    uint64_t n, small_n; /* small_n for builds with sanitizers */
    const char *name;
} width_case;

/* g(p) = p when every number may be taken: u8 up to heap 255, u16 up to 65535, u32 past that. */
static const width_case width_cases[] = {
    {SG_ENGINE_DP, 256, 256, "dp_256"},        {SG_ENGINE_DP, 257, 257, "dp_257"},
    {SG_ENGINE_DP, 3000, 1000, "dp_3000"},     {SG_ENGINE_TILE, 256, 256, "tile_256"},
    {SG_ENGINE_TILE, 257, 257, "tile_257"},    {SG_ENGINE_TILE, 513, 513, "tile_513"},
    {SG_ENGINE_TILE, 3000, 1000, "tile_3000"}, {SG_ENGINE_SPLIT, 256, 256, "split_256"},
    {SG_ENGINE_SPLIT, 600, 300, "split_600"},  {SG_ENGINE_CONVOLUTION, 300, 258, "convolution_300"},
    {SG_ENGINE_AUTO, 3000, 1000, "auto_3000"},
};

static const char *width_case_name(size_t i) {
    return width_cases[i].name;
}

static void expect_identity(sg_engine engine, uint64_t n) {
    sg_result *result = solve_spec("all", SG_MODE_NIM, n, (run_layout){.engine = engine});
    uint32_t *expected = calloc(n, sizeof *expected);
    ASSERT_TRUE(expected);
    for (uint64_t p = 0; p < n; p++)
        expected[p] = (uint32_t)p;
    expect_values(result, expected, n);
    uint32_t *nim = values_of_result(result, n);
    EXPECT_MEMEQ(nim, expected, n * sizeof *nim);
    uint32_t value_bytes = info_of(result).value_bytes;
    EXPECT_LE(n - 1, (UINT64_C(1) << 8 * value_bytes) - 1);
    free(nim);
    free(expected);
    sg_result_destroy(result);
}

SG_TEST_P(NimWidth, ValuesPast255AreNotTruncated, width_case, width_cases, width_case_name) {
    expect_identity(param->engine, scaled(param->n, param->small_n));
}

#ifndef SG_TEST_SMALL /* 2 * 10^9 options; test_slow.c has the same for dp */
SG_TEST(NimWidth, ValuesPast65535MakeTheRawFormatU32UnderTile) {
    expect_identity(SG_ENGINE_TILE, 65600);
}
#endif

/* Widening in the middle: few values for long, then a jump past 255. Taking 1 .. 600 has g(p) = p mod 601. */
SG_TEST(NimWidth, WideningKeepsTheValuesBeforeIt) {
    static const sg_engine engines[] = {SG_ENGINE_DP, SG_ENGINE_TILE, SG_ENGINE_SPLIT, SG_ENGINE_AUTO};
    uint64_t members[600], n = 2500;
    for (uint64_t i = 0; i < 600; i++)
        members[i] = i + 1;
    sg_game *game = NULL;
    ASSERT_EQ(sg_game_create_from_members(test_context(), members, 600, &game), SG_OK);
    uint32_t *expected = calloc(n, sizeof *expected);
    ASSERT_TRUE(expected);
    for (uint64_t p = 0; p < n; p++)
        expected[p] = (uint32_t)(p % 601);
    for (size_t e = 0; e < 4; e++) {
        sg_result *result = solve(game, SG_MODE_NIM, n, (run_layout){.engine = engines[e]});
        expect_values(result, expected, n);
        sg_result_destroy(result);
    }
    free(expected);
    sg_game_destroy(game);
}

/* Some 1600 values below 20000: sets of values grow past every size that kernels keep in registers, and blocks end
 * early where they do. */
SG_TEST(NimTile, ManyValuesAreThoseOfTheRecurrenceOnAnyNumberOfThreads) {
    static const uint32_t thread_counts[] = {1, 2, 5};
    uint64_t n = scaled(20000, 5000);
    sg_game *game = game_of_spec("random{1,1/2}");
    uint32_t *expected = nim_of(game, n, (run_layout){.engine = SG_ENGINE_DP});
    for (size_t t = 0; t < 3; t++) {
        sg_result *result =
            solve(game, SG_MODE_NIM, n, (run_layout){.engine = SG_ENGINE_TILE, .threads = thread_counts[t]});
        SG_TRACE("%u threads", thread_counts[t]);
        expect_values(result, expected, n);
        sg_result_destroy(result);
    }
    free(expected);
    sg_game_destroy(game);
}

/* ---------------------------------------------------------------- several heaps */

enum { HEAP_SIZES = 12 };

/* Who moves from heaps a, b, c wins under misere play; by looking at every move. */
static uint8_t misere_hot[HEAP_SIZES][HEAP_SIZES][HEAP_SIZES];

static void fill_misere_hot(const oracle_list *s) {
    for (uint64_t a = 0; a < HEAP_SIZES; a++)
        for (uint64_t b = 0; b < HEAP_SIZES; b++)
            for (uint64_t c = 0; c < HEAP_SIZES; c++) {
                bool has_move = false, wins = false;
                for (size_t i = 0; i < s->count; i++) {
                    uint64_t take = s->items[i];
                    has_move |= take <= a || take <= b || take <= c;
                    wins |= take <= a && !misere_hot[a - take][b][c];
                    wins |= take <= b && !misere_hot[a][b - take][c];
                    wins |= take <= c && !misere_hot[a][b][c - take];
                }
                misere_hot[a][b][c] = wins || !has_move;
            }
}

/* Subtraction games are tame: under misere play the previous player wins when the nim-sum is 0 if some heap has value
 * >= 2, when it is 1 otherwise. */
SG_TEST(Nim, MisereHeapsAreDecidedByTheNimSum) {
    rng random = {900};
    for (size_t round = 0; round < scaled(60, 10); round++) {
        random_game drawn = {0};
        for (uint64_t count = rng_between(&random, 1, 5); count; count--)
            oracle_list_add(&drawn.oracle.members, rng_between(&random, 1, HEAP_SIZES));
        sg_game *game = game_of(&drawn);
        uint32_t *nim = nim_of(game, HEAP_SIZES, (run_layout){0});
        fill_misere_hot(&drawn.oracle.members);
        int wrong = 0;
        for (int a = 0; a < HEAP_SIZES; a++)
            for (int b = 0; b < HEAP_SIZES; b++)
                for (int c = 0; c < HEAP_SIZES; c++) {
                    bool wild = nim[a] >= 2 || nim[b] >= 2 || nim[c] >= 2;
                    bool previous_wins = (nim[a] ^ nim[b] ^ nim[c]) == (wild ? 0u : 1u);
                    wrong += previous_wins == misere_hot[a][b][c];
                }
        EXPECT_EQ(wrong, 0);
        free(nim);
        sg_game_destroy(game);
        random_game_free(&drawn);
    }
}

SG_TEST(Nim, LevelsAreOneMoreThanTheLargestValue) {
    sg_result *result = solve_spec("primes", SG_MODE_NIM, 20000, (run_layout){.engine = SG_ENGINE_SPLIT});
    sg_result_info info = info_of(result);
    EXPECT_EQ(info.max_value, UINT64_C(11));
    EXPECT_EQ(info.levels, UINT64_C(12));
    sg_result_destroy(result);
    result = solve_spec("primes", SG_MODE_NIM, 2000, (run_layout){.engine = SG_ENGINE_DP});
    EXPECT_EQ(info_of(result).levels, UINT64_C(0));
    sg_result_destroy(result);
}

/* Long enough for the planner to lay one recursion inside another, where it may. */
SG_TEST(NimLevels, BatchesOfLevelsAreThoseOfOneAfterAnotherOnPlannedRows) {
    uint64_t n = scaled(150000, 70000);
    sg_result *expected = solve_spec("primes", SG_MODE_NIM, n, (run_layout){.engine = SG_ENGINE_TILE});
    for (uint32_t batch = 1; batch <= 5; batch += 2) {
        sg_result *result =
            solve_spec("primes", SG_MODE_NIM, n, (run_layout){.engine = SG_ENGINE_SPLIT, .level_batch = batch});
        EXPECT_EQ(fingerprint_of(result), fingerprint_of(expected));
        sg_result_destroy(result);
    }
    sg_result_destroy(expected);
}
