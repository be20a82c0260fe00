/* What the solver tests share: one-line solves, layouts, and the comparison of a result with the oracle, bit by bit. */
#ifndef CHECKS_H
#define CHECKS_H

#include "random_games.h"
#include "sgtest.h"
#include "subgame.h"

/* Sizes shrink under sanitizers and with -DSG_TEST_SMALL, which cost 5 to 20 times the time. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SG_TEST_SMALL 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#undef SG_TEST_SMALL
#define SG_TEST_SMALL 1
#endif

static inline uint64_t scaled(uint64_t full, uint64_t small) {
#ifdef SG_TEST_SMALL
    (void)full;
    return small;
#else
    (void)small;
    return full;
#endif
}

/* The context of the test program's main thread; made on first use. */
sg_context *test_context(void);

/* Ends a test that needs a device where there is none, for this reason: as skipped, or with SUBGAME_REQUIRE_DEVICE=1 in
 * the environment as failed. */
void end_without_device(const char *reason) __attribute__((noreturn));
void need_device(void); /* ends the test as above unless a CUDA device can be used */

/* The last error of test_context(): whether this text is in it; that it is one line without full stop, as promised. */
bool last_error_has(const char *text);
void expect_well_formed_error(void);

/* Games; a failure ends the test. The caller destroys them. */
sg_game *game_of_spec(const char *spec);
sg_game *game_of(const random_game *game);

/* How a recursion lays out its work; 0 leaves a choice to the library. */
typedef struct run_layout {
    sg_engine engine;
    uint64_t rows;
    uint64_t threshold_pos;
    uint32_t threads;
    uint32_t level_batch;
    sg_near near;
} run_layout;

/* In test programs that are built with SG_TEST_BACKEND_CUDA, the engines that a device can run are run there. */
sg_solve_options options_of(run_layout layout);

/* Text for traces; holds until the second next call. */
const char *layout_text(run_layout layout);

/* Solves; a failure ends the test with the text of the error. The caller destroys the result. */
sg_result *solve(const sg_game *game, sg_mode mode, uint64_t n, run_layout layout);
sg_result *solve_spec(const char *spec, sg_mode mode, uint64_t n, run_layout layout);

/* Solves and drops the result, which must be there on success only. */
sg_status try_solve(const sg_game *game, sg_mode mode, uint64_t n, const sg_solve_options *options);

/* The engines that serve a mode. */
size_t engines_of(sg_mode mode, sg_engine engines[8]);

/* A random layout for the engine whose cost at n heap sizes stays small: many rows are not paired with tiny thresholds.
 */
run_layout random_layout(rng *random, sg_engine engine, uint64_t n);

/* Whole results as arrays from malloc. */
uint8_t *cold_flags(const sg_result *result, uint64_t n); /* one byte a heap size */
uint32_t *values_of_result(const sg_result *result, uint64_t n);

/* The result must be the oracle's bits: raw bytes, fingerprint, cold count; for values also maximum and width. */
void expect_cold(const sg_result *result, const uint8_t *cold, uint64_t n);
void expect_values(const sg_result *result, const uint32_t *values, uint64_t n);

uint64_t xxh3_of(const void *bytes, size_t count);

sg_result_info info_of(const sg_result *result);
uint64_t fingerprint_of(const sg_result *result);

/* A solve as a row of a table. */
typedef struct solve_case {
    const char *name;
    const char *set;
    const char *hotspots; /* NULL: none */
    sg_mode mode;
    uint64_t n;
    run_layout layout;
} solve_case;

/* Its game; the caller destroys it. */
sg_game *game_of_case(const solve_case *row);

#endif
