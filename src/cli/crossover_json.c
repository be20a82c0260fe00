/* A sweep as JSON, schema "subgame/1". Sizes that are not whole numbers are given by their base-2 logarithm. */
#include "crossover.h"
#include "json.h"

#include <inttypes.h>
#include <stdio.h>

static void write_points(json *writer, const crossover *sweep, const crossover_series *series) {
    char fingerprint[17];
    json_array(writer, "points");
    for (size_t i = 0; i < series->count; i++) {
        const crossover_point *point = &series->points[i];
        json_item(writer);
        json_number(writer, "n", point->n);
        json_seconds(writer, "seconds", point->seconds);
        json_real(writer, "heap_sizes_per_second", (double)point->n / point->seconds);
        json_number(writer, "runs", point->runs);
        snprintf(fingerprint, sizeof fingerprint, "%016" PRIx64, sweep->facts[i].fingerprint);
        json_text(writer, "fingerprint", fingerprint);
        json_object_end(writer);
    }
    json_array_end(writer);
}

/* seconds = factor * n^exponent * log2(n)^log_power; null where too little was measured. */
static void write_fit(json *writer, const crossover_fit *fit) {
    if (!(fit->factor > 0)) {
        json_null(writer, "fit");
        return;
    }
    json_object(writer, "fit");
    json_real(writer, "factor", fit->factor);
    json_real(writer, "exponent", fit->exponent);
    json_real(writer, "exponent_error", fit->exponent_error);
    json_number(writer, "log_power", fit->log_power);
    json_object_end(writer);
}

static void write_series(json *writer, const crossover *sweep) {
    json_array(writer, "series");
    for (size_t i = 0; i < sweep->series_count; i++) {
        const crossover_series *series = &sweep->series[i];
        json_item(writer);
        json_text(writer, "engine", sg_engine_name(series->engine));
        json_text(writer, "backend", sg_backend_name(series->backend));
        json_text(writer, "stopped", series->stopped);
        write_points(writer, sweep, series);
        write_fit(writer, &series->fit);
        json_object_end(writer);
    }
    json_array_end(writer);
}

static void write_way(json *writer, const char *key, const crossover_series *series) {
    json_object(writer, key);
    json_text(writer, "engine", sg_engine_name(series->engine));
    json_text(writer, "backend", sg_backend_name(series->backend));
    json_object_end(writer);
}

static void write_crossings(json *writer, const crossover *sweep) {
    static const char *const kinds[] = {"measured", "extrapolated", "none"};
    json_array(writer, "crossings");
    for (size_t i = 0; i < sweep->crossing_count; i++) {
        const crossing *found = &sweep->crossings[i];
        json_item(writer);
        json_text(writer, "kind", kinds[found->kind]);
        write_way(writer, "winner", found->winner);
        write_way(writer, "loser", found->loser);
        if (found->kind == CROSSING_NONE) {
            json_null(writer, "log2_n");
        } else {
            json_real(writer, "log2_n", found->log2_n);
            json_real(writer, "log2_low", found->log2_low);
            json_real(writer, "log2_high", found->log2_high);
        }
        json_object_end(writer);
    }
    json_array_end(writer);
}

static void write_theory(json *writer, const crossover *sweep) {
    const crossover_theory *theory = &sweep->theory;
    bool cold = sweep->mode == SG_MODE_COLD;
    if (!theory->known) {
        json_null(writer, "theory");
        return;
    }
    json_object(writer, "theory");
    json_text(writer, "formula", cold ? "|C||S| = n log2(n)^2" : "n|S| = m n log2(n)^2");
    json_real(writer, "member_exponent", theory->member_exponent);
    json_real(writer, "cold_exponent", theory->cold_exponent);
    if (cold)
        json_null(writer, "value_exponent");
    else
        json_real(writer, "value_exponent", theory->value_exponent);
    json_real(writer, "plain_exponent", theory->plain_exponent);
    json_real(writer, "gain", theory->gain);
    json_real(writer, "log2_n", theory->log2_n);
    json_object_end(writer);
}

void crossover_write_json(const crossover *sweep, sink *out) {
    json writer;
    json_begin(&writer, out);
    json_text(&writer, "schema", "subgame/1");
    json_text(&writer, "version", sg_version());
    json_text(&writer, "mode", "crossover");
    json_text(&writer, "compared", sg_mode_name(sweep->mode));
    json_text(&writer, "set", sg_game_set_name(sweep->game));
    json_number(&writer, "threads", sweep->threads);
    json_real(&writer, "budget_seconds", sweep->budget_seconds);
    json_seconds(&writer, "seconds", sweep->seconds);
    write_series(&writer, sweep);
    write_crossings(&writer, sweep);
    write_theory(&writer, sweep);
    json_end(&writer);
}
