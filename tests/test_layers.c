/* The recursion as the base case of another: whatever the rows and block lengths of the layers, the bits are those of
 * the definition. */
#include "checks.h"
#include "job.h"
#include "recursion.h"

#include <stdlib.h>
#include <string.h>

enum { VALUE_BYTES = 4 };

static uint64_t random_rows(rng *random) {
    static const uint64_t rows[] = {1, 1, 2, 3, 5, 8, 13, 65, 130};
    return rows[rng_below(random, sizeof rows / sizeof *rows)];
}

/* A layout of up to SG_MAX_INNER_LAYERS layers inside the outermost, whose blocks shrink from n down. */
static sg_plan random_layers(rng *random, uint64_t n) {
    uint64_t longest = n;
    sg_plan plan = {.engine = SG_ENGINE_SPLIT, .rows = random_rows(random), .level_batch = 1};
    plan.inner_count = rng_between(random, 1, SG_MAX_INNER_LAYERS);
    for (uint64_t i = 0; i < plan.inner_count; i++) {
        longest = rng_between(random, longest / 16 + 1, longest);
        plan.inner[i] = (sg_inner_layer){random_rows(random), longest};
    }
    plan.base_threshold_pos = rng_between(random, longest / 16 + 1, longest);
    return plan;
}

static void solve_in_layers(sg_job *job, sg_plan *plan) {
    const sg_request *request = job->request;
    const sg_set *set = request->game->subtraction;
    sg_memory_init(&job->memory, request->context, 0);
    sg_monitor_init(&job->monitor, NULL, request->n);
    ASSERT_EQ(sg_members_count(request->context, set, request->n, &plan->member_count), SG_OK);
    ASSERT_EQ(sg_members_load(&job->members, set, request->n, plan->member_count, &job->memory, &job->monitor), SG_OK);
    if (request->mode == SG_MODE_COLD) {
        job->result->cold_bits = sg_memory_take(&job->memory, request->n / 64 * 8 + 16);
        ASSERT_EQ(sg_outcome_recursion(job), SG_OK);
    } else {
        ASSERT_EQ(sg_values_open(&job->result->values, request->n, VALUE_BYTES, &job->memory), SG_OK);
        ASSERT_EQ(sg_nim_levels(job), SG_OK);
    }
}

static void end_layers(sg_job *job) {
    sg_members_free(&job->members, &job->memory);
    sg_memory_give(&job->memory, job->result->cold_bits);
    sg_values_close(&job->result->values, &job->memory);
    EXPECT_EQ(job->memory.held_bytes, 0u);
}

/* Heap sizes for which the layers and the oracle differ. */
static uint64_t wrong_outcomes(const oracle_game *game, uint64_t n, const sg_result *result) {
    uint8_t *cold = calloc(n, 1);
    uint64_t wrong = 0;
    oracle_cold(game, n, cold);
    for (uint64_t p = 0; p < n; p++)
        wrong += (result->cold_bits[p / 64] >> p % 64 & 1) != cold[p];
    free(cold);
    return wrong;
}

static uint64_t wrong_values(const oracle_game *game, uint64_t n, const sg_result *result) {
    uint32_t *nim = calloc(n, sizeof *nim);
    uint64_t wrong = 0;
    oracle_nim(game, n, nim);
    for (uint64_t p = 0; p < n; p++)
        wrong += sg_values_get(&result->values, p) != nim[p];
    free(nim);
    return wrong;
}

static void try_layers(rng *random, sg_mode mode) {
    size_t family = rng_below(random, FAMILY_COUNT);
    uint64_t n = rng_between(random, 1, mode == SG_MODE_COLD ? scaled(20000, 4000) : scaled(2000, 500));
    random_game drawn = random_game_make(random, family, n);
    sg_game *game = game_of(&drawn);
    sg_solve_options options;
    sg_solve_options_init(&options);
    options.backend = SG_BACKEND_CPU;
    options.threads = (uint32_t)rng_between(random, 1, 2);
    sg_request request;
    ASSERT_EQ(sg_request_make(&request, test_context(), game, mode, n, &options), SG_OK);
    sg_plan plan = random_layers(random, n);
    sg_result result = {0};
    sg_job job = {.request = &request, .plan = &plan, .result = &result};
    SG_TRACE("family %s, n = %llu, %llu rows, then %llu on blocks of %llu, %llu layers, base %llu", family_name(family),
             (unsigned long long)n, (unsigned long long)plan.rows, (unsigned long long)plan.inner[0].rows,
             (unsigned long long)plan.inner[0].block_pos, (unsigned long long)plan.inner_count + 1,
             (unsigned long long)plan.base_threshold_pos);
    solve_in_layers(&job, &plan);
    EXPECT_EQ((mode == SG_MODE_COLD ? wrong_outcomes : wrong_values)(&drawn.oracle, n, &result), 0u);
    sg_need need = sg_recursion_need(&request, &plan, n, plan.member_count, mode == SG_MODE_NIM);
    uint64_t answer = mode == SG_MODE_COLD ? n / 64 * 8 + 16 : VALUE_BYTES * n;
    EXPECT_LE(job.memory.peak_bytes, need.host_bytes + answer + sg_members_bytes(plan.member_count, n));
    end_layers(&job);
    sg_game_destroy(game);
    random_game_free(&drawn);
}

SG_TEST(Layers, OutcomesAreThoseOfTheDefinition) {
    rng random = {2026};
    for (uint64_t round = 0; round < scaled(300, 60); round++)
        try_layers(&random, SG_MODE_COLD);
}

SG_TEST(Layers, ValuesByLevelsAreThoseOfTheDefinition) {
    rng random = {2027};
    for (uint64_t round = 0; round < scaled(60, 12); round++)
        try_layers(&random, SG_MODE_NIM);
}
