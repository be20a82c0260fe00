/* The costs of this machine, from whole solves.
 *
 * A kernel timed by itself says little about what it costs within a solve, where caches are shared and branches missed.
 * So games are solved, each with its method and rows given, and the costs c are fitted to the times t: the model T(c)
 * is a sum of counts times costs, so its derivatives are the counts, got from the model itself by changing one cost at
 * a time. In units of the built-in costs d, x = c/d solves
 *
 *     minimise  sum over probes (ln T(d x)/t)^2  +  PRIOR * sum over costs (ln x)^2
 *
 * which needs no knowledge of any single cost. The second term keeps what no probe depends on where it is: the model's
 * own error is a factor 1.3 or so, and built-in costs are right within a factor of 3 or so, so it weighs (ln 1.3 / ln
 * 3)^2. */
#include "job.h"
#include "pilot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct probe {
    const char *set;
    sg_mode mode;
    sg_engine engine;
    uint16_t rows; /* recursion only, else 0 */
} probe;

/* Where each cost matters: sparse and dense sets, few rows and many, values below and past 512. */
static const probe probes[] = {
    {"squares", SG_MODE_COLD, SG_ENGINE_SPLIT, 1},       {"squares", SG_MODE_COLD, SG_ENGINE_SPLIT, 5},
    {"squares", SG_MODE_COLD, SG_ENGINE_SPLIT, 65},      {"squares", SG_MODE_COLD, SG_ENGINE_SPLIT, 325},
    {"cubes", SG_MODE_COLD, SG_ENGINE_SPLIT, 1},         {"cubes", SG_MODE_COLD, SG_ENGINE_SPLIT, 7},
    {"primes", SG_MODE_COLD, SG_ENGINE_SPLIT, 2},        {"primes", SG_MODE_COLD, SG_ENGINE_SPLIT, 6},
    {"triangular", SG_MODE_COLD, SG_ENGINE_SPLIT, 9},    {"random{1,1/64}", SG_MODE_COLD, SG_ENGINE_SPLIT, 1},
    {"random{1,1/4}", SG_MODE_COLD, SG_ENGINE_SPLIT, 1}, {"fibonacci", SG_MODE_COLD, SG_ENGINE_SPLIT, 1},
    {"squares", SG_MODE_COLD, SG_ENGINE_CONVOLUTION, 1}, {"primes", SG_MODE_COLD, SG_ENGINE_CONVOLUTION, 1},
    {"squares", SG_MODE_COLD, SG_ENGINE_CONVOLUTION, 5}, {"primes", SG_MODE_NIM, SG_ENGINE_SPLIT, 2},
    {"squares", SG_MODE_NIM, SG_ENGINE_TILE, 0},         {"triangular", SG_MODE_NIM, SG_ENGINE_TILE, 0},
    {"fibonacci", SG_MODE_NIM, SG_ENGINE_TILE, 0},       {"random{1,1/100}", SG_MODE_NIM, SG_ENGINE_TILE, 0},
    {"random{1,1/4}", SG_MODE_NIM, SG_ENGINE_TILE, 0},   {"all", SG_MODE_NIM, SG_ENGINE_TILE, 0},
};

enum { PROBE_COUNT = sizeof probes / sizeof *probes, MOST_LOG2_N = 27, MOST_RUNS = 3, FIT_SWEEPS = 2000 };

static const double PRIOR = 0.06;
static const double FAR_OFF = 0.4;      /* ln 1.5 */
static const double MOST_FACTOR = 32.0; /* of a built-in cost, or its inverse: then something else is wrong */
static const double MOST_GROWTH = 4;    /* of the time when n doubles */
static const double STEP = 1.25;        /* of a cost, to see what depends on it */

typedef struct calibration {
    sg_context *context;
    const sg_calibrate_options *options;
    const sg_costs *built_in;
    double start;
    double share;                              /* seconds a probe may take */
    size_t done;                               /* probes */
    double fraction;                           /* last reported; a probe is several solves */
    size_t equations;                          /* probes that this build can run */
    double counts[PROBE_COUNT][SG_COST_COUNT]; /* T(d x)/t is the sum of these times x */
    double error_before;
    double error_after;
} calibration;

