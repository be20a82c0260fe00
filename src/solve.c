/* From a request to a result: check, plan, refuse or run. */
#include "job.h"
#include "offload.h"
#include "threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Base cases keep offsets in 32 bits, and longer ones than this leave every cache. */
#define MAX_BASE_THRESHOLD_POS ((uint64_t)1 << 30)
#define MAX_ROWS               ((uint64_t)1 << 16)
#define MAX_LEVEL_BATCH        ((uint32_t)1 << 16)

void sg_solve_options_init(sg_solve_options *options) {
    if (options)
        *options = (sg_solve_options){.struct_size = sizeof *options};
}

const char *sg_mode_name(sg_mode mode) {
    static const char *const names[] = {"cold", "nim", "remoteness"};
    return (unsigned)mode < sizeof names / sizeof *names ? names[mode] : NULL;
}

const char *sg_engine_name(sg_engine engine) {
    static const char *const names[] = {"auto", "dp", "tile", "sieve", "split", "convolution", "structure"};
    return (unsigned)engine < sizeof names / sizeof *names ? names[engine] : NULL;
}

const char *sg_backend_name(sg_backend backend) {
    static const char *const names[] = {"auto", "cpu", "cuda"};
    return (unsigned)backend < sizeof names / sizeof *names ? names[backend] : NULL;
}

const char *sg_near_name(sg_near near) {
    static const char *const names[] = {"auto", "cpu", "cuda"};
    return (unsigned)near < sizeof names / sizeof *names ? names[near] : NULL;
}

static sg_status check_game(sg_context *context, const sg_game *game, sg_mode mode) {
    if (mode == SG_MODE_NIM && game->hotspots)
        return sg_fail(
            context, SG_ERROR_UNSUPPORTED,
            "nim-values are not defined with hotspots: such a game is not played by the normal convention, so it "
            "cannot be added to others; outcomes (cold) are defined");
    if (mode == SG_MODE_NIM && game->play == SG_PLAY_MISERE)
        return sg_fail(context, SG_ERROR_UNSUPPORTED,
                       "nim-values are those of normal play and decide nothing under misere play; outcomes (cold) and "
                       "remoteness are defined");
    if (game->hotspots && game->play == SG_PLAY_MISERE)
        return sg_fail(
            context, SG_ERROR_UNSUPPORTED,
            "misere play with hotspots is not defined: who moves onto a hotspot loses, and who cannot move wins");
    return SG_OK;
}

sg_status sg_request_make(sg_request *request, sg_context *context, const sg_game *game, sg_mode mode, uint64_t n,
                          const sg_solve_options *options) {
    sg_solve_options given;
    sg_solve_options_init(&given);
    if (!context || !game)
        return sg_fail(context, SG_ERROR_INVALID_ARGUMENT, "a context and a game are needed");
    if (options && options->struct_size < sizeof(size_t))
        return sg_fail(context, SG_ERROR_INVALID_ARGUMENT,
                       "the options were not initialised with sg_solve_options_init");
    if (options)
        memcpy(&given, options, options->struct_size < sizeof given ? options->struct_size : sizeof given);
    if (!sg_near_name(given.near))
        return sg_fail(context, SG_ERROR_INVALID_ARGUMENT, "near %d is not known", (int)given.near);
    if (!sg_mode_name(mode) || !sg_engine_name(given.engine) || !sg_backend_name(given.backend))
        return sg_fail(context, SG_ERROR_INVALID_ARGUMENT, "mode %d, engine %d or backend %d is not known", (int)mode,
                       (int)given.engine, (int)given.backend);
    if (given.level_batch > MAX_LEVEL_BATCH)
        return sg_fail(context, SG_ERROR_INVALID_ARGUMENT, "a batch of %u levels is more than the %u supported",
                       given.level_batch, MAX_LEVEL_BATCH);
    if (given.rows > MAX_ROWS)
        return sg_fail(context, SG_ERROR_INVALID_ARGUMENT, "%" PRIu64 " rows are more than the %" PRIu64 " supported",
                       given.rows, MAX_ROWS);
    *request = (sg_request){
        .context = context,
        .game = game,
        .mode = mode,
        .n = n,
        .engine = given.engine,
        .asked_limit_bytes = given.memory_limit_bytes,
        .memory_limit_bytes = given.memory_limit_bytes ? given.memory_limit_bytes : sg_memory_available_bytes(),
        .base_threshold_pos =
            given.base_threshold_pos < MAX_BASE_THRESHOLD_POS ? given.base_threshold_pos : MAX_BASE_THRESHOLD_POS,
        .rows = given.rows,
        .level_batch = given.level_batch,
        .near = given.near,
    };
    sg_status status;
    SG_TRY(sg_threads_resolve(context, &given, &request->threads));
    SG_TRY(check_game(context, game, mode));
    SG_TRY(sg_costs_in_force(context, &request->costs));
    SG_TRY(sg_request_take_device(request, given.backend, given.backend == SG_BACKEND_CUDA ? given.device : 0));
    request->may_move = given.backend == SG_BACKEND_AUTO;
    request->cuda_device = given.device;
cleanup:
    return status;
}

