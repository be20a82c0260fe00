/* Choosing a method and foreseeing its memory.
 *
 * Memory is exact by construction: every block that an engine takes appears in a formula here, in the same terms. Time
 * is a model: layouts of the recursion by src/layout.c and src/row_cost.c, convolutions by two transforms a node and
 * row and one product a row pair, tiles by one step a far option, levels by one outcome solve a value. */
#include "decree.h"
#include "job.h"
#include "layout.h"
#include "nim_backend.h"
#include "pilot.h"
#include "recursion.h"
#include "tuning.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool sg_engine_serves(sg_engine engine, sg_mode mode) {
    switch (engine) {
    case SG_ENGINE_AUTO:
    case SG_ENGINE_DP:
        return true;
    case SG_ENGINE_SIEVE:
        return mode == SG_MODE_COLD;
    case SG_ENGINE_TILE:
        return mode == SG_MODE_NIM;
    case SG_ENGINE_SPLIT:
    case SG_ENGINE_CONVOLUTION:
        return mode != SG_MODE_REMOTENESS;
    case SG_ENGINE_STRUCTURE:
        return false;
    }
    return false;
}

bool sg_engine_is_recursive(sg_engine engine) {
    return engine == SG_ENGINE_SPLIT || engine == SG_ENGINE_CONVOLUTION;
}

static bool is_on_device(const sg_request *request) {
    return request->device.operators->backend != SG_BACKEND_CPU;
}

bool sg_plan_keeps_values(const sg_request *request, const sg_plan *plan) {
    return plan->engine == SG_ENGINE_TILE && is_on_device(request);
}

/* Only the recursion has work for a device, and nim-values by tiles. */
static sg_status check_backend(const sg_request *request) {
    const char *backend = sg_backend_name(request->device.operators->backend);
    bool tiles = request->mode == SG_MODE_NIM && request->device.operators->nim;
    if (!is_on_device(request) || (tiles && request->engine == SG_ENGINE_TILE))
        return SG_OK;
    if (request->mode == SG_MODE_REMOTENESS)
        return sg_fail(request->context, SG_ERROR_UNSUPPORTED, "backend '%s' cannot serve mode 'remoteness'", backend);
    if (request->engine != SG_ENGINE_AUTO && !sg_engine_is_recursive(request->engine))
        return sg_fail(request->context, SG_ERROR_UNSUPPORTED,
                       "backend '%s' cannot run engine '%s'; engines that it can: auto, %ssplit, convolution", backend,
                       sg_engine_name(request->engine), tiles ? "tile, " : "");
    return SG_OK;
}

static sg_status check_engine(const sg_request *request) {
    char accepted[128] = "auto";
    if (sg_engine_serves(request->engine, request->mode))
        return check_backend(request);
    for (int engine = SG_ENGINE_DP; engine <= SG_ENGINE_STRUCTURE; engine++)
        if (sg_engine_serves((sg_engine)engine, request->mode)) {
            size_t length = strlen(accepted);
            snprintf(accepted + length, sizeof accepted - length, ", %s", sg_engine_name((sg_engine)engine));
        }
    return sg_fail(request->context, SG_ERROR_UNSUPPORTED, "engine '%s' cannot serve mode '%s'; engines that can: %s",
                   sg_engine_name(request->engine), sg_mode_name(request->mode), accepted);
}

/* Host memory that any engine takes for its answer alone: lets hopeless requests be refused before S is enumerated. */
static uint64_t answer_bytes(const sg_request *request, uint64_t n) {
    uint64_t bits = n / 64 * 8 + 16;
    bool may_keep = is_on_device(request) && request->device.operators->nim && !sg_engine_is_recursive(request->engine);
    if (request->mode == SG_MODE_COLD || (request->mode == SG_MODE_NIM && may_keep))
        return bits;
    return request->mode == SG_MODE_NIM ? n : sg_add_saturating(bits, n);
}

