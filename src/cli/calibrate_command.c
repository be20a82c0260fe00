#include "calibrate_command.h"

#include "cost_profile.h"
#include "json.h"
#include "print.h"
#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_COLUMNS = 20, PATH_MAX_BYTES = 512 };

typedef struct calibrated {
    sg_context *context;
    const char *path; /* of the profile */
    sg_device_info processor;
    sg_calibration found;
} calibrated;

static void print_costs(const calibrated *done, sink *out) {
    sg_cost_info cost = {.struct_size = sizeof cost};
    char text[NUMBER_TEXT_BYTES];
    print_label(out, "processor");
    print_foreign(out, done->processor.name, sizeof done->processor.name);
    sink_format(out, ", %s\n", done->found.instruction_set);
    print_label(out, "measured");
    sink_format(out, "%u games in %s\n", done->found.solves, duration_text(done->found.seconds, text));
    print_label(out, "estimates");
    sink_format(out, "off by a factor %.2f on average as built in, %.2f now\n", exp(done->found.error_before),
                exp(done->found.error_after));
    sink_format(out, "%-*s %12s %12s\n", NAME_COLUMNS, "cost", "built in", "measured");
    for (size_t i = 0; sg_profile_cost(done->context, i, &cost); i++)
        sink_format(out, "%-*s %12.4f %12.4f  %s\n", NAME_COLUMNS, cost.name, cost.default_ns, cost.ns, cost.meaning);
    print_label(out, "profile");
    print_foreign(out, done->path, PATH_MAX_BYTES);
    sink_char(out, '\n');
}

static void write_costs(const calibrated *done, sink *out) {
    sg_cost_info cost = {.struct_size = sizeof cost};
    json writer;
    json_begin(&writer, out);
    json_text(&writer, "schema", "subgame/1");
    json_text(&writer, "version", sg_version());
    json_text(&writer, "mode", "calibrate");
    json_text(&writer, "processor", done->processor.name);
    json_text(&writer, "instruction_set", done->found.instruction_set);
    json_text(&writer, "profile", done->path);
    json_number(&writer, "solves", done->found.solves);
    json_seconds(&writer, "seconds", done->found.seconds);
    json_real(&writer, "error_before", done->found.error_before);
    json_real(&writer, "error_after", done->found.error_after);
    json_array(&writer, "costs");
    for (size_t i = 0; sg_profile_cost(done->context, i, &cost); i++) {
        json_item(&writer);
        json_text(&writer, "name", cost.name);
        json_real(&writer, "default_ns", cost.default_ns);
        json_real(&writer, "ns", cost.ns);
        json_text(&writer, "meaning", cost.meaning);
        json_object_end(&writer);
    }
    json_array_end(&writer);
    json_end(&writer);
}

static exit_status report(const calibrated *done, const cli_options *options) {
    static sink console;
    sink_open_stdout(&console);
    if (options->json)
        write_costs(done, &console);
    else if (!options->quiet)
        print_costs(done, &console);
    return sink_close(&console);
}

static sg_status calibrate(calibrated *done, const cli_options *options) {
    sg_calibrate_options how;
    progress line;
    sg_calibrate_options_init(&how);
    if (options->seconds.value != 0)
        how.seconds = (double)options->seconds.value;
    how.progress = progress_report;
    how.progress_user = &line;
    progress_init(&line, !options->quiet && !options->no_progress);
    done->found.struct_size = sizeof done->found;
    done->processor.struct_size = sizeof done->processor;
    sg_status status = sg_device_get_info(done->context, SG_BACKEND_CPU, 0, &done->processor);
    if (status == SG_OK)
        status = sg_calibrate(done->context, &how, &done->found);
    progress_clear(&line);
    return status;
}

exit_status calibrate_command(sg_context *context, const cli_options *options) {
    static cost_profile profile;
    calibrated done = {.context = context, .path = options->output};
    if (done.path != NULL && strcmp(done.path, "-") == 0)
        return fail_usage("--output -: a profile is a file");
    if (done.path == NULL) {
        cost_profile_find(&profile);
        done.path = profile.path;
        if (profile.path[0] == '\0')
            return fail_usage("there is no place for the profile: give --output FILE");
        cost_profile_make_folders(&profile);
    }
    sg_status status = calibrate(&done, options);
    if (status == SG_OK)
        status = sg_profile_save(context, done.path);
    return status == SG_OK ? report(&done, options) : fail_library(context, status);
}
