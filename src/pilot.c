#include "pilot.h"
#include "job.h"
#include "tuning.h"

#include <math.h>

static double growth_exponent(double half, double whole) {
    double exponent = half > 0 && whole > 0 ? log2(whole / half) : 1;
    return exponent < 0 ? 0 : exponent > 1 ? 1 : exponent;
}

/* Heap sizes below `end` that the result gives this value (nim), or that are cold (outcomes); `heaps` may be NULL. */
static uint64_t list_level(const sg_result *result, bool by_value, uint64_t value, uint64_t end, uint64_t *heaps) {
    uint64_t count = 0;
    for (uint64_t p = 0; p < end; p++)
        if (by_value ? sg_values_get(&result->values, p) == value : result->cold_bits[p / 64] >> p % 64 & 1) {
            if (heaps)
                heaps[count] = p;
            count++;
        }
    return count;
}

static sg_status add_level(sg_pilot *pilot, sg_job *job, uint64_t value) {
    sg_pilot_level *level = &pilot->levels[pilot->level_count];
    sg_status status = SG_OK;
    bool by_value = job->request->mode == SG_MODE_NIM;
    level->count = list_level(job->result, by_value, value, pilot->n, NULL);
    SG_TAKE(&job->memory, level->heaps, 8 * level->count);
    list_level(job->result, by_value, value, pilot->n, level->heaps);
    pilot->level_count++;
cleanup:
    return status;
}

static sg_status learn_outcomes(sg_pilot *pilot, sg_job *job) {
    uint64_t below_half = 0;
    sg_status status = add_level(pilot, job, 0);
    const sg_pilot_level *cold = &pilot->levels[0];
    while (status == SG_OK && below_half < cold->count && cold->heaps[below_half] < pilot->n / 2)
        below_half++;
    pilot->cold_exponent = growth_exponent((double)below_half, (double)cold->count);
    return status;
}

static sg_status learn_values(sg_pilot *pilot, sg_job *job, uint64_t n) {
    uint64_t half = 0, whole = 0;
    for (uint64_t p = 0; p < pilot->n; p++) {
        uint64_t value = sg_values_get(&job->result->values, p);
        if (value > whole)
            whole = value;
        if (p < pilot->n / 2)
            half = whole;
    }
    pilot->max_value = whole;
    if (n > pilot->n) {
        double exponent = growth_exponent((double)half, (double)whole);
        double foreseen = SG_PILOT_VALUE_MARGIN * (double)whole * pow((double)n / (double)pilot->n, exponent);
        pilot->max_value = foreseen < 0x1p32 ? (uint64_t)foreseen : UINT32_MAX;
    }
    sg_status status = SG_OK;
    for (unsigned i = 0; i < SG_PILOT_LEVELS && status == SG_OK && job->request->mode == SG_MODE_NIM; i++)
        status = add_level(pilot, job, whole * i / SG_PILOT_LEVELS);
    return status;
}

uint64_t sg_pilot_longest(sg_mode mode) {
    return mode == SG_MODE_COLD ? SG_PILOT_POS : SG_PILOT_VALUE_POS;
}

sg_status sg_pilot_run_longer(const sg_request *request, uint64_t n, const sg_plan *layout, sg_pilot *pilot) {
    bool outcomes = request->mode == SG_MODE_COLD;
    sg_request small = *request;
    sg_plan plan = *layout;
    sg_result result = {0};
    sg_job job = {.request = &small, .plan = &plan, .result = &result};
    sg_status status;
    small.n = n;
    small.threads = 1;
    *pilot = (sg_pilot){.n = n};
    sg_memory_init(&job.memory, request->context, 0);
    sg_monitor_init(&job.monitor, NULL, small.n);
    if (small.device.operators->backend != SG_BACKEND_CPU) /* small games are the CPU's */
        SG_TRY(sg_backend_find(request->context, SG_BACKEND_CPU, 0, &small.device));
    SG_TRY(sg_members_count(small.context, small.game->subtraction, small.n, &plan.member_count));
    SG_TRY(
        sg_members_load(&job.members, small.game->subtraction, small.n, plan.member_count, &job.memory, &job.monitor));
    if (request->mode != SG_MODE_NIM)
        SG_TAKE(&job.memory, result.cold_bits, small.n / 64 * 8 + 16);
    if (!outcomes)
        SG_TRY(sg_values_open(&result.values, small.n, 2, &job.memory));
    switch (request->mode) {
    case SG_MODE_COLD:
        SG_TRY(sg_outcome_recursion(&job));
        SG_TRY(learn_outcomes(pilot, &job));
        break;
    case SG_MODE_NIM:
        SG_TRY(sg_nim_dp(&job));
        SG_TRY(learn_values(pilot, &job, request->n));
        break;
    case SG_MODE_REMOTENESS:
        SG_TRY(sg_remoteness_dp(&job));
        SG_TRY(learn_values(pilot, &job, request->n));
        break;
    }
cleanup:
    sg_members_free(&job.members, &job.memory);
    sg_memory_give(&job.memory, result.cold_bits);
    sg_values_close(&result.values, &job.memory);
    return status;
}

sg_status sg_pilot_run(const sg_request *request, sg_pilot *pilot) {
    sg_plan plan = {.engine = SG_ENGINE_SPLIT, .rows = 1, .base_threshold_pos = SG_LEAF_DENSE_POS, .level_batch = 1};
    uint64_t longest = sg_pilot_longest(request->mode);
    return sg_pilot_run_longer(request, request->n < longest ? request->n : longest, &plan, pilot);
}

void sg_pilot_free(sg_pilot *pilot) {
    for (unsigned i = 0; i < SG_PILOT_LEVELS; i++)
        sg_memory_give(NULL, pilot->levels[i].heaps);
    *pilot = (sg_pilot){0};
}

double sg_pilot_level_size(const sg_pilot *pilot, double n) {
    if (pilot->max_value)
        return n / ((double)pilot->max_value + 1);
    return (double)pilot->levels[0].count * pow(n / (double)pilot->n, pilot->cold_exponent);
}
