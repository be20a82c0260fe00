/* The report for people: aligned, plain ASCII, with thousands separators, which appear nowhere else. */
#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LABEL_COLUMNS = 16, LINE_COLUMNS = 74, /* leaves room for an ellipsis */ NUMBER_TEXT_BYTES = 32 };

/* 1234567 as "1,234,567". */
static const char *grouped(uint64_t value, char text[NUMBER_TEXT_BYTES]) {
    char digits[NUMBER_TEXT_BYTES];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, value);
    char *to = text;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return text;
}

static const char *with_binary_unit(uint64_t bytes, char text[NUMBER_TEXT_BYTES]) {
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 1024.0 && unit < 6) {
        value /= 1024.0;
        unit++;
    }
    snprintf(text, NUMBER_TEXT_BYTES, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
    return text;
}

static const char *duration(double seconds, char text[NUMBER_TEXT_BYTES]) {
    if (seconds < 1.0)
        snprintf(text, NUMBER_TEXT_BYTES, "%.1f ms", 1000.0 * seconds);
    else if (seconds < 60.0)
        snprintf(text, NUMBER_TEXT_BYTES, "%.2f s", seconds);
    else if (seconds < 3600.0)
        snprintf(text, NUMBER_TEXT_BYTES, "%d min %02d s", (int)seconds / 60, (int)seconds % 60);
    else
        snprintf(text, NUMBER_TEXT_BYTES, "%d h %02d min", (int)seconds / 3600, (int)seconds / 60 % 60);
    return text;
}

static const char *rate(double per_second, char text[NUMBER_TEXT_BYTES]) {
    static const char *const units[] = {"", " thousand", " million", " billion", " trillion"};
    size_t unit = 0;
    while (per_second >= 1000.0 && unit < 4) {
        per_second /= 1000.0;
        unit++;
    }
    snprintf(text, NUMBER_TEXT_BYTES, "%.1f%s", per_second, units[unit]);
    return text;
}

static void label(sink *out, const char *text) {
    sink_format(out, "%-*s", LABEL_COLUMNS, text);
}

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

/* Names hold paths and long lists: cut, and printable. */
static void print_name(sink *out, const char *name) {
    enum { NAME_MAX_BYTES = 200 };
    for (size_t i = 0; name[i] != '\0'; i++) {
        if (i == NAME_MAX_BYTES) {
            sink_text(out, "...");
            break;
        }
        sink_char(out, (unsigned char)name[i] < 0x20 || name[i] == 0x7f ? '?' : name[i]);
    }
}

static void print_game(const run_report *report, sink *out) {
    static const char *const wanted[] = {"cold heap sizes among", "nim-values of heap sizes",
                                         "remoteness of heap sizes"};
    const char *hotspots = sg_game_hotspots_name(report->game);
    label(out, "game");
    sink_text(out, "subtract ");
    print_name(out, sg_game_set_name(report->game));
    if (hotspots != NULL) {
        sink_text(out, ", hotspots ");
        print_name(out, hotspots);
    }
    sink_text(out, sg_game_play(report->game) == SG_PLAY_MISERE ? ", misere play\n" : ", normal play\n");
    label(out, "computed");
    if (report->info.n == 0) {
        sink_text(out, "nothing (n = 0)\n");
    } else {
        char text[NUMBER_TEXT_BYTES];
        sink_format(out, "%s 0 .. %s\n", wanted[report->info.mode], grouped(report->info.n - 1, text));
    }
}

