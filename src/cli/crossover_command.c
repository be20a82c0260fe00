#include "crossover_command.h"

#include "cost_profile.h"
#include "crossover.h"
#include "output.h"

enum { DEFAULT_SECONDS = 60 };

/* Data in csv to its place; the summary or JSON to standard output, as after a solve. */
static exit_status tell(const crossover *sweep, sink *out) {
    static sink console;
    const cli_options *options = sweep->options;
    bool as_data = output_format_at(options->format)->write != NULL, to_file = !output_is_stdout(options);
    if (as_data)
        crossover_write_csv(sweep, out);
    else if (to_file)
        crossover_print(sweep, out);
    exit_status status = as_data || to_file ? sink_close(out) : EXIT_DONE;
    if (status != EXIT_DONE)
        return status;
    sink_open_stdout(&console);
    if (options->json)
        crossover_write_json(sweep, &console);
    else if (!options->quiet && as_data == to_file)
        crossover_print(sweep, &console);
    return sink_close(&console);
}

exit_status crossover_command(sg_context *context, const cli_options *options) {
    static crossover sweep;
    static cost_profile profile;
    static sink out;
    sg_game *game = NULL;
    sg_status made = sg_game_create(context, options->set, &game);
    if (made == SG_ERROR_OUT_OF_MEMORY || made == SG_ERROR_INTERNAL)
        return fail_library(context, made);
    if (made != SG_OK)
        return fail_usage("--set: %s", sg_last_error(context));
    sweep.context = context;
    sweep.options = options;
    sweep.game = game;
    sweep.mode = options->compared;
    sweep.budget_seconds = options->seconds.value != 0 ? (double)options->seconds.value : DEFAULT_SECONDS;
    cost_profile_use(context, &profile);
    exit_status status = options->plot != NULL ? crossover_plot_check() : EXIT_DONE;
    if (status == EXIT_DONE)
        status = sink_open(&out, output_is_stdout(options) ? "-" : options->output);
    if (status != EXIT_DONE)
        goto cleanup;
    status = crossover_sweep(&sweep);
    if (status != EXIT_DONE) {
        sink_discard(&out);
        goto cleanup;
    }
    crossover_conclude(&sweep);
    status = tell(&sweep, &out);
    if (status == EXIT_DONE && options->plot != NULL)
        status = crossover_plot(&sweep, options->plot);
cleanup:
    sg_game_destroy(game);
    return status;
}
