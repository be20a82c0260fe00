/* The report for people. */
#include "print.h"
#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LINE_COLUMNS = 74, /* leaves room for an ellipsis */ NAME_MAX_BYTES = 200, REASON_MAX_BYTES = 512 };

/* Puts an item on the current line, or on a new one under the first item when it would pass the last column. */
static void list_item(sink *out, const char *item, size_t *column) {
    const char *gap = *column == 0 ? "" : "  ";
    if (*column == 0)
        *column = LABEL_COLUMNS;
    if (*column + strlen(gap) + strlen(item) > LINE_COLUMNS) {
        sink_format(out, "\n%-*s", LABEL_COLUMNS, "");
        *column = LABEL_COLUMNS;
        gap = "";
    }
    sink_text(out, gap);
    sink_text(out, item);
    *column += strlen(gap) + strlen(item);
}

static void print_game(const run_report *report, sink *out) {
    static const char *const wanted[] = {"cold heap sizes among", "nim-values of heap sizes",
                                         "remoteness of heap sizes"};
    const char *hotspots = sg_game_hotspots_name(report->game);
    print_label(out, "game");
    sink_text(out, "subtract ");
    print_foreign(out, sg_game_set_name(report->game), NAME_MAX_BYTES);
    if (hotspots != NULL) {
        sink_text(out, ", hotspots ");
        print_foreign(out, hotspots, NAME_MAX_BYTES);
    }
    sink_text(out, sg_game_play(report->game) == SG_PLAY_MISERE ? ", misere play\n" : ", normal play\n");
    print_label(out, "computed");
    if (report->info.n == 0) {
        sink_text(out, "nothing (n = 0)\n");
    } else {
        char text[NUMBER_TEXT_BYTES];
        sink_format(out, "%s 0 .. %s\n", wanted[report->info.mode], grouped_text(report->info.n - 1, text));
    }
}

/* What the planner went by; nothing when that is built in. */
static void print_profile(const cost_profile *profile, sink *out) {
    if (!profile->used && profile->unused[0] == '\0')
        return;
    print_label(out, "costs");
    if (!profile->used)
        sink_text(out, "built in, since ");
    print_foreign(out, profile->used ? profile->path : profile->unused, REASON_MAX_BYTES);
    sink_char(out, '\n');
}

static void print_machine(const run_report *report, sink *out) {
    const sg_result_info *info = &report->info;
    char text[NUMBER_TEXT_BYTES], other[NUMBER_TEXT_BYTES];
    print_label(out, "engine");
    sink_text(out, sg_engine_name(info->engine));
    if (info->rows > 0)
        sink_format(out, ", %s row%s", grouped_text(info->rows, text), info->rows == 1 ? "" : "s");
    for (uint64_t i = 0; i < info->inner_count; i++)
        sink_format(out, ", %s in blocks of %s", grouped_text(info->inner[i].rows, text),
                    grouped_text(info->inner[i].block_pos, other));
    if (info->base_threshold_pos > 0)
        sink_format(out, ", base threshold %s", grouped_text(info->base_threshold_pos, text));
    if (info->levels > 0)
        sink_format(out, ", %s levels", grouped_text(info->levels, text));
    if (info->level_batch > 1)
        sink_format(out, ", %s at a time", grouped_text(info->level_batch, text));
    if (info->near != SG_NEAR_AUTO)
        sink_format(out, ", base cases by %s", sg_near_name(info->near));
    sink_char(out, '\n');
    print_label(out, "backend");
    sink_text(out, sg_backend_name(info->backend));
    if (info->device != NULL && info->device[0] != '\0') {
        sink_text(out, ", ");
        print_foreign(out, info->device, NAME_MAX_BYTES);
    }
    sink_format(out, ", %s, %u thread%s\n", info->instruction_set, info->threads, info->threads == 1 ? "" : "s");
    if (info->fallback != NULL) {
        print_label(out, "no GPU");
        print_foreign(out, info->fallback, REASON_MAX_BYTES);
        sink_char(out, '\n');
    }
    print_profile(&report->profile, out);
    print_label(out, "memory");
    sink_format(out, "%s at the peak, %s foreseen", bytes_text(info->peak_bytes, text),
                bytes_text(info->estimated_bytes, other));
    if (info->device_estimated_bytes > 0)
        sink_format(out, "; on the device %s, %s foreseen", bytes_text(info->device_peak_bytes, text),
                    bytes_text(info->device_estimated_bytes, other));
    sink_char(out, '\n');
}

static void print_time(const run_report *report, sink *out) {
    const sg_result_info *info = &report->info;
    const struct {
        const char *name;
        double seconds;
    } parts[] = {{"plan", info->seconds_plan},         {"set", info->seconds_set},
                 {"solve", info->seconds_solve},       {"summary", info->seconds_summary},
                 {"verify", report->verified.seconds}, {"output", report->seconds_output}};
    char text[NUMBER_TEXT_BYTES], item[2 * NUMBER_TEXT_BYTES];
    const char *separator = " (";
    print_label(out, "time");
    sink_text(out, duration_text(report->seconds_total, text));
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i].seconds <= 0.0)
            continue;
        snprintf(item, sizeof item, "%s%s %s", separator, parts[i].name, duration_text(parts[i].seconds, text));
        sink_text(out, item);
        separator = ", ";
    }
    sink_text(out, separator[0] == ',' ? ")\n" : "\n");
    if (info->option_count > 0 && info->seconds_solve > 0.0) {
        print_label(out, "speed");
        sink_text(out, rate_text((double)info->option_count / info->seconds_solve, text));
        sink_format(out, " options/s, %s%s options\n", info->option_count == UINT64_MAX ? "more than " : "",
                    grouped_text(info->option_count, text));
    }
}

