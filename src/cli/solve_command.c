/* The order is chosen so that nothing is lost to a late surprise: the output opens before the solve, the result is
 * checked before any of it is written, and the report comes last because it tells how long the writing took. */
#include "solve_command.h"

#include "clock.h"
#include "interrupt.h"
#include "output.h"
#include "progress.h"
#include "report.h"

#include <inttypes.h>
#include <string.h>

typedef struct run {
    sg_context *context;
    const cli_options *options;
    sg_game *game;
    sg_result *result;
    sg_solve_options solve_options;
    progress line;
    run_report report;
    double start;
} run;

/* The library names the token; the option says where it stands. Sets are arguments: whatever is wrong with them, a
 * missing file too, is bad usage. */
static exit_status fail_set(const run *r, const char *option, sg_status status) {
    if (status == SG_ERROR_OUT_OF_MEMORY || status == SG_ERROR_INTERNAL)
        return fail_library(r->context, status);
    return fail_usage("%s: %s", option, sg_last_error(r->context));
}

static exit_status make_game(run *r) {
    const cli_options *options = r->options;
    sg_status status = sg_game_create(r->context, options->set, &r->game);
    if (status != SG_OK)
        return fail_set(r, "--set", status);
    if (options->hotspots != NULL) {
        status = sg_game_set_hotspots(r->context, r->game, options->hotspots);
        if (status != SG_OK)
            return fail_set(r, "--hotspots", status);
    }
    status = sg_game_set_play(r->context, r->game, options->misere ? SG_PLAY_MISERE : SG_PLAY_NORMAL);
    r->report.game = r->game;
    return status == SG_OK ? EXIT_DONE : fail_library(r->context, status);
}

static void prepare_solve(run *r) {
    const cli_options *options = r->options;
    sg_solve_options_init(&r->solve_options);
    r->solve_options.engine = (sg_engine)options->engine;
    r->solve_options.backend = (sg_backend)options->backend;
    r->solve_options.device = (uint32_t)options->device.value;
    r->solve_options.threads = (uint32_t)options->threads.value;
    r->solve_options.memory_limit_bytes = options->memory_bytes.value;
    r->solve_options.base_threshold_pos = options->base_threshold.value;
    r->solve_options.rows = options->rows.value;
    r->solve_options.level_batch = (uint32_t)options->level_batch.value;
    r->solve_options.near = (sg_near)options->near;
    r->solve_options.progress = progress_report;
    r->solve_options.progress_user = &r->line;
    progress_init(&r->line, !options->quiet && !options->no_progress);
}

static exit_status solve(run *r) {
    prepare_solve(r);
    cost_profile_use(r->context, &r->report.profile);
    sg_status status = sg_solve(r->context, r->game, (sg_mode)r->options->mode, r->options->limit.value,
                                &r->solve_options, &r->result);
    if (status == SG_OK) {
        r->report.result = r->result;
        r->report.info.struct_size = sizeof r->report.info;
        status = sg_result_get_info(r->result, &r->report.info);
    }
    if (status == SG_OK)
        status = sg_result_fingerprint(r->result, &r->report.fingerprint);
    progress_clear(&r->line);
    return status == SG_OK ? EXIT_DONE : fail_library(r->context, status);
}

/* The fingerprint is the seed: a run can be repeated, and a different result is checked at different heap sizes. */
static exit_status verify(run *r) {
    sg_verify_report *verified = &r->report.verified;
    verified->struct_size = sizeof *verified;
    if (r->options->verify.value == 0 || r->report.info.n == 0)
        return EXIT_DONE;
    sg_status status = sg_verify(r->context, r->game, r->result, r->options->verify.value, r->report.fingerprint,
                                 &r->solve_options, verified);
    progress_clear(&r->line);
    if (status != SG_OK)
        return fail_library(r->context, status);
    if (verified->failures == 0)
        return EXIT_DONE;
    fail("verification failed at %" PRIu64 " of %" PRIu64 " heap sizes, the first at %" PRIu64
         "; please report this with the set, n and engine",
         verified->failures, verified->samples, verified->first_failure);
    return EXIT_VERIFICATION;
}

static exit_status write_data(run *r, const output_format *format, sink *out) {
    if (sink_is_terminal(out))
        r->line.shown = false; /* two things at once on one screen */
    output_job job = {.result = r->result,
                      .info = &r->report.info,
                      .from = r->options->from.value,
                      .offset = r->options->offset.value,
                      .out = out,
                      .line = &r->line};
    double start = clock_seconds();
    sg_status status = format->write(&job);
    progress_clear(&r->line);
    exit_status outcome = EXIT_DONE;
    if (status != SG_OK)
        outcome = fail("cannot read the result: %s", sg_status_name(status));
    else if (interrupted())
        outcome = fail_library(r->context, SG_ERROR_CANCELLED);
    if (outcome == EXIT_DONE)
        outcome = sink_close(out);
    else
        sink_discard(out);
    r->report.seconds_output = clock_seconds() - start;
    return outcome;
}

/* The last word on standard output: JSON if asked for, else the summary if it has not gone elsewhere. */
static exit_status print_report(run *r, bool summary_wanted) {
    static sink console;
    sink_open_stdout(&console);
    r->report.seconds_total = clock_seconds() - r->start;
    if (r->options->json)
        report_json(&r->report, &console);
    else if (summary_wanted && !r->options->quiet)
        report_summary(&r->report, &console);
    return sink_close(&console);
}

/* Data, or the summary that was asked for in a file. */
static exit_status write_output(run *r, const output_format *format, sink *out) {
    if (format->write != NULL)
        return write_data(r, format, out);
    if (output_is_stdout(r->options))
        return EXIT_DONE;
    r->report.seconds_total = clock_seconds() - r->start;
    report_summary(&r->report, out);
    return sink_close(out);
}

/* Everything after the output is open. */
static exit_status produce(run *r, const output_format *format, sink *out) {
    bool summary_is_data = format->write == NULL;
    bool to_file = !output_is_stdout(r->options);
    exit_status status = solve(r);
    if (status == EXIT_DONE)
        status = verify(r);
    if (status == EXIT_DONE && interrupted())
        status = fail_library(r->context, SG_ERROR_CANCELLED);
    if (status != EXIT_DONE) {
        sink_discard(out);
        /* Data that are wrong are worth nothing; a report that says how many are wrong is. */
        if (status == EXIT_VERIFICATION)
            print_report(r, summary_is_data || to_file);
        return status;
    }
    status = write_output(r, format, out);
    return status == EXIT_DONE ? print_report(r, summary_is_data != to_file) : status;
}

exit_status solve_command(sg_context *context, const cli_options *options) {
    static sink out;
    const output_format *format = output_format_at(options->format);
    static run r;
    memset(&r, 0, sizeof r);
    r.context = context;
    r.options = options;
    r.start = clock_seconds();

    exit_status status = make_game(&r);
    if (status != EXIT_DONE)
        goto cleanup;
    status = sink_open(&out, output_is_stdout(options) ? "-" : options->output);
    if (status != EXIT_DONE)
        goto cleanup;
    if (format->binary && sink_is_terminal(&out)) {
        status = fail_usage("--format %s is binary and not for a terminal: add --output FILE", format->name);
        sink_discard(&out);
        goto cleanup;
    }
    status = produce(&r, format, &out);

cleanup:
    sg_result_destroy(r.result);
    sg_game_destroy(r.game);
    return status;
}