static void print_machine(const run_report *report, sink *out) {
    const sg_result_info *info = &report->info;
    char text[NUMBER_TEXT_BYTES], other[NUMBER_TEXT_BYTES];
    label(out, "engine");
    sink_text(out, sg_engine_name(info->engine));
    if (info->rows > 0)
        sink_format(out, ", %s row%s", grouped(info->rows, text), info->rows == 1 ? "" : "s");
    if (info->base_threshold_pos > 0)
        sink_format(out, ", base threshold %s", grouped(info->base_threshold_pos, text));
    if (info->levels > 0)
        sink_format(out, ", %s levels", grouped(info->levels, text));
    sink_char(out, '\n');
    label(out, "backend");
    sink_text(out, sg_backend_name(info->backend));
    if (info->device != NULL && info->device[0] != '\0') {
        sink_text(out, ", ");
        sink_text(out, info->device);
    }
    sink_format(out, ", %s, %u thread%s\n", info->instruction_set, info->threads, info->threads == 1 ? "" : "s");
    label(out, "memory");
    sink_format(out, "%s at the peak, %s foreseen\n", with_binary_unit(info->peak_bytes, text),
                with_binary_unit(info->estimated_bytes, other));
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
    label(out, "time");
    sink_text(out, duration(report->seconds_total, text));
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i].seconds <= 0.0)
            continue;
        snprintf(item, sizeof item, "%s%s %s", separator, parts[i].name, duration(parts[i].seconds, text));
        sink_text(out, item);
        separator = ", ";
    }
    sink_text(out, separator[0] == ',' ? ")\n" : "\n");
    if (info->option_count > 0 && info->seconds_solve > 0.0) {
        label(out, "speed");
        sink_text(out, rate((double)info->option_count / info->seconds_solve, text));
        sink_format(out, " options/s, %s%s options\n", info->option_count == UINT64_MAX ? "more than " : "",
                    grouped(info->option_count, text));
    }
}

static void print_cold(const run_report *report, sink *out) {
    enum { FIRST_COLD = 12 };
    const sg_result_info *info = &report->info;
    char text[NUMBER_TEXT_BYTES];
    label(out, "cold");
    sink_format(out, "%s heap sizes, %.4g%%\n", grouped(info->cold_count, text),
                100.0 * (double)info->cold_count / (double)info->n);
    if (info->mode != SG_MODE_COLD || info->cold_count == 0)
        return;
    size_t column = 0;
    uint64_t heap = 0;
    label(out, "first cold");
    for (int i = 0; i < FIRST_COLD && sg_result_next_cold(report->result, heap, &heap); i++, heap++)
        list_item(out, grouped(heap, text), &column);
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
    label(out, info->mode == SG_MODE_NIM ? "max nim-value" : "max remoteness");
    sink_format(out, "%s", grouped(info->max_value, text));
    sink_format(out, " at heap size %s\n", grouped(info->max_value_at, text));
    if (sg_result_histogram(report->result, counts, shown) != SG_OK)
        return;
    size_t column = 0;
    label(out, "histogram");
    for (size_t value = 0; value < shown; value++) {
        snprintf(item, sizeof item, "%zu: %s", value, grouped(counts[value], text));
        list_item(out, item, &column);
    }
    sink_text(out, info->max_value >= HISTOGRAM_HEAD ? "  ...\n" : "\n");
}

static void print_verified(const run_report *report, sink *out) {
    const sg_verify_report *verified = &report->verified;
    char text[NUMBER_TEXT_BYTES];
    label(out, "verified");
    if (verified->samples == 0) {
        sink_text(out, report->info.n == 0 ? "nothing to check\n" : "nothing (--verify 0)\n");
        return;
    }
    if (verified->failures > 0)
        sink_format(out, "%s of ", grouped(verified->failures, text));
    else if (verified->samples == report->info.n)
        sink_text(out, "all ");
    sink_format(out, "%s", grouped(verified->samples, text));
    sink_text(out, verified->samples == report->info.n ? " heap sizes " : " sampled heap sizes ");
    sink_text(out, verified->failures > 0 ? "CONTRADICT the definition of the game\n"
                                          : "agree with the definition of the game\n");
}

void report_summary(const run_report *report, sink *out) {
    print_game(report, out);
    print_machine(report, out);
    print_time(report, out);
    if (report->info.n > 0) {
        print_cold(report, out);
        print_values(report, out);
    }
    label(out, "fingerprint");
    sink_format(out, "%016" PRIx64 "\n", report->fingerprint);
    print_verified(report, out);
}
