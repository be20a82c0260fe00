/* Several threads: contexts at once, and engines whose parts run in parallel. */
#include "checks.h"

#include <pthread.h>
#include <string.h>

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