static sg_need blocks_need(const sg_request *request, const sg_plan *plan, uint64_t n, uint64_t member_count) {
    const sg_nim_operators *operators = request->device.operators->nim;
    unsigned width = plan->value_bytes > operators->minimal_bytes ? plan->value_bytes : operators->minimal_bytes;
    sg_nim_shape shape = {.n = n,
                          .member_count = sg_members_are_listed(member_count, n) ? member_count : n,
                          .value_bytes = width,
                          .leaf_pos = plan->base_threshold_pos};
    sg_need need = operators->need(&request->device, &shape);
    need.host_bytes = sg_add_saturating(need.host_bytes, sg_nim_blocks_bytes(plan->base_threshold_pos));
    return need;
}

static sg_need recursion_need(const sg_request *request, const sg_plan *plan, uint64_t n, uint64_t member_count) {
    bool with_preset = request->mode == SG_MODE_NIM || sg_game_decrees(request->game);
    sg_need need = sg_recursion_need(request, plan, n, member_count, with_preset);
    if (request->mode == SG_MODE_COLD && with_preset)
        need.host_bytes = sg_add_saturating(need.host_bytes, sg_outcome_segment_bytes(n));
    return need;
}

static sg_need engine_need(const sg_request *request, const sg_plan *plan, uint64_t n, uint64_t member_count) {
    switch (plan->engine) {
    case SG_ENGINE_DP:
        return (sg_need){.host_bytes = request->mode == SG_MODE_NIM ? sg_nim_dp_bytes(plan->max_value)
                                                                    : sg_outcome_segment_bytes(n)};
    case SG_ENGINE_SIEVE:
        return (sg_need){.host_bytes = sg_outcome_segment_bytes(n)};
    case SG_ENGINE_TILE:
        return is_on_device(request) ? blocks_need(request, plan, n, member_count)
                                     : (sg_need){.host_bytes = sg_nim_tile_bytes(plan->max_value)};
    case SG_ENGINE_SPLIT:
    case SG_ENGINE_CONVOLUTION:
        return recursion_need(request, plan, n, member_count);
    default:
        return (sg_need){0};
    }
}

static sg_need need_for(const sg_request *request, const sg_plan *plan, uint64_t n, uint64_t member_count) {
    bool on_device = sg_plan_keeps_values(request, plan);
    uint64_t values = on_device ? 0 : sg_multiply_saturating(n, plan->value_bytes);
    uint64_t bits = request->mode == SG_MODE_NIM && !on_device ? 0 : n / 64 * 8 + 16;
    uint64_t answer = sg_add_saturating(sg_add_saturating(values, bits), sizeof(sg_result));
    sg_need need = engine_need(request, plan, n, member_count);
    need.host_bytes = sg_add_saturating(need.host_bytes, answer);
    need.host_bytes = sg_add_saturating(need.host_bytes, sg_members_bytes(member_count, n));
    return need;
}

bool sg_need_fits(const sg_request *request, sg_need need) {
    return need.host_bytes <= request->memory_limit_bytes && need.device_bytes <= request->device_limit_bytes;
}

/* The smallest members, enough to know what sg_members_count gives below any limit. */
typedef struct member_prefix {
    uint64_t *members;
    uint64_t count;
} member_prefix;

static sg_status take_prefix(member_prefix *prefix, const sg_request *request, uint64_t limit, sg_memory *memory) {
    sg_set_cursor *cursor = NULL;
    uint64_t capacity = 0;
    size_t got;
    sg_status status;
    SG_TRY(sg_set_cursor_open(request->context, request->game->subtraction, limit, &cursor));
    do {
        if (prefix->count == capacity) {
            capacity = capacity ? 2 * capacity : 4096;
            uint64_t *larger = sg_memory_grow(memory, prefix->members, 8 * capacity);
            SG_TRY(larger ? SG_OK : memory->status);
            prefix->members = larger;
        }
        SG_TRY(sg_set_cursor_next(request->context, cursor, prefix->members + prefix->count, capacity - prefix->count,
                                  &got));
        prefix->count += got;
    } while (got && prefix->count < SG_LIST_MAX_MEMBERS);
cleanup:
    sg_set_cursor_close(cursor);
    return status;
}

static uint64_t count_below(const member_prefix *prefix, uint64_t limit) {
    uint64_t count = sg_lower_bound_u64(prefix->members, 0, prefix->count, limit), cap = sg_members_count_cap(limit);
    return count < cap ? count : cap;
}

static unsigned width_for(uint64_t max_value) {
    return max_value <= UINT8_MAX ? 1 : max_value <= UINT16_MAX ? 2 : 4;
}

