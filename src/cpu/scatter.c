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
    int64_t least = ((int64_t)first - (int64_t)shifted_column + 7) / 8; /* least e with shifted_column + 8e >= first */
    for (uint64_t k = sg_lower_bound_u32(eighths, 0, count, least); k < count; k++) {
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
static bool mark_chunk(const sg_field *field, const scatter_job *job, const sg_chunk *chunk) {
    uint8_t *hot_row = sg_row(field->rows, field->hot, chunk->row);
    bool open = false;
    for (uint64_t i = 0; i < job->source_count; i++) {
        uint64_t t = sg_residue_between(field->rows, chunk->row, job->sources[i]);
        const sg_shift_class *class = &field->shifts->classes[t];
        const sg_cold_group *cold = &field->cold_groups[job->sources[i]];
        unsigned borrow = chunk->row < t;
        if (!class->count || !cold->group_start[8])
            continue;
        if (class->bits) {
            for (uint64_t column = chunk->first; column < chunk->end; column += chunk->segment_bits)
                if (!sg_all_hot(hot_row, column, chunk->segment_bits))
                    mark_dense(field, cold, class, borrow, hot_row, column, chunk->segment_bits);
        } else if (job->listed_classes) {
            mark_listed(cold, class, borrow, hot_row, chunk->first, chunk->end);
        }
    }
    /* Only dense classes come in several ranges, between which it pays to look. */
    if (!field->shifts->dense_count)
        return true;
    for (uint64_t column = chunk->first; column < chunk->end && !open; column += chunk->segment_bits)
        open = !sg_all_hot(hot_row, column, chunk->segment_bits);
    return open;
}

static bool mark_from_lists(sg_field *field, const sg_node *node, void *argument) {
    const scatter_job *job = argument;
    uint64_t chunks = sg_chunk_count(field, node), open = 0;
#pragma omp parallel for schedule(dynamic, 1) num_threads(field->threads) reduction(+ : open)                          \
    if (sg_node_is_parallel(field, node))
    for (uint64_t i = 0; i < chunks; i++) {
        sg_chunk chunk = sg_chunk_at(field, node, i);
        if (omp_get_thread_num() == 0)
            sg_monitor_tick(field->monitor);
        if (!sg_monitor_cancelled(field->monitor))
            open += mark_chunk(field, job, &chunk);
    }
    return open && !sg_monitor_cancelled(field->monitor);
}

sg_status sg_cpu_mark_by_cold_lists(sg_field *field, const sg_node *node, const uint32_t *sources,
                                    uint64_t source_count, bool listed_classes) {
    scatter_job job = {sources, source_count, listed_classes};
    if (field->shifts->dense_count || listed_classes)
        sg_source_ranges(field, node, sources, source_count, mark_from_lists, &job);
    return sg_monitor_cancelled(field->monitor) ? sg_monitor_stop(field->memory->context) : SG_OK;
}

sg_status sg_cpu_scatter(sg_field *field, const sg_node *node, const uint32_t *sources, uint64_t source_count) {
    return sg_cpu_mark_by_cold_lists(field, node, sources, source_count, true);
}
