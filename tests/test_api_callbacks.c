/* What a solve calls: a program's progress function, which may cancel, and sets that a program enumerates. */
#include "checks.h"

#include <pthread.h>
#include <string.h>

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