static void plan_values(const sg_request *request, const sg_pilot *pilot, sg_plan *plan) {
    if (request->mode == SG_MODE_COLD)
        return;
    plan->max_value = pilot->max_value;
    if (request->mode == SG_MODE_REMOTENESS) {
        /* What is offered to a heap size may be one more than any has. */
        plan->value_bytes = width_for(plan->max_value + 1);
        return;
    }
    /* A heap size has at most as many options as there are members. The count is a lower bound when it was capped. */
    if (sg_members_are_listed(plan->member_count, request->n) && plan->max_value > plan->member_count)
        plan->max_value = plan->member_count;
    plan->value_bytes = width_for(plan->max_value);
}

static uint64_t default_base_threshold(const sg_request *request, const sg_plan *plan) {
    bool on_device = is_on_device(request);
    bool sparse = sg_members_are_listed(plan->member_count, request->n);
    uint64_t base = on_device ? SG_DEVICE_LEAF_CONVOLVE_POS : SG_LEAF_CONVOLVE_POS;
    if (plan->policy == SG_POLICY_SPLIT) {
        if (on_device)
            base = sparse ? SG_DEVICE_LEAF_SPARSE_POS : SG_DEVICE_LEAF_DENSE_POS;
        else
            base = sparse ? SG_LEAF_SPARSE_POS : SG_LEAF_DENSE_POS;
        uint64_t vectors = 512 * plan->rows; /* shorter rows would waste vector operations */
        base = base > vectors ? base : vectors;
    }
    if (on_device && base > request->n / SG_DEVICE_LEAST_LEAVES + 1)
        base = request->n / SG_DEVICE_LEAST_LEAVES + 1;
    return base;
}

static bool rows_are_addressable(const sg_request *request, uint64_t rows) {
    return request->n / rows < request->device.operators->max_columns;
}

/* The rows that were asked for, or as few as the backend can address. */
static uint64_t least_rows(const sg_request *request) {
    return request->rows ? request->rows : request->n / request->device.operators->max_columns + 1;
}

/* Levels that share a recursion: all that are foreseen where batches pay, as far as memory allows. */
static void choose_level_batch(const sg_request *request, sg_plan *plan) {
    bool batches = request->device.operators->batches_levels;
    plan->level_batch = request->level_batch ? request->level_batch : batches ? plan->max_value + 1 : 1;
    if (!request->level_batch && plan->level_batch > SG_MAX_LEVEL_BATCH)
        plan->level_batch = SG_MAX_LEVEL_BATCH;
    plan->need = need_for(request, plan, request->n, plan->member_count);
    while (!request->level_batch && plan->level_batch > 1 && !sg_need_fits(request, plan->need)) {
        plan->level_batch = (plan->level_batch + 1) / 2;
        plan->need = need_for(request, plan, request->n, plan->member_count);
    }
}

/* The memory of a recursion whose layout stands; chooses the batch of levels on the way. */
static sg_status need_of_recursion(const sg_request *request, sg_plan *plan) {
    if (!rows_are_addressable(request, plan->rows))
        return sg_fail(request->context, SG_ERROR_UNSUPPORTED,
                       "backend '%s' has no rows of more than %" PRIu64 " heap sizes; use more --rows",
                       sg_backend_name(request->device.operators->backend), request->device.operators->max_columns);
    if (request->mode == SG_MODE_NIM)
        choose_level_batch(request, plan);
    else
        plan->need = need_for(request, plan, request->n, plan->member_count);
    return SG_OK;
}

/* One layout of the rows that were asked for, or as few as possible. */
static void lay_out_simply(const sg_request *request, sg_plan *plan) {
    plan->rows = least_rows(request);
    plan->inner_count = 0;
    plan->base_threshold_pos =
        request->base_threshold_pos ? request->base_threshold_pos : default_base_threshold(request, plan);
}

