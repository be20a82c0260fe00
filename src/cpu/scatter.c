/* scatter: for each cold position c and each member s, mark c + s.
 *
 * Costs one step a mark, whatever the block's length: right where cold positions are rarer than one in a few vectors.
 * Classes of S that are dense are marked a segment at a time, S itself being the vector that is shifted, by cold
 * positions. Threads own target columns, so no two write the same word. */
#include "../tuning.h"
#include "field.h"

#include <omp.h>

typedef struct scatter_job {
    const uint32_t *sources;
    uint64_t source_count;
    bool listed_classes;
} scatter_job;

/* Marks columns first .. end-1 of the target row from one cold column and one group of a listed class. */
static void mark_group(uint8_t *hot_row, const uint32_t *eighths, uint64_t count, uint64_t shifted_column,
                       uint64_t first, uint64_t end) {
    uint64_t begin = 0, above = count;
    int64_t least = ((int64_t)first - (int64_t)shifted_column + 7) / 8; /* least e with shifted_column + 8e >= first */
    while (begin < above) {
        uint64_t middle = begin + (above - begin) / 2;
        if ((int64_t)eighths[middle] < least)
            begin = middle + 1;
        else
            above = middle;
    }
    for (uint64_t k = begin; k < count; k++) {
        uint64_t column = shifted_column + 8 * (uint64_t)eighths[k];
        if (column >= end)
            return;
        hot_row[column / 8] |= (uint8_t)(1u << column % 8);
    }
}

static void mark_listed(const sg_cold_group *cold, const sg_shift_class *class, unsigned borrow, uint8_t *hot_row,
                        uint64_t first, uint64_t end) {
    for (unsigned h = 0; h < 8; h++)
        for (uint64_t i = cold->group_start[h]; i < cold->group_start[h + 1]; i++)
            for (unsigned g = 0; g < 8; g++)
                mark_group(hot_row, class->eighths + class->group_start[g],
                           class->group_start[g + 1] - class->group_start[g],
                           8 * (uint64_t)cold->eighths[i] + h + borrow + g, first, end);
}

static void mark_dense(const sg_field *field, const sg_cold_group *cold, const sg_shift_class *class, unsigned borrow,
                       uint8_t *hot_row, uint64_t column, unsigned bits) {
    for (unsigned h = 0; h < 8; h++)
        if (sg_or_shifts(field, hot_row, class->bits, column, bits, cold->eighths + cold->group_start[h],
                         cold->group_start[h + 1] - cold->group_start[h], h + borrow))
            return;
}

/* Marks one chunk of a target row. Returns whether later ranges may still find something to mark. */
static bool mark_chunk(const sg_field *field, const scatter_job *job, uint64_t r, uint64_t first, uint64_t end,
                       unsigned bits) {
    uint8_t *hot_row = sg_row(field->rows, field->hot, r);
    bool open = false;
    for (uint64_t i = 0; i < job->source_count; i++) {
        uint64_t t = sg_residue_between(field->rows, r, job->sources[i]);
        const sg_shift_class *class = &field->shifts->classes[t];
        const sg_cold_group *cold = &field->cold_groups[job->sources[i]];
        if (!class->count || !cold->group_start[8])
            continue;
        if (class->bits) {
            for (uint64_t column = first; column < end; column += bits)
                if (!sg_all_hot(hot_row, column, bits))
                    mark_dense(field, cold, class, r < t, hot_row, column, bits);
        } else if (job->listed_classes) {
            mark_listed(cold, class, r < t, hot_row, first, end);
        }
    }
    /* Only dense classes come in several ranges, between which it pays to look. */
    if (!field->shifts->dense_count)
        return true;
    for (uint64_t column = first; column < end && !open; column += bits)
        open = !sg_all_hot(hot_row, column, bits);
    return open;
}

static bool mark_range(sg_field *field, const sg_node *node, uint64_t first, uint64_t end, void *argument) {
    const scatter_job *job = argument;
    sg_target target = sg_node_target(node);
    uint64_t modulus = field->rows->modulus, chunk = sg_chunk_columns(field, &target);
    uint64_t chunks = (target.end - target.first + chunk - 1) / chunk, open = 0;
    (void)first, (void)end;
#pragma omp parallel for schedule(dynamic, 1) num_threads(field->threads) reduction(+ : open)                          \
    if (sg_node_is_parallel(field, node))
    for (uint64_t item = 0; item < modulus * chunks; item++) {
        uint64_t chunk_first = target.first + item / modulus * chunk;
        uint64_t chunk_end = chunk_first + chunk < target.end ? chunk_first + chunk : target.end;
        if (omp_get_thread_num() == 0)
            sg_monitor_tick(field->monitor);
        if (!sg_monitor_cancelled(field->monitor))
            open += mark_chunk(field, job, item % modulus, chunk_first, chunk_end, target.segment_bits);
    }
    return open && !sg_monitor_cancelled(field->monitor);
}

sg_status sg_cpu_mark_by_cold_lists(sg_field *field, const sg_node *node, const uint32_t *sources,
                                    uint64_t source_count, bool listed_classes) {
    scatter_job job = {sources, source_count, listed_classes};
    if (field->shifts->dense_count || listed_classes)
        sg_source_ranges(field, node, sources, source_count, mark_range, &job);
    return sg_monitor_cancelled(field->monitor) ? sg_monitor_stop(field->memory->context) : SG_OK;
}

sg_status sg_cpu_scatter(sg_field *field, const sg_node *node, const uint32_t *sources, uint64_t source_count) {
    return sg_cpu_mark_by_cold_lists(field, node, sources, source_count, true);
}
