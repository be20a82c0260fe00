/* Verification: silent on right results, and it finds exactly what is wrong with wrong ones. */
#include "checks.h"

#include <inttypes.h>
#include <stdlib.h>

static sg_verify_report verify(const sg_game *game, const sg_result *result, uint64_t samples, uint64_t seed,
                               uint32_t threads) {
    sg_solve_options options = options_of((run_layout){.threads = threads});
    sg_verify_report report = {.struct_size = sizeof report};
    ASSERT_EQ(sg_verify(test_context(), game, result, samples, seed, &options, &report), SG_OK);
    return report;
}

static const char families[FAMILY_COUNT]; /* one parameter a family; only the index matters */

static size_t family_of(const char *param) {
    return (size_t)(param - families);
}

SG_TEST_P(Verify, RightResultsPassWhateverIsSampled, char, families, family_name) {
    rng random = {1 + family_of(param)};
    uint64_t n = scaled(3000, 800);
    for (int variant = 0; variant < 6; variant++) { /* cold, nim, remoteness; misere; hotspots */
        random_game drawn = random_game_make(&random, family_of(param), n);
        sg_mode mode = variant == 1 ? SG_MODE_NIM : variant == 2 || variant == 4 ? SG_MODE_REMOTENESS : SG_MODE_COLD;
        drawn.oracle.misere = variant == 3 || variant == 4;
        if (variant == 5)
            random_game_set_hotspots(&random, &drawn, HOTSPOTS_SPARSE, n);
        sg_game *game = game_of(&drawn);
        sg_result *result = solve(game, mode, n, (run_layout){0});
        static const uint64_t sample_counts[] = {0, 1, 10, 500, 100000};
        for (size_t i = 0; i < 5; i++) {
            uint64_t samples = sample_counts[i];
            sg_verify_report report = verify(game, result, samples, 42 + i, 1 + (uint32_t)i % 3);
            EXPECT_EQ(report.samples, samples < n ? samples : n);
            EXPECT_EQ(report.failures, UINT64_C(0));
            EXPECT_EQ(report.first_failure, UINT64_MAX);
            EXPECT_TRUE(report.seconds >= 0);
        }
        sg_result_destroy(result);
        sg_game_destroy(game);
        random_game_free(&drawn);
    }
}

/* Which heap sizes of a claimed cold set contradict the definition of another game. */
static uint64_t contradictions(const uint8_t *cold, uint64_t n, const oracle_list *s, uint8_t *wrong) {
    uint64_t count = 0;
    for (uint64_t p = 0; p < n; p++) {
        bool hot = false;
        for (size_t i = 0; i < s->count; i++)
            hot |= s->items[i] <= p && cold[p - s->items[i]];
        wrong[p] = cold[p] == hot;
        count += wrong[p];
    }
    return count;
}

SG_TEST(Verify, ColdSetOfAnotherGameFailsExactlyWhereTheDefinitionIsContradicted) {
    static const char *const pairs[][2] = {{"{1,2}", "{1,3}"},   {"{1,3}", "{1,2}"},          {"{1}", "{2}"},
                                           {"squares", "cubes"}, {"squares", "beatty:sqrt2"}, {"{3,4}", "primes"}};
    const oracle_list small[] = {{(uint64_t[]){1, 3}, 2}, {(uint64_t[]){1, 2}, 2}, {(uint64_t[]){2}, 1}};
    uint64_t n = 1001;
    for (size_t i = 0; i < 6; i++) {
        sg_game *solved = game_of_spec(pairs[i][0]), *checked = game_of_spec(pairs[i][1]);
        oracle_list named = i < 3 ? (oracle_list){0} : oracle_set(pairs[i][1], n);
        sg_result *result = solve(solved, SG_MODE_COLD, n, (run_layout){0});
        uint8_t *cold = cold_flags(result, n), wrong[1001];
        uint64_t expected = contradictions(cold, n, i < 3 ? &small[i] : &named, wrong), first = 0;
        ASSERT_TRUE(expected > 0);
        while (!wrong[first])
            first++;
        for (uint32_t threads = 1; threads <= 3; threads++) {
            sg_verify_report report = verify(checked, result, n, 5, threads);
            EXPECT_EQ(report.samples, n);
            EXPECT_EQ(report.failures, expected);
            EXPECT_EQ(report.first_failure, first);
        }
        sg_verify_report report = verify(checked, result, 400, 6, 2);
        EXPECT_EQ(report.samples, UINT64_C(400));
        EXPECT_LT(UINT64_C(0), report.failures);
        EXPECT_LE(report.failures, expected);
        ASSERT_TRUE(report.first_failure < n);
        EXPECT_TRUE(wrong[report.first_failure]);
        free(cold);
        oracle_list_free(&named);
        sg_result_destroy(result);
        sg_game_destroy(solved);
        sg_game_destroy(checked);
    }
}