/* Plans, and decides where to run. `fallback` receives why backend auto stayed on the CPU, if there is a reason. */
static sg_status plan_request(sg_request *request, sg_plan *plan, char *fallback, size_t size) {
    fallback[0] = '\0';
    if (request->n) {
        sg_status status = sg_plan_make(request, plan);
        if (status == SG_OK && request->may_move)
            sg_offload(request, plan, request->cuda_device, fallback, size);
        return status;
    }
    if (request->engine != SG_ENGINE_AUTO && !sg_engine_serves(request->engine, request->mode))
        return sg_plan_make(request, plan); /* says so */
    *plan = (sg_plan){.engine = request->engine == SG_ENGINE_AUTO ? SG_ENGINE_DP : request->engine};
    return SG_OK;
}

/* What is short, in words. */
static sg_status refuse(const sg_request *request, const sg_plan *plan) {
    bool on_device = plan->need.host_bytes <= request->memory_limit_bytes;
    uint64_t largest_n;
    sg_status status = sg_plan_largest_n(request, UINT64_MAX, &largest_n);
    if (status == SG_OK && largest_n >= request->n) /* needs can fall with n: name one that is smaller */
        status = sg_plan_largest_n(request, request->n, &largest_n);
    if (status != SG_OK)
        return status;
    return sg_fail(request->context, SG_ERROR_MEMORY_LIMIT,
                   "n = %" PRIu64 " needs %s%" PRIu64 " bytes of %smemory, %" PRIu64
                   " are available; the largest n that fits is %" PRIu64,
                   request->n, plan->is_hopeless ? "at least " : "",
                   on_device ? plan->need.device_bytes : plan->need.host_bytes, on_device ? "device " : "",
                   on_device ? request->device_limit_bytes : request->memory_limit_bytes, largest_n);
}

static sg_status run_engine(sg_job *job) {
    sg_mode mode = job->request->mode;
    switch (job->plan->engine) {
    case SG_ENGINE_DP:
        return mode == SG_MODE_COLD ? sg_outcome_dp(job) : mode == SG_MODE_NIM ? sg_nim_dp(job) : sg_remoteness_dp(job);
    case SG_ENGINE_SIEVE:
        return sg_outcome_sieve(job);
    case SG_ENGINE_TILE:
        return sg_plan_keeps_values(job->request, job->plan) ? sg_nim_blocks(job) : sg_nim_tile(job);
    case SG_ENGINE_SPLIT:
    case SG_ENGINE_CONVOLUTION:
        return mode == SG_MODE_COLD ? sg_outcome_recursion(job) : sg_nim_levels(job);
    default:
        return sg_fail(job->request->context, SG_ERROR_INTERNAL, "the planner chose no engine");
    }
}

/* Only the recursion and the CPU's tiles have work for several threads. */
static bool is_threaded(const sg_request *request, const sg_plan *plan) {
    return sg_engine_is_recursive(plan->engine) ||
           (plan->engine == SG_ENGINE_TILE && !sg_plan_keeps_values(request, plan));
}

static sg_status open_result(sg_job *job) {
    const sg_request *request = job->request;
    const sg_plan *plan = job->plan;
    bool keeps_values = sg_plan_keeps_values(request, plan);
    sg_status status = SG_OK;
    SG_TAKE(&job->memory, job->result, sizeof *job->result);
    sg_result *result = job->result;
    result->info = (sg_result_info){
        .struct_size = sizeof result->info,
        .mode = request->mode,
        .engine = plan->engine,
        .backend = request->device.operators->backend,
        .device = result->device_name,
        .threads = is_threaded(request, plan) ? request->threads : 1,
        .n = request->n,
        .rows = plan->rows,
        .base_threshold_pos = plan->base_threshold_pos,
        .level_batch = plan->level_batch,
        .estimated_bytes = plan->need.host_bytes,
        .device_estimated_bytes = plan->need.device_bytes,
        .inner_count = plan->inner_count,
    };
    memcpy(result->info.inner, plan->inner, sizeof plan->inner);
    SG_TRY(sg_instruction_set_name(request->context, &result->info.instruction_set));
    snprintf(result->device_name, sizeof result->device_name, "%s", request->device.info.name);
    if (request->mode != SG_MODE_NIM || keeps_values)
        SG_TAKE(&job->memory, result->cold_bits, request->n / 64 * 8 + 16);
    if (request->mode != SG_MODE_COLD && !keeps_values)
        SG_TRY(sg_values_open(&result->values, request->n, plan->value_bytes ? plan->value_bytes : 1, &job->memory));
cleanup:
    return status;
}