static sg_solve_options options_of(const probe *which) {
    sg_solve_options options;
    sg_solve_options_init(&options);
    options.engine = which->engine;
    options.backend = SG_BACKEND_CPU;
    options.threads = 1;
    options.rows = which->rows;
    return options;
}

static sg_status foresee(calibration *c, const probe *which, const sg_game *game, uint64_t n, const sg_costs *costs,
                         double *seconds) {
    sg_solve_options options = options_of(which);
    sg_request request;
    sg_plan plan;
    sg_status status;
    SG_TRY(sg_request_make(&request, c->context, game, which->mode, n, &options));
    request.costs = costs;
    SG_TRY(sg_plan_make(&request, &plan));
    *seconds = plan.seconds;
cleanup:
    return status;
}

static bool forward_progress(void *user, const sg_progress *inner) {
    calibration *c = user;
    double fraction = ((double)c->done + inner->fraction) / PROBE_COUNT;
    c->fraction = fraction > c->fraction ? fraction : c->fraction;
    sg_progress outer = {.fraction = c->fraction, .phase = "calibrate"};
    return !c->options->progress || c->options->progress(c->options->progress_user, &outer);
}

static sg_status time_solve(calibration *c, const probe *which, const sg_game *game, uint64_t n, double *seconds) {
    sg_solve_options options = options_of(which);
    sg_result *result = NULL;
    options.progress = forward_progress;
    options.progress_user = c;
    sg_status status = sg_solve(c->context, game, which->mode, n, &options, &result);
    if (status == SG_OK)
        *seconds = result->info.seconds_solve;
    sg_result_destroy(result);
    return status;
}

/* The least time of a few runs of a game that is as long as a probe's share of the time allows. */
static sg_status measure(calibration *c, const probe *which, const sg_game *game, uint64_t *n, double *seconds) {
    double begin = sg_seconds_now(), again;
    sg_status status;
    *n = 2 * sg_pilot_longest(which->mode);
    SG_TRY(time_solve(c, which, game, *n, seconds));
    while (*n < (uint64_t)1 << MOST_LOG2_N && sg_seconds_now() - begin + MOST_GROWTH * *seconds < c->share) {
        *n *= 2;
        SG_TRY(time_solve(c, which, game, *n, seconds));
    }
    for (int run = 1; run < MOST_RUNS && sg_seconds_now() - begin + *seconds < c->share; run++) {
        SG_TRY(time_solve(c, which, game, *n, &again));
        *seconds = again < *seconds ? again : *seconds;
    }
cleanup:
    return status;
}

/* One row of counts, from the differences that a step of each cost makes. */
static sg_status linearise(calibration *c, const probe *which, const sg_game *game, uint64_t n, double measured) {
    double base, stepped, *row = c->counts[c->equations];
    sg_status status;
    SG_TRY(foresee(c, which, game, n, c->built_in, &base));
    if (!(base > 0)) /* the model has no word on it */
        goto cleanup;
    for (size_t i = 0; i < SG_COST_COUNT; i++) {
        sg_costs costs = *c->built_in;
        if (!forward_progress(c, &(sg_progress){.fraction = 1}))
            SG_TRY(sg_monitor_stop(c->context));
        sg_costs_array(&costs)[i] *= STEP;
        SG_TRY(foresee(c, which, game, n, &costs, &stepped));
        row[i] = stepped > base ? (stepped - base) / (STEP - 1) / measured : 0;
    }
    c->equations++;
cleanup:
    return status;
}

static sg_status run_probe(calibration *c, const probe *which) {
    sg_game *game = NULL;
    uint64_t n;
    double measured;
    sg_status status;
    SG_TRY(sg_game_create(c->context, which->set, &game));
    status = measure(c, which, game, &n, &measured);
    if (status == SG_ERROR_UNSUPPORTED) { /* this build has no such engine, nor use for its costs */
        status = SG_OK;
        goto cleanup;
    }
    SG_TRY(status);
    SG_TRY(linearise(c, which, game, n, measured));
cleanup:
    sg_game_destroy(game);
    c->done++;
    return status;
}

