/* The ways to solve take turns at each size, so that they meet the same machine. A way ends when its next size would
 * not fit its share of the time: nobody's share depends on how fast another is. */
#include "crossover.h"

#include "clock.h"
#include "interrupt.h"
#include "progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A size is solved again while all its runs took less: short ones are the least of several. */
static const double SECONDS_A_SIZE = 0.05;
enum { RUNS_MAX = 5 };

/* A solve may overstay what was foreseen for it by this much of the whole budget. */
static const double OVERTIME = 0.25;

typedef struct watch {
    progress line;
    double share;    /* of the time there is */
    double deadline; /* clock_seconds at which a solve is ended */
    bool late;
} watch;

static bool on_progress(void *user, const sg_progress *inner) {
    watch *w = user;
    sg_progress outer = {.fraction = w->share < 1 ? w->share : 1, .phase = inner->phase};
    w->late |= clock_seconds() > w->deadline;
    return progress_report(&w->line, &outer) && !w->late;
}

static sg_solve_options options_for(const crossover *sweep, const crossover_series *series) {
    sg_solve_options options;
    sg_solve_options_init(&options);
    options.engine = series->engine;
    options.backend = series->backend;
    options.device = series->backend == SG_BACKEND_CPU ? 0 : (uint32_t)sweep->options->device.value;
    options.threads = (uint32_t)sweep->options->threads.value;
    options.memory_limit_bytes = sweep->options->memory_bytes.value;
    return options;
}

/* --- which ways there are --- */

static bool is_listed(unsigned list, int index) {
    return list == 0 ? index != 0 : list >> index & 1; /* without a list: all but auto, which is one of the others */
}

static bool has_device(const crossover *sweep) {
    uint32_t count = 0;
    sg_device_info info = {.struct_size = sizeof info};
    return sg_device_count(sweep->context, SG_BACKEND_CUDA, &count) == SG_OK && count > 0 &&
           sg_device_get_info(sweep->context, SG_BACKEND_CUDA, (uint32_t)sweep->options->device.value, &info) == SG_OK;
}

static void add_series(crossover *sweep, sg_engine engine, sg_backend backend) {
    crossover_series *series = &sweep->series[sweep->series_count];
    *series = (crossover_series){.engine = engine, .backend = backend};
    snprintf(series->name, sizeof series->name, "%s (%s)", sg_engine_name(engine), sg_backend_name(backend));
    sg_solve_options options = options_for(sweep, series);
    sg_result *result = NULL;
    if (sg_solve(sweep->context, sweep->game, sweep->mode, 1, &options, &result) == SG_OK)
        sweep->series_count++;
    sg_result_destroy(result);
}

/* An engine that was named must be there, on one of the backends at least. */
static exit_status list_series(crossover *sweep) {
    unsigned engines = sweep->options->engines, backends = sweep->options->backends;
    bool with_device = backends != 0 || has_device(sweep);
    for (int engine = 0; sg_engine_name((sg_engine)engine) != NULL; engine++) {
        size_t before = sweep->series_count;
        for (int backend = 0; is_listed(engines, engine) && sg_backend_name((sg_backend)backend) != NULL; backend++)
            if (is_listed(backends, backend) && (backend != SG_BACKEND_CUDA || with_device))
                add_series(sweep, (sg_engine)engine, (sg_backend)backend);
        if (sweep->series_count == before && engines >> engine & 1)
            return fail_usage("--engine %s: %s", sg_engine_name((sg_engine)engine), sg_last_error(sweep->context));
    }
    for (int backend = 0; sg_backend_name((sg_backend)backend) != NULL; backend++) {
        bool used = (backends >> backend & 1) == 0;
        for (size_t i = 0; i < sweep->series_count; i++)
            used |= sweep->series[i].backend == (sg_backend)backend;
        if (!used)
            return fail("--backend %s: %s", sg_backend_name((sg_backend)backend), sg_last_error(sweep->context));
    }
    return sweep->series_count > 0 ? EXIT_DONE : fail_usage("no engine serves --%s here", sg_mode_name(sweep->mode));
}

/* --- measuring --- */

