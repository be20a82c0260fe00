#include "pilot.h"
#include "job.h"
#include "recurrence.h"
#include "tuning.h"

#include <math.h>

static double growth_exponent(double half, double whole) {
    double exponent = half > 0 && whole > 0 ? log2(whole / half) : 1;
    return exponent < 0 ? 0 : exponent > 1 ? 1 : exponent;
}

static sg_status list_cold(sg_pilot *pilot, const uint64_t *bits, sg_memory *memory) {
    sg_status status = SG_OK;
    uint64_t below_half = 0;
    SG_TAKE(memory, pilot->cold, 8 * pilot->n);
    for (uint64_t p = 0; p < pilot->n; p++)
        if (bits[p / 64] >> p % 64 & 1) {
            pilot->cold[pilot->cold_count++] = p;
            below_half += p < pilot->n / 2;
        }
    pilot->cold_exponent = growth_exponent((double)below_half, (double)pilot->cold_count);
cleanup:
    return status;
}

sg_status sg_pilot_run(const sg_request *request, sg_pilot *pilot) {
    sg_request small = *request;
    sg_plan plan = {.engine = SG_ENGINE_SPLIT, .policy = SG_POLICY_SPLIT, .rows = 1};
    sg_result result = {0};
    sg_job job = {.request = &small, .plan = &plan, .result = &result};
    sg_status status;
    *pilot = (sg_pilot){.n = request->n < SG_PILOT_POS ? request->n : SG_PILOT_POS};
    small.n = pilot->n;
    small.threads = 1;
    plan.base_threshold_pos = SG_LEAF_DENSE_POS;
    sg_memory_init(&job.memory, request->context, 0);
    sg_monitor_init(&job.monitor, NULL, small.n);
    SG_TRY(sg_members_count(small.context, small.game->subtraction, small.n, &plan.member_count));
    SG_TRY(
        sg_members_load(&job.members, small.game->subtraction, small.n, plan.member_count, &job.memory, &job.monitor));
    SG_TAKE(&job.memory, result.cold_bits, small.n / 8 + 16);
    SG_TRY(sg_outcome_recursion(&job));
    SG_TRY(list_cold(pilot, result.cold_bits, &job.memory));
cleanup:
    sg_members_free(&job.members, &job.memory);
    sg_memory_give(&job.memory, result.cold_bits);
    return status;
}

void sg_pilot_free(sg_pilot *pilot) {
    sg_memory_give(NULL, pilot->cold);
    pilot->cold = NULL;
}

double sg_pilot_cold_below(const sg_pilot *pilot, double x) {
    return (double)pilot->cold_count * pow(x / (double)pilot->n, pilot->cold_exponent);
}

/* Solves `job` for nim-values and reads off the maxima of its lower half and its whole. */
static sg_status pilot_maxima(sg_job *job, uint64_t *half, uint64_t *whole) {
    uint64_t n = job->request->n;
    sg_status status;
    SG_TRY(sg_values_open(&job->result->values, n, 2, &job->memory));
    SG_TRY(sg_nim_dp(job));
    *half = *whole = 0;
    for (uint64_t p = 0; p < n; p++) {
        uint64_t value = sg_values_get(&job->result->values, p);
        if (value > *whole)
            *whole = value;
        if (p < n / 2 && value > *half)
            *half = value;
    }
cleanup:
    return status;
}

sg_status sg_pilot_max_nim(const sg_request *request, uint64_t *max_value) {
    sg_request small = *request;
    sg_result result = {0};
    sg_job job = {.request = &small, .result = &result};
    uint64_t count, half, whole;
    sg_status status;
    small.n = request->n < SG_PILOT_NIM_POS ? request->n : SG_PILOT_NIM_POS;
    sg_memory_init(&job.memory, request->context, 0);
    sg_monitor_init(&job.monitor, NULL, small.n);
    SG_TRY(sg_members_count(small.context, small.game->subtraction, small.n, &count));
    SG_TRY(sg_members_load(&job.members, small.game->subtraction, small.n, count, &job.memory, &job.monitor));
    SG_TRY(pilot_maxima(&job, &half, &whole));
    if (request->n > small.n) {
        double exponent = growth_exponent((double)half, (double)whole);
        double foreseen = SG_PILOT_NIM_MARGIN * (double)whole * pow((double)request->n / (double)small.n, exponent);
        whole = foreseen < 0x1p32 ? (uint64_t)foreseen : UINT32_MAX;
    }
    *max_value = whole;
cleanup:
    sg_members_free(&job.members, &job.memory);
    sg_memory_give(&job.memory, result.values.data);
    return status;
}