/* The cheapest layouts by the model; `simply`: the one that takes least memory, priced. */
static sg_status lay_out(const sg_request *request, sg_plan *plan, const sg_row_model *model, bool simply) {
    lay_out_simply(request, plan);
    sg_layout_limits limits = {
        .least_rows = least_rows(request),
        .rows = simply ? least_rows(request) : request->rows,
        .leaf_pos = simply || is_on_device(request) ? plan->base_threshold_pos : request->base_threshold_pos,
        .most_columns = request->device.operators->max_columns,
        .may_nest = request->device.operators->begin_with && !simply && request->level_batch <= 1,
    };
    sg_status status = sg_layout_choose(model, request, &limits, plan);
    if (is_on_device(request) && !request->base_threshold_pos)
        plan->base_threshold_pos = default_base_threshold(request, plan);
    if (request->mode == SG_MODE_NIM)
        plan->seconds *= (double)plan->max_value + 1;
    return status;
}

/* The recursion by shift_or and scatter. */
static sg_status plan_split(const sg_request *request, sg_plan *plan, const sg_row_model *model) {
    plan->policy = SG_POLICY_SPLIT;
    if (!model || least_rows(request) > SG_MAX_MODELLED_ROWS) {
        lay_out_simply(request, plan);
        return need_of_recursion(request, plan);
    }
    sg_status status = lay_out(request, plan, model, false);
    if (status == SG_OK)
        status = need_of_recursion(request, plan);
    if (status == SG_OK && !sg_need_fits(request, plan->need) && !request->rows) {
        status = lay_out(request, plan, model, true);
        if (status == SG_OK)
            status = need_of_recursion(request, plan);
    }
    return status;
}

/* The recursion with transforms, at every node or where they are cheapest. */
static sg_status plan_convolution(const sg_request *request, sg_plan *plan, sg_policy policy) {
    plan->engine = SG_ENGINE_CONVOLUTION;
    plan->policy = policy;
    lay_out_simply(request, plan);
    sg_rows layout = sg_rows_make(request->n, plan->rows, plan->base_threshold_pos);
    plan->seconds = sg_convolution_seconds(request->costs, &layout);
    if (request->mode == SG_MODE_NIM)
        plan->seconds *= (double)plan->max_value + 1;
    return need_of_recursion(request, plan);
}

/* The recursion, with the policy that the engine asks for or, for auto, the cheaper one. */
static sg_status plan_recursion(const sg_request *request, sg_plan *plan, const sg_row_model *model) {
    if (request->engine == SG_ENGINE_CONVOLUTION)
        return plan_convolution(request, plan, SG_POLICY_CONVOLVE);
    plan->engine = SG_ENGINE_SPLIT;
    sg_status status = plan_split(request, plan, model);
    if (status != SG_OK || request->engine != SG_ENGINE_AUTO || !model)
        return status;
    sg_plan convolving = *plan;
    status = plan_convolution(request, &convolving, SG_POLICY_CHEAPEST);
    if (status == SG_OK && sg_need_fits(request, convolving.need) && convolving.seconds < plan->seconds)
        *plan = convolving;
    return status;
}

static double tile_seconds(const sg_request *request, const sg_plan *plan) {
    double n = (double)request->n;
    bool listed = sg_members_are_listed(plan->member_count, request->n);
    double options =
        (listed ? (double)plan->member_count : n) * n * 0.6; /* between 1/2, for dense S, and 2/3, for squares */
    if (sg_plan_keeps_values(request, plan))
        return options / SG_DEVICE_TILE_OPTIONS_PER_SECOND + 1e-9 * n * SG_DEVICE_TILE_HEAP_NS;
    uint64_t words = plan->max_value / 64 + 1;
    double step_ns =
        words <= SG_TILE_SLICED_WORDS ? (double)words * request->costs->tile_word_ns : request->costs->tile_flat_ns;
    return 1e-9 * (options * step_ns / request->threads + n * request->costs->tile_heap_ns);
}

/* Turns a plan into one by tiles; on a device these are blocks, whose base cases follow the threshold. */
static void plan_tiles(const sg_request *request, sg_plan *plan) {
    plan->engine = SG_ENGINE_TILE;
    plan->rows = plan->inner_count = plan->base_threshold_pos = plan->level_batch = 0;
    if (sg_plan_keeps_values(request, plan)) {
        uint64_t asked = request->base_threshold_pos,
                 leaf_pos = asked ? asked : request->device.operators->nim->leaf_pos;
        plan->base_threshold_pos = leaf_pos < SG_DEVICE_NIM_LEAF_MOST ? leaf_pos : SG_DEVICE_NIM_LEAF_MOST;
        if (plan->value_bytes < request->device.operators->nim->minimal_bytes)
            plan->value_bytes = request->device.operators->nim->minimal_bytes;
    }
    plan->need = need_for(request, plan, request->n, plan->member_count);
    plan->seconds = tile_seconds(request, plan);
}