SG_TEST(Verify, NimValuesOfAnotherGameFail) {
    sg_game *solved = game_of_spec("{1,2}"), *checked = game_of_spec("{1,3}");
    sg_result *result = solve(solved, SG_MODE_NIM, 1000, (run_layout){0});
    uint64_t expected = 0, first = UINT64_MAX;
    for (uint64_t p = 1000; p-- > 0;) { /* the values claimed are p mod 3 */
        bool seen[4] = {false};
        if (p >= 1)
            seen[(p - 1) % 3] = true;
        if (p >= 3)
            seen[p % 3] = true;
        uint64_t mex = 0;
        while (seen[mex])
            mex++;
        if (mex != p % 3) {
            expected++;
            first = p;
        }
    }
    sg_verify_report report = verify(checked, result, 1000, 1, 2);
    EXPECT_EQ(report.failures, expected);
    EXPECT_EQ(report.first_failure, first);
    EXPECT_LT(UINT64_C(0), report.failures);
    sg_result_destroy(result);
    sg_game_destroy(solved);
    sg_game_destroy(checked);
}

SG_TEST(Verify, RemotenessOfAnotherGameFails) {
    sg_game *solved = game_of_spec("{1}"), *checked = game_of_spec("{1,2}");
    sg_result *result = solve(solved, SG_MODE_REMOTENESS, 1000, (run_layout){0});
    /* claimed is p. An even heap p >= 2 may go to p - 2, cold by the claim, so it should have p - 1; odd ones agree */
    sg_verify_report report = verify(checked, result, 1000, 1, 1);
    EXPECT_EQ(report.first_failure, UINT64_C(2));
    EXPECT_EQ(report.failures, UINT64_C(499));
    sg_result_destroy(result);
    sg_game_destroy(solved);
    sg_game_destroy(checked);
}

SG_TEST(Verify, WrongConventionOrHotspotsAreNoticed) {
    sg_game *game = game_of_spec("squares");
    sg_result *normal = solve(game, SG_MODE_COLD, 1000, (run_layout){0});
    ASSERT_EQ(sg_game_set_play(test_context(), game, SG_PLAY_MISERE), SG_OK);
    sg_verify_report report = verify(game, normal, 1000, 1, 1);
    EXPECT_EQ(report.failures, UINT64_C(1)); /* only who cannot move differs: heap 0 */
    EXPECT_EQ(report.first_failure, UINT64_C(0));
    ASSERT_EQ(sg_game_set_play(test_context(), game, SG_PLAY_NORMAL), SG_OK);
    static const uint64_t hotspots[] = {5, 7, 500};
    ASSERT_EQ(sg_game_set_hotspots_from_members(test_context(), game, hotspots, 3), SG_OK);
    report = verify(game, normal, 1000, 1, 1);
    uint8_t *cold = cold_flags(normal, 1000);
    EXPECT_EQ(report.failures, UINT64_C(2) + cold[500]); /* 5 and 7 were cold */
    EXPECT_EQ(report.first_failure, UINT64_C(5));
    free(cold);
    sg_result_destroy(normal);
    sg_game_destroy(game);
}