/* Foreseen over measured. */
static double ratio(const calibration *c, size_t equation, const double *factors) {
    double sum = 0;
    for (size_t i = 0; i < SG_COST_COUNT; i++)
        sum += c->counts[equation][i] * factors[i];
    return sum > 1e-9 ? sum : 1e-9; /* its logarithm is taken */
}

static double mean_error(const calibration *c, const double *factors) {
    double sum = 0;
    for (size_t e = 0; e < c->equations; e++)
        sum += fabs(log(ratio(c, e, factors)));
    return c->equations ? sum / (double)c->equations : 0;
}

/* Coordinate descent by Gauss and Newton: a solve's derivative by ln x_i is the share that cost i has in it. Solves
 * that are far off weigh less, after Huber: there it is the model that is wrong. */
static void fit(const calibration *c, double *factors) {
    for (int sweep = 0; sweep < FIT_SWEEPS; sweep++)
        for (size_t i = 0; i < SG_COST_COUNT; i++) {
            double slope = PRIOR * log(factors[i]), curvature = PRIOR;
            for (size_t e = 0; e < c->equations; e++) {
                double foreseen = ratio(c, e, factors), error = log(foreseen);
                double share = c->counts[e][i] * factors[i] / foreseen;
                double weight = fabs(error) > FAR_OFF ? FAR_OFF / fabs(error) : 1;
                slope += weight * share * error;
                curvature += weight * share * share;
            }
            double factor = factors[i] * exp(-slope / curvature);
            factors[i] = factor < 1 / MOST_FACTOR ? 1 / MOST_FACTOR : factor > MOST_FACTOR ? MOST_FACTOR : factor;
        }
}

void sg_calibrate_options_init(sg_calibrate_options *options) {
    if (options)
        *options = (sg_calibrate_options){.struct_size = sizeof *options, .seconds = 20};
}

static sg_status find_costs(calibration *c, sg_costs *costs) {
    double ones[SG_COST_COUNT], factors[SG_COST_COUNT];
    const char *instruction_set;
    sg_status status;
    SG_TRY(sg_instruction_set_name(c->context, &instruction_set));
    c->built_in = sg_costs_default(instruction_set);
    for (size_t i = 0; i < PROBE_COUNT; i++)
        SG_TRY(run_probe(c, &probes[i]));
    for (size_t i = 0; i < SG_COST_COUNT; i++)
        ones[i] = factors[i] = 1;
    fit(c, factors);
    c->error_before = mean_error(c, ones);
    c->error_after = mean_error(c, factors);
    for (size_t i = 0; i < SG_COST_COUNT; i++)
        sg_costs_array(costs)[i] = sg_costs_values(c->built_in)[i] * factors[i];
cleanup:
    return status;
}

sg_status sg_calibrate(sg_context *context, const sg_calibrate_options *options, sg_calibration *report) {
    sg_calibrate_options given;
    sg_costs costs;
    sg_status status;
    sg_calibrate_options_init(&given);
    if (!context || (options && options->struct_size < sizeof(size_t)) ||
        (report && report->struct_size < sizeof(size_t)))
        return sg_fail(context, SG_ERROR_INVALID_ARGUMENT,
                       "sg_calibrate needs a context, and the struct_size of what it is given");
    if (options)
        memcpy(&given, options, options->struct_size < sizeof given ? options->struct_size : sizeof given);
    if (!(given.seconds > 0 && given.seconds <= 1e6))
        return sg_fail(context, SG_ERROR_INVALID_ARGUMENT,
                       "a calibration takes more than 0 and at most a million seconds");
    calibration *c = calloc(1, sizeof *c);
    if (!c)
        return sg_fail(context, SG_ERROR_OUT_OF_MEMORY, "out of memory");
    *c = (calibration){
        .context = context, .options = &given, .start = sg_seconds_now(), .share = given.seconds / PROBE_COUNT};
    SG_TRY(find_costs(c, &costs));
    SG_TRY(sg_costs_put(context, &costs));
    sg_calibration found = {.instruction_set = c->context->costs_for,
                            .solves = (uint32_t)c->equations,
                            .seconds = sg_seconds_now() - c->start,
                            .error_before = c->error_before,
                            .error_after = c->error_after};
    if (report)
        sg_struct_give(report, &found, sizeof found);
cleanup:
    free(c);
    return status;
}