static sg_status run_job(sg_job *job) {
    const sg_request *request = job->request;
    sg_result_info *info = &job->result->info;
    double begin = sg_seconds_now(), set_done, solve_done;
    sg_status status;
    SG_TRY(sg_members_load(&job->members, request->game->subtraction, request->n, job->plan->member_count, &job->memory,
                           &job->monitor));
    info->member_count = job->members.count;
    info->option_count = job->members.option_count;
    set_done = sg_seconds_now();
    sg_monitor_phase(&job->monitor, "solve");
    SG_TRY(run_engine(job));
    solve_done = sg_seconds_now();
    SG_TRY(sg_result_summarise(request->context, job->result));
    info->seconds_set = set_done - begin;
    info->seconds_solve = solve_done - set_done;
    info->seconds_summary = sg_seconds_now() - solve_done;
cleanup:
    return status;
}

sg_status sg_solve(sg_context *context, const sg_game *game, sg_mode mode, uint64_t n, const sg_solve_options *options,
                   sg_result **result) {
    sg_request request;
    sg_plan plan;
    char fallback[SG_FALLBACK_BYTES];
    sg_job job = {.request = &request, .plan = &plan};
    if (!result)
        return sg_fail(context, SG_ERROR_INVALID_ARGUMENT, "no place for the result was given");
    double begin = sg_seconds_now();
    sg_status status = sg_request_make(&request, context, game, mode, n, options);
    if (status != SG_OK)
        return status;
    status = plan_request(&request, &plan, fallback, sizeof fallback);
    if (status != SG_OK)
        return status;
    if (!sg_need_fits(&request, plan.need))
        return refuse(&request, &plan);
    double planned = sg_seconds_now();
    sg_memory_init(&job.memory, context, request.memory_limit_bytes);
    sg_monitor_init(&job.monitor, options, n);
    SG_TRY(open_result(&job));
    job.result->info.seconds_plan = planned - begin;
    memcpy(job.result->fallback, fallback, sizeof fallback);
    job.result->info.fallback = fallback[0] ? job.result->fallback : NULL;
    if (n)
        SG_TRY(run_job(&job));
    job.result->info.peak_bytes = job.memory.peak_bytes;
cleanup:
    sg_members_free(&job.members, &job.memory);
    if (status == SG_OK)
        *result = job.result;
    else
        sg_result_destroy(job.result);
    return status;
}

sg_status sg_solve_estimate(sg_context *context, const sg_game *game, sg_mode mode, uint64_t n,
                            const sg_solve_options *options, sg_estimate *estimate) {
    sg_request request;
    sg_plan plan;
    char fallback[SG_FALLBACK_BYTES];
    if (!estimate || estimate->struct_size < sizeof(size_t))
        return sg_fail(context, SG_ERROR_INVALID_ARGUMENT, "sg_solve_estimate needs an estimate with its struct_size");
    sg_status status = sg_request_make(&request, context, game, mode, n, options);
    if (status == SG_OK)
        status = plan_request(&request, &plan, fallback, sizeof fallback);
    uint64_t largest_n = 0;
    if (status == SG_OK)
        status = sg_plan_largest_n(&request, UINT64_MAX, &largest_n);
    if (status != SG_OK)
        return status;
    sg_estimate foreseen = {
        .engine = plan.engine,
        .backend = request.device.operators->backend,
        .rows = plan.rows,
        .base_threshold_pos = plan.base_threshold_pos,
        .bytes = plan.need.host_bytes,
        .limit_bytes = request.memory_limit_bytes,
        .largest_n = largest_n,
        .seconds = plan.seconds,
        .device_bytes = plan.need.device_bytes,
        .device_limit_bytes = request.device_limit_bytes == UINT64_MAX ? 0 : request.device_limit_bytes,
    };
    sg_struct_give(estimate, &foreseen, sizeof foreseen);
    return SG_OK;
}