/* Samples without repetition: of n - 1 samples at most one heap size is missed, whatever the seed. */
SG_TEST(Verify, SamplesAreDrawnWithoutRepetition) {
    sg_game *solved = game_of_spec("{1}"), *checked = game_of_spec("{2}");
    uint64_t n = 500;
    sg_result *result = solve(solved, SG_MODE_COLD, n, (run_layout){0});
    uint64_t all = verify(checked, result, n, 0, 1).failures;
    ASSERT_TRUE(all > 10);
    for (uint64_t seed = 0; seed < 20; seed++) {
        sg_verify_report report = verify(checked, result, n - 1, seed, 1);
        EXPECT_EQ(report.samples, n - 1);
        EXPECT_LE(all - 1, report.failures);
        EXPECT_LE(report.failures, all);
    }
    sg_result_destroy(result);
    sg_game_destroy(solved);
    sg_game_destroy(checked);
}

SG_TEST(Verify, SameSeedSameSamplesWhateverTheThreads) {
    sg_game *solved = game_of_spec("squares"), *checked = game_of_spec("triangular");
    sg_result *result = solve(solved, SG_MODE_COLD, 20000, (run_layout){0});
    bool seeds_differ = false;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        sg_verify_report one = verify(checked, result, 300, seed, 1), three = verify(checked, result, 300, seed, 3);
        EXPECT_EQ(one.failures, three.failures);
        EXPECT_EQ(one.first_failure, three.first_failure);
        sg_verify_report next = verify(checked, result, 300, seed + 1, 1);
        seeds_differ |= next.failures != one.failures || next.first_failure != one.first_failure;
    }
    EXPECT_TRUE(seeds_differ);
    sg_result_destroy(result);
    sg_game_destroy(solved);
    sg_game_destroy(checked);
}

SG_TEST(Verify, EmptyResultHasNothingToCheck) {
    sg_game *game = game_of_spec("squares");
    sg_result *result = solve(game, SG_MODE_COLD, 0, (run_layout){0});
    sg_verify_report report = verify(game, result, 10, 0, 1);
    EXPECT_EQ(report.samples, UINT64_C(0));
    EXPECT_EQ(report.failures, UINT64_C(0));
    EXPECT_EQ(report.first_failure, UINT64_MAX);
    sg_result_destroy(result);
    sg_game_destroy(game);
}

static bool stop_at_once(void *user, const sg_progress *progress) {
    (void)progress;
    ++*(int *)user;
    return false;
}

SG_TEST(Verify, BadArgumentsAreRefusedAndCancellingStops) {
    sg_game *game = game_of_spec("random{1,1/2}");
    uint64_t n = scaled(60000, 20000);
    sg_result *result = solve(game, SG_MODE_COLD, n, (run_layout){0});
    sg_verify_report report = {.struct_size = sizeof report};
    EXPECT_EQ(sg_verify(test_context(), NULL, result, 1, 0, NULL, &report), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_verify(test_context(), game, NULL, 1, 0, NULL, &report), SG_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(sg_verify(test_context(), game, result, 1, 0, NULL, NULL), SG_ERROR_INVALID_ARGUMENT);
    report.struct_size = 0;
    EXPECT_EQ(sg_verify(test_context(), game, result, 1, 0, NULL, &report), SG_ERROR_INVALID_ARGUMENT);
    report.struct_size = sizeof report;
    EXPECT_EQ(sg_verify(test_context(), game, result, 1, 0, NULL, &report), SG_OK); /* options may be NULL */

    int calls = 0;
    sg_solve_options options = options_of((run_layout){.threads = 2});
    options.progress = stop_at_once;
    options.progress_user = &calls;
    EXPECT_EQ(sg_verify(test_context(), game, result, n, 0, &options, &report), SG_ERROR_CANCELLED);
    EXPECT_LE(1, calls);
    sg_result_destroy(result);
    sg_game_destroy(game);
}