/* One kind of kernel: time, rate, and how near that is to what the device could do. */
static void print_kernel(const sg_kernel_report *kernel, sink *out) {
    char text[NUMBER_TEXT_BYTES], calls[NUMBER_TEXT_BYTES];
    bool timed = kernel->seconds > 0.0;
    sink_format(out, "%-12s %10s  %11s call%s", kernel->name,
                timed ? duration_text(kernel->seconds, text) : "not timed", grouped_text(kernel->calls, calls),
                kernel->calls == 1 ? "" : "s");
    if (timed) {
        double per_second = (double)kernel->work / kernel->seconds;
        sink_format(out, ", %s %s/s", rate_text(per_second, text), kernel->unit);
        if (kernel->limit_per_second > 0.0)
            sink_format(out, ", %.1f%% of the device's limit", 100.0 * per_second / kernel->limit_per_second);
    }
    sink_char(out, '\n');
}

static void print_device_work(const run_report *report, sink *out) {
    const sg_result_info *info = &report->info;
    char text[NUMBER_TEXT_BYTES], other[NUMBER_TEXT_BYTES];
    sg_kernel_report kernel = {.struct_size = sizeof kernel};
    for (size_t i = 0; sg_result_kernel(report->result, i, &kernel); i++) {
        print_label(out, i == 0 ? "kernels" : "");
        print_kernel(&kernel, out);
    }
    if (info->bytes_to_device > 0 || info->bytes_from_device > 0) {
        print_label(out, "bus");
        sink_format(out, "%s to the device, %s back\n", bytes_text(info->bytes_to_device, text),
                    bytes_text(info->bytes_from_device, other));
    }
}

static void print_cold(const run_report *report, sink *out) {
    enum { FIRST_COLD = 12 };
    const sg_result_info *info = &report->info;
    char text[NUMBER_TEXT_BYTES];
    print_label(out, "cold");
    sink_format(out, "%s heap sizes, %.4g%%\n", grouped_text(info->cold_count, text),
                100.0 * (double)info->cold_count / (double)info->n);
    if (info->mode != SG_MODE_COLD || info->cold_count == 0)
        return;
    size_t column = 0;
    uint64_t heap = 0;
    print_label(out, "first cold");
    for (int i = 0; i < FIRST_COLD && sg_result_next_cold(report->result, heap, &heap); i++, heap++)
        list_item(out, grouped_text(heap, text), &column);
    sink_text(out, info->cold_count > FIRST_COLD ? "  ...\n" : "\n");
}

/* The most frequent values are the small ones, so the head of the histogram says most. */
static void print_values(const run_report *report, sink *out) {
    enum { HISTOGRAM_HEAD = 12 };
    const sg_result_info *info = &report->info;
    uint64_t counts[HISTOGRAM_HEAD];
    char text[NUMBER_TEXT_BYTES], item[2 * NUMBER_TEXT_BYTES];
    size_t shown = info->max_value < HISTOGRAM_HEAD ? (size_t)info->max_value + 1 : HISTOGRAM_HEAD;
    if (info->mode == SG_MODE_COLD)
        return;
    print_label(out, info->mode == SG_MODE_NIM ? "max nim-value" : "max remoteness");
    sink_format(out, "%s", grouped_text(info->max_value, text));
    sink_format(out, " at heap size %s\n", grouped_text(info->max_value_at, text));
    if (sg_result_histogram(report->result, counts, shown) != SG_OK)
        return;
    size_t column = 0;
    print_label(out, "histogram");
    for (size_t value = 0; value < shown; value++) {
        snprintf(item, sizeof item, "%zu: %s", value, grouped_text(counts[value], text));
        list_item(out, item, &column);
    }
    sink_text(out, info->max_value >= HISTOGRAM_HEAD ? "  ...\n" : "\n");
}

static void print_verified(const run_report *report, sink *out) {
    const sg_verify_report *verified = &report->verified;
    char text[NUMBER_TEXT_BYTES];
    print_label(out, "verified");
    if (verified->samples == 0) {
        sink_text(out, report->info.n == 0 ? "nothing to check\n" : "nothing (--verify 0)\n");
        return;
    }
    if (verified->failures > 0)
        sink_format(out, "%s of ", grouped_text(verified->failures, text));
    else if (verified->samples == report->info.n)
        sink_text(out, "all ");
    sink_format(out, "%s", grouped_text(verified->samples, text));
    sink_text(out, verified->samples == report->info.n ? " heap sizes " : " sampled heap sizes ");
    sink_text(out, verified->failures > 0 ? "CONTRADICT the definition of the game\n"
                                          : "agree with the definition of the game\n");
}

void report_summary(const run_report *report, sink *out) {
    print_game(report, out);
    print_machine(report, out);
    print_time(report, out);
    print_device_work(report, out);
    if (report->info.n > 0) {
        print_cold(report, out);
        print_values(report, out);
    }
    print_label(out, "fingerprint");
    sink_format(out, "%016" PRIx64 "\n", report->fingerprint);
    print_verified(report, out);
}