static sg_status plan_auto_nim(const sg_request *request, sg_plan *plan, const sg_row_model *model) {
    sg_status status = plan_recursion(request, plan, model);
    sg_plan tiles = *plan;
    if (is_on_device(request) && !request->device.operators->nim)
        return status;
    plan_tiles(request, &tiles);
    double levels_seconds = is_on_device(request) ? plan->seconds / SG_DEVICE_RECURSION_GAIN : plan->seconds;
    bool levels_fit = sg_need_fits(request, plan->need), tiles_fit = sg_need_fits(request, tiles.need);
    bool take_tiles = !model || tiles.seconds < levels_seconds;
    if (levels_fit != tiles_fit)
        take_tiles = tiles_fit;
    else if (!levels_fit)
        take_tiles |= tiles.need.host_bytes < plan->need.host_bytes;
    if (take_tiles)
        *plan = tiles;
    return status;
}

/* A request whose answer alone does not fit is not worth a count of S or a pilot. */
static bool is_hopeless(const sg_request *request) {
    return answer_bytes(request, request->n) > request->memory_limit_bytes;
}

static sg_status plan_direct(const sg_request *request, sg_plan *plan) {
    plan->engine = request->engine == SG_ENGINE_AUTO ? SG_ENGINE_DP : request->engine;
    if (plan->engine == SG_ENGINE_TILE) {
        plan_tiles(request, plan);
        return SG_OK;
    }
    plan->need = need_for(request, plan, request->n, plan->member_count);
    return SG_OK;
}

/* Auto, when nothing faster fits: the engine that takes the least beside its answer. */
static void plan_frugally(const sg_request *request, sg_plan *plan) {
    sg_plan frugal = *plan;
    frugal.engine = request->mode == SG_MODE_COLD ? SG_ENGINE_SIEVE : SG_ENGINE_DP;
    frugal.rows = frugal.inner_count = frugal.base_threshold_pos = frugal.level_batch = 0;
    frugal.seconds = 0;
    frugal.need = need_for(request, &frugal, request->n, frugal.member_count);
    if (frugal.need.host_bytes < plan->need.host_bytes)
        *plan = frugal;
}

/* Outcomes of long games: a longer pilot, laid out by what the first one showed, where it is foreseen to take a small
 * part of the whole. It tells finer residue classes apart, which longer games need. */
static sg_status look_further(const sg_request *request, const sg_plan *plan, sg_pilot *pilot, sg_row_model *model) {
    sg_request nearer = *request;
    sg_plan whole = *plan, part = *plan;
    sg_pilot longer = {0};
    sg_status status = SG_OK;
    nearer.n = request->n / SG_PILOT_SHARE;
    if (nearer.n > SG_PILOT_MOST_POS)
        nearer.n = SG_PILOT_MOST_POS;
    if (request->mode != SG_MODE_COLD || nearer.n <= pilot->n || least_rows(request) > SG_MAX_MODELLED_ROWS)
        return SG_OK;
    SG_TRY(lay_out(request, &whole, model, false));
    SG_TRY(lay_out(&nearer, &part, model, false));
    if ((double)SG_PILOT_SHARE * part.seconds > 4 * whole.seconds)
        return SG_OK;
    SG_TRY(sg_pilot_run_longer(request, nearer.n, &part, &longer));
    sg_row_model_close(model);
    sg_pilot_free(pilot);
    *pilot = longer;
    longer = (sg_pilot){0};
    SG_TRY(sg_row_model_open(model, request, pilot));
cleanup:
    sg_pilot_free(&longer);
    return status;
}

