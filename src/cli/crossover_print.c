/* A sweep for people, and as rows of data. */
#include "crossover.h"
#include "print.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { SIZE_COLUMNS = 8, SECONDS_COLUMNS = 20, NAME_MAX_BYTES = 200 };

static void print_head(const crossover *sweep, sink *out) {
    char text[NUMBER_TEXT_BYTES];
    print_label(out, "game");
    sink_text(out, "subtract ");
    print_foreign(out, sg_game_set_name(sweep->game), NAME_MAX_BYTES);
    sink_text(out, sweep->mode == SG_MODE_COLD ? ", cold heap sizes\n" : ", nim-values\n");
    print_label(out, "sweep");
    sink_format(out, "%zu sizes, %zu ways to solve them, up to %u thread%s, %s\n", sweep->octaves, sweep->series_count,
                sweep->threads, sweep->threads == 1 ? "" : "s", duration_text(sweep->seconds, text));
    sink_text(out, "results         all ways gave the same fingerprint at every size\n");
}

/* A line a size, a column a way. */
static void print_table(const crossover *sweep, sink *out) {
    sink_format(out, "\n%*s", SIZE_COLUMNS, "n");
    for (size_t i = 0; i < sweep->series_count; i++)
        sink_format(out, "%*s", SECONDS_COLUMNS, sweep->series[i].name);
    sink_text(out, "   (seconds)\n");
    for (size_t octave = 0; octave < sweep->octaves; octave++) {
        sink_format(out, "%*s%-2zu", SIZE_COLUMNS - 2, "2^", octave + FIRST_OCTAVE);
        for (size_t i = 0; i < sweep->series_count; i++)
            if (octave < sweep->series[i].count)
                sink_format(out, "%*.6f", SECONDS_COLUMNS, sweep->series[i].points[octave].seconds);
            else
                sink_format(out, "%*s", SECONDS_COLUMNS, "");
        sink_char(out, '\n');
    }
}

static void print_series(const crossover_series *series, sink *out) {
    char text[NUMBER_TEXT_BYTES];
    sink_format(out, "%-20s ", series->name);
    if (series->count == 0) {
        sink_format(out, "nothing measured: %s\n", series->stopped);
        return;
    }
    const crossover_point *last = &series->points[series->count - 1];
    sink_format(out, "%s heap sizes/s at 2^%.0f, ended by %s", rate_text((double)last->n / last->seconds, text),
                log2((double)last->n), series->stopped);
    if (series->fit.factor > 0)
        sink_format(out, "; seconds ~ %.3g n^%.3f%s (+- %.3f)", series->fit.factor, series->fit.exponent,
                    series->fit.log_power == 2 ? " log2(n)^2" : "", series->fit.exponent_error);
    sink_char(out, '\n');
}

static void print_crossing(const crossing *found, sink *out) {
    switch (found->kind) {
    case CROSSING_MEASURED:
        sink_format(out, "  %s overtakes %s at 2^%.2f: measured\n", found->winner->name, found->loser->name,
                    found->log2_n);
        return;
    case CROSSING_EXTRAPOLATED:
        sink_format(out, "  %s overtakes %s at 2^%.1f: extrapolated, ", found->winner->name, found->loser->name,
                    found->log2_n);
        if (isfinite(found->log2_high))
            sink_format(out, "within 2^%.1f and 2^%.1f if the exponents hold\n", found->log2_low, found->log2_high);
        else
            sink_format(out, "not before 2^%.1f, and within the error of the exponents never\n", found->log2_low);
        return;
    case CROSSING_NONE:
        sink_format(out, "  %s stays ahead of %s\n", found->winner->name, found->loser->name);
        return;
    }
}

static void print_theory(const crossover *sweep, sink *out) {
    const crossover_theory *theory = &sweep->theory;
    if (!theory->known)
        return;
    sink_text(out, "\nBy theory, with every constant 1 (Eppstein 2018, section 4)\n");
    sink_format(out, "  measured growth: |S| ~ n^%.3f, |C| ~ n^%.3f", theory->member_exponent, theory->cold_exponent);
    if (sweep->mode == SG_MODE_COLD) {
        sink_format(out, "\n  sieve |C||S| = n^%.3f, convolution n log2(n)^2: ", theory->plain_exponent);
    } else {
        sink_format(out, ", m ~ n^%.3f\n", theory->value_exponent);
        sink_format(out, "  recurrence n|S| = n^%.3f, convolution m n log2(n)^2 = n^%.3f log2(n)^2: ",
                    theory->plain_exponent, 1 + theory->value_exponent);
    }
    if (!isfinite(theory->log2_n))
        sink_text(out, "convolution never wins\n");
    else if (theory->log2_n > 0)
        sink_format(out, "n^%.3f = log2(n)^2 at 2^%.1f\n", theory->gain, theory->log2_n);
    else
        sink_text(out, "convolution wins from the start\n");
}

void crossover_print(const crossover *sweep, sink *out) {
    print_head(sweep, out);
    print_table(sweep, out);
    sink_text(out, "\nWays\n");
    for (size_t i = 0; i < sweep->series_count; i++) {
        sink_text(out, "  ");
        print_series(&sweep->series[i], out);
    }
    if (sweep->crossing_count > 0)
        sink_text(out, "\nCrossings\n");
    for (size_t i = 0; i < sweep->crossing_count; i++)
        print_crossing(&sweep->crossings[i], out);
    print_theory(sweep, out);
}

void crossover_write_csv(const crossover *sweep, sink *out) {
    sink_text(out, "n,engine,backend,seconds,heap_sizes_per_second,runs,fingerprint\n");
    for (size_t i = 0; i < sweep->series_count; i++)
        for (size_t k = 0; k < sweep->series[i].count; k++) {
            const crossover_series *series = &sweep->series[i];
            const crossover_point *point = &series->points[k];
            sink_format(out, "%" PRIu64 ",%s,%s,%.6f,%.0f,%u,%016" PRIx64 "\n", point->n,
                        sg_engine_name(series->engine), sg_backend_name(series->backend), point->seconds,
                        (double)point->n / point->seconds, point->runs, sweep->facts[k].fingerprint);
        }
}
