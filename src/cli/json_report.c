/* The report as JSON, schema "subgame/1". Keys are added, never renamed; integers are exact. */
#include "json.h"
#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static void write_game(json *writer, const run_report *report) {
    json_text(writer, "schema", "subgame/1");
    json_text(writer, "version", sg_version());
    json_text(writer, "mode", sg_mode_name(report->info.mode));
    json_text(writer, "set", sg_game_set_name(report->game));
    json_text(writer, "hotspots", sg_game_hotspots_name(report->game));
    json_text(writer, "play", sg_game_play(report->game) == SG_PLAY_MISERE ? "misere" : "normal");
    json_number(writer, "n", report->info.n);
}

static void write_machine(json *writer, const sg_result_info *info, const cost_profile *profile) {
    json_text(writer, "engine", sg_engine_name(info->engine));
    json_text(writer, "backend", sg_backend_name(info->backend));
    json_text(writer, "device", info->device);
    json_text(writer, "fallback", info->fallback);
    json_text(writer, "instruction_set", info->instruction_set);
    json_number(writer, "threads", info->threads);
    json_number(writer, "rows", info->rows);
    json_array(writer, "inner");
    for (uint64_t i = 0; i < info->inner_count; i++) {
        json_item(writer);
        json_number(writer, "rows", info->inner[i].rows);
        json_number(writer, "block", info->inner[i].block_pos);
        json_object_end(writer);
    }
    json_array_end(writer);
    json_number(writer, "base_threshold", info->base_threshold_pos);
    json_number(writer, "level_batch", info->level_batch);
    json_text(writer, "profile", profile->used ? profile->path : NULL);
    json_text(writer, "profile_unused", profile->unused[0] != '\0' ? profile->unused : NULL);
    json_text(writer, "near", info->near == SG_NEAR_AUTO ? NULL : sg_near_name(info->near));
}

/* A maximum and the first heap size that has it, or null where the mode has no such value. */
static void write_maximum(json *writer, const sg_result_info *info, sg_mode mode) {
    const char *key = mode == SG_MODE_NIM ? "max_nim" : "max_remoteness";
    const char *key_at = mode == SG_MODE_NIM ? "max_nim_at" : "max_remoteness_at";
    if (info->mode == mode && info->n > 0) {
        json_number(writer, key, info->max_value);
        json_number(writer, key_at, info->max_value_at);
    } else {
        json_null(writer, key);
        json_null(writer, key_at);
    }
}

static void write_findings(json *writer, const run_report *report) {
    const sg_result_info *info = &report->info;
    char fingerprint[17];
    json_number(writer, "cold_count", info->cold_count);
    write_maximum(writer, info, SG_MODE_NIM);
    if (info->mode == SG_MODE_REMOTENESS)
        write_maximum(writer, info, SG_MODE_REMOTENESS);
    snprintf(fingerprint, sizeof fingerprint, "%016" PRIx64, report->fingerprint);
    json_text(writer, "fingerprint", fingerprint);
}

static void write_costs(json *writer, const run_report *report) {
    const sg_result_info *info = &report->info;
    json_object(writer, "seconds");
    json_seconds(writer, "total", report->seconds_total);
    json_seconds(writer, "plan", info->seconds_plan);
    json_seconds(writer, "set", info->seconds_set);
    json_seconds(writer, "solve", info->seconds_solve);
    json_seconds(writer, "summary", info->seconds_summary);
    json_seconds(writer, "verify", report->verified.seconds);
    json_seconds(writer, "output", report->seconds_output);
    json_object_end(writer);
    json_number(writer, "peak_bytes", info->peak_bytes);
    json_number(writer, "estimated_bytes", info->estimated_bytes);
    json_number(writer, "value_bytes", info->value_bytes);
    json_number(writer, "member_count", info->member_count);
    json_number(writer, "option_count", info->option_count);
    json_number(writer, "levels", info->levels);
    json_object(writer, "operators");
    json_number(writer, "shift_or", info->shift_or_nodes);
    json_number(writer, "scatter", info->scatter_nodes);
    json_number(writer, "convolve", info->convolve_nodes);
    json_number(writer, "convolve_float", info->convolve_float_nodes);
    json_number(writer, "convolve_redone", info->convolve_redone);
    json_object_end(writer);
}

static void write_kernel(json *writer, const sg_kernel_report *kernel) {
    double per_second = kernel->seconds > 0.0 ? (double)kernel->work / kernel->seconds : (double)NAN;
    double limit = kernel->limit_per_second > 0.0 ? kernel->limit_per_second : (double)NAN;
    json_item(writer);
    json_text(writer, "operator", kernel->name);
    json_number(writer, "calls", kernel->calls);
    json_seconds(writer, "seconds", kernel->seconds);
    json_number(writer, "work", kernel->work);
    json_text(writer, "unit", kernel->unit);
    json_real(writer, "per_second", per_second);
    json_real(writer, "limit_per_second", limit);
    json_real(writer, "share", per_second / limit);
    json_object_end(writer);
}

static void write_device_work(json *writer, const run_report *report) {
    const sg_result_info *info = &report->info;
    sg_kernel_report kernel = {.struct_size = sizeof kernel};
    json_number(writer, "device_peak_bytes", info->device_peak_bytes);
    json_number(writer, "device_estimated_bytes", info->device_estimated_bytes);
    json_number(writer, "bytes_to_device", info->bytes_to_device);
    json_number(writer, "bytes_from_device", info->bytes_from_device);
    json_array(writer, "kernels");
    for (size_t i = 0; sg_result_kernel(report->result, i, &kernel); i++)
        write_kernel(writer, &kernel);
    json_array_end(writer);
}

static void write_verified(json *writer, const sg_verify_report *verified) {
    json_object(writer, "verified");
    json_number(writer, "samples", verified->samples);
    json_number(writer, "failures", verified->failures);
    if (verified->failures > 0)
        json_number(writer, "first_failure", verified->first_failure);
    else
        json_null(writer, "first_failure");
    json_object_end(writer);
}

void report_json(const run_report *report, sink *out) {
    json writer;
    json_begin(&writer, out);
    write_game(&writer, report);
    write_machine(&writer, &report->info, &report->profile);
    write_findings(&writer, report);
    write_costs(&writer, report);
    write_device_work(&writer, report);
    write_verified(&writer, &report->verified);
    json_end(&writer);
}