sg_status sg_plan_make(const sg_request *request, sg_plan *plan) {
    sg_pilot pilot = {0};
    sg_row_model model = {0};
    sg_status status = check_engine(request);
    *plan = (sg_plan){.engine = request->engine};
    if (status != SG_OK)
        return status;
    if (is_hopeless(request)) {
        plan->is_hopeless = true;
        plan->need.host_bytes = answer_bytes(request, request->n);
        return SG_OK;
    }
    bool recursive = sg_engine_is_recursive(request->engine) ||
                     (request->engine == SG_ENGINE_AUTO && request->mode != SG_MODE_REMOTENESS);
    bool choosing = recursive && !request->leanest && request->n > sg_pilot_longest(request->mode) &&
                    request->engine != SG_ENGINE_CONVOLUTION;
    SG_TRY(sg_members_count(request->context, request->game->subtraction, request->n, &plan->member_count));
    if (choosing || request->mode != SG_MODE_COLD)
        SG_TRY(sg_pilot_run(request, &pilot));
    plan_values(request, &pilot, plan);
    if (choosing) {
        SG_TRY(sg_row_model_open(&model, request, &pilot));
        SG_TRY(look_further(request, plan, &pilot, &model));
    }
    if (!recursive)
        status = plan_direct(request, plan);
    else if (request->mode == SG_MODE_NIM && request->engine == SG_ENGINE_AUTO)
        status = plan_auto_nim(request, plan, choosing ? &model : NULL);
    else
        status = plan_recursion(request, plan, choosing ? &model : NULL);
    if (status == SG_OK && request->engine == SG_ENGINE_AUTO && !sg_need_fits(request, plan->need) &&
        request->device.operators->backend == SG_BACKEND_CPU)
        plan_frugally(request, plan);
cleanup:
    sg_row_model_close(&model);
    sg_pilot_free(&pilot);
    return status;
}

/* The need for another n by the same engine and layout. No value is as large as n. */
static sg_need need_at(const sg_request *request, const sg_plan *plan, uint64_t n, const member_prefix *prefix) {
    sg_plan scaled = *plan;
    if (n && scaled.max_value > n - 1) {
        scaled.max_value = n - 1;
        scaled.value_bytes = width_for(scaled.max_value + (request->mode == SG_MODE_REMOTENESS));
    }
    return need_for(request, &scaled, n, count_below(prefix, n));
}

/* The largest n < end within the limit by this plan's engine and layout. */
static uint64_t largest_by_plan(const sg_request *request, const sg_plan *plan, const member_prefix *prefix,
                                uint64_t end) {
    uint64_t fits = 0;
    while (end - fits > 1) {
        uint64_t middle = fits + (end - fits) / 2;
        if (sg_need_fits(request, need_at(request, plan, middle, prefix)))
            fits = middle;
        else
            end = middle;
    }
    return fits;
}

enum { EXACT_ROUNDS = 4 };

sg_status sg_plan_largest_n(const sg_request *request, uint64_t below, uint64_t *largest_n) {
    /* Even one bit a heap size would not fit past `end`. */
    uint64_t limit = request->memory_limit_bytes, end = sg_multiply_saturating(sg_add_saturating(limit, 1), 8);
    sg_request trial = *request; /* a faster plan is only ever chosen when it fits, so the leanest decides */
    member_prefix prefix = {0};
    sg_memory memory;
    sg_plan plan;
    trial.leanest = true;
    sg_memory_init(&memory, request->context, 0);
    sg_status status = take_prefix(&prefix, request, end, &memory);
    /* A plan depends on its n: descend, from the largest n whose answer fits, until an n fits by its own plan. */
    if (request->rows && end / request->rows >= request->device.operators->max_columns)
        end = request->rows * request->device.operators->max_columns;
    if (end > below)
        end = below; /* needs can fall with n, where a larger one is cut into larger blocks */
    trial.n = end ? end - 1 : 0;
    while (trial.n && answer_bytes(request, trial.n) > limit)
        trial.n -= trial.n / 16 + 1;
    for (unsigned round = 0; status == SG_OK && trial.n; round++) {
        status = sg_plan_make(&trial, &plan);
        if (status != SG_OK || sg_need_fits(&trial, plan.need))
            break;
        trial.n = largest_by_plan(&trial, &plan, &prefix, trial.n);
        if (round >= EXACT_ROUNDS)
            trial.n -= trial.n / 16; /* plans that shrink with n step by step would take many rounds */
    }
    sg_memory_give(&memory, prefix.members);
    if (status == SG_OK)
        *largest_n = trial.n;
    return status;
}