/* The results of all ways must be the same. */
static exit_status compare(crossover *sweep, const crossover_series *series, size_t octave, const sg_result *result) {
    crossover_facts *facts = &sweep->facts[octave];
    sg_result_info info = {.struct_size = sizeof info};
    uint64_t fingerprint;
    sg_status status = sg_result_get_info(result, &info);
    if (status == SG_OK)
        status = sg_result_fingerprint(result, &fingerprint);
    if (status != SG_OK)
        return fail("cannot read the result: %s", sg_status_name(status));
    if (info.threads > sweep->threads)
        sweep->threads = info.threads;
    if (octave == sweep->octaves) {
        *facts = (crossover_facts){info.n, fingerprint, info.cold_count, info.member_count, info.max_value};
        sweep->octaves++;
    } else if (fingerprint != facts->fingerprint) {
        fail("%s gives fingerprint %016" PRIx64 " at n = %" PRIu64 ", the ways before it %016" PRIx64
             "; please report this with the set",
             series->name, fingerprint, info.n, facts->fingerprint);
        return EXIT_VERIFICATION;
    }
    return EXIT_DONE;
}

/* Solves once more; *stopped receives why the series has no such point, or NULL. */
static exit_status run_once(crossover *sweep, crossover_series *series, size_t octave, watch *w, const char **stopped) {
    crossover_point *point = &series->points[series->count];
    sg_solve_options options = options_for(sweep, series);
    sg_result *result = NULL;
    options.progress = on_progress;
    options.progress_user = w;
    double start = clock_seconds();
    sg_status status = sg_solve(sweep->context, sweep->game, sweep->mode, point->n, &options, &result);
    double seconds = clock_seconds() - start;
    if (status == SG_ERROR_MEMORY_LIMIT || status == SG_ERROR_OUT_OF_MEMORY)
        *stopped = "memory";
    else if (status == SG_ERROR_CANCELLED && w->late && !interrupted())
        *stopped = "time";
    else if (status != SG_OK)
        return fail_library(sweep->context, status);
    if (*stopped != NULL)
        return EXIT_DONE;
    if (point->runs == 0 || seconds < point->seconds)
        point->seconds = seconds;
    point->runs++;
    exit_status compared = compare(sweep, series, octave, result);
    sg_result_destroy(result);
    return compared;
}

static exit_status measure(crossover *sweep, crossover_series *series, size_t octave, uint64_t n, watch *w) {
    crossover_point *point = &series->points[series->count];
    double start = clock_seconds();
    exit_status status = EXIT_DONE;
    *point = (crossover_point){.n = n};
    w->late = false;
    w->deadline = start + OVERTIME * sweep->budget_seconds + sweep->budget_seconds / (double)sweep->series_count;
    do {
        status = run_once(sweep, series, octave, w, &series->stopped);
    } while (status == EXIT_DONE && series->stopped == NULL && point->runs < RUNS_MAX &&
             clock_seconds() - start < SECONDS_A_SIZE);
    if (point->runs > 0 && status == EXIT_DONE)
        series->count++;
    return status;
}

/* Seconds that the next size will take, from how the last two grew. */
static double foreseen(const crossover_series *series) {
    size_t count = series->count;
    double growth = 2.5;
    if (count == 0)
        return 0;
    if (count >= 2 && series->points[count - 1].seconds > 1e-3)
        growth = series->points[count - 1].seconds / series->points[count - 2].seconds;
    growth = growth < 2 ? 2 : growth > 5 ? 5 : growth;
    return growth * series->points[count - 1].seconds;
}

/* One size for every series that goes on; *any tells whether there was one. */
static exit_status measure_octave(crossover *sweep, size_t octave, double *spent, watch *w, bool *any) {
    uint64_t n = (uint64_t)1 << (FIRST_OCTAVE + octave);
    double share = sweep->budget_seconds / (double)sweep->series_count;
    exit_status status = EXIT_DONE;
    *any = false;
    for (size_t i = 0; i < sweep->series_count && status == EXIT_DONE; i++) {
        crossover_series *series = &sweep->series[i];
        if (series->stopped == NULL && sweep->options->limit.given && n > sweep->options->limit.value)
            series->stopped = "limit";
        if (series->stopped == NULL && spent[i] + foreseen(series) > share)
            series->stopped = "time";
        if (series->stopped != NULL)
            continue;
        double start = clock_seconds();
        status = measure(sweep, series, octave, n, w);
        spent[i] += clock_seconds() - start;
        w->share += (clock_seconds() - start) / sweep->budget_seconds;
        *any = true;
    }
    return status;
}

exit_status crossover_sweep(crossover *sweep) {
    double spent[SERIES_MAX] = {0}, start = clock_seconds();
    watch w;
    bool any = true;
    memset(&w, 0, sizeof w);
    progress_init(&w.line, !sweep->options->quiet && !sweep->options->no_progress);
    exit_status status = list_series(sweep);
    for (size_t octave = 0; status == EXIT_DONE && any && FIRST_OCTAVE + octave < OCTAVES_MAX; octave++)
        status = measure_octave(sweep, octave, spent, &w, &any);
    sweep->seconds = clock_seconds() - start;
    progress_clear(&w.line);
    return status;
}
