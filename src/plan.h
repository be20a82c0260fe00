/* What a solve will do: made by the planner, carried out by the engines. */
#ifndef SG_PLAN_H
#define SG_PLAN_H

#include "backend.h"
#include "game.h"

/* What was asked for, checked and with defaults filled in. */
typedef struct sg_request {
    sg_context *context;
    const sg_game *game;
    sg_mode mode;
    uint64_t n;
    sg_engine engine; /* may be SG_ENGINE_AUTO */
    uint32_t threads;
    uint64_t asked_limit_bytes; /* 0: none */
    uint64_t memory_limit_bytes;
    uint64_t base_threshold_pos; /* 0: the planner's choice */
    uint64_t rows;               /* 0: the planner's choice */
    uint64_t level_batch;        /* 0: the planner's choice */
    sg_near near;
    sg_device device;
    uint64_t device_limit_bytes; /* UINT64_MAX for the CPU, whose fields take the host's memory */
    bool may_move;               /* backend auto: from the CPU to a device */
    uint32_t cuda_device;        /* which one */
    const sg_costs *costs;       /* belongs to the context */
    bool leanest;                /* plan for the least memory instead of the least time; cheaper to plan too */
} sg_request;

/* Checks what a caller asks for and fills in the defaults; `options` may be NULL. */
sg_status sg_request_make(sg_request *request, sg_context *context, const sg_game *game, sg_mode mode, uint64_t n,
                          const sg_solve_options *options);

/* Which operators the recursion may use. */
typedef enum sg_policy {
    SG_POLICY_SPLIT,    /* shift_or and scatter */
    SG_POLICY_CONVOLVE, /* convolve at every node */
    SG_POLICY_CHEAPEST  /* the cheapest of the three at each node */
} sg_policy;

typedef struct sg_plan {
    sg_engine engine;
    sg_policy policy;     /* recursion only */
    uint64_t rows;        /* M, of the outermost layout; recursion only, else 0 */
    uint64_t inner_count; /* layouts inside it, outer ones first */
    sg_inner_layer inner[SG_MAX_INNER_LAYERS];
    uint64_t base_threshold_pos; /* recursion, and nim-values by tiles on a device; else 0 */
    uint64_t level_batch;        /* levels solved at once; nim by recursion only, else 0 */
    unsigned value_bytes;        /* width to reserve for a value; 0 for outcomes */
    uint64_t max_value;          /* foreseen; 0 for outcomes */
    uint64_t member_count;       /* as sg_members_count gives it */
    sg_need need;                /* peak memory */
    bool is_hopeless;            /* the answer alone does not fit: `need` is its size, all else is unset */
    double seconds;
} sg_plan;

/* Whether an engine is the recursion: only these have levels, rows and work for a device. */
bool sg_engine_is_recursive(sg_engine engine);

/* Whether the plan solves nim-values by blocks, whose values the device keeps. */
bool sg_plan_keeps_values(const sg_request *request, const sg_plan *plan);

/* Whether an engine serves a mode. */
bool sg_engine_serves(sg_engine engine, sg_mode mode);

/* Whether a need stays within the request's limits. */
bool sg_need_fits(const sg_request *request, sg_need need);

/* Makes the plan of a request with n >= 1. Checks that the engine serves the mode. `plan->need` may pass the limits:
 * the caller compares. Runs small pilot solves when there is something to foresee, unless the plan is hopeless. */
sg_status sg_plan_make(const sg_request *request, sg_plan *plan);

/* The largest n < below that the request's engine, mode and options can solve within the request's memory limit, each n
 * by the plan that would be made for it; 0 when none. */
sg_status sg_plan_largest_n(const sg_request *request, uint64_t below, uint64_t *largest_n);

#endif
