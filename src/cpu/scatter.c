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

/* Marks a chunk of a target row from each listed cold position by each shift, later cold positions first: so the shifts
 * that reach the chunk begin further and further up. */
static void mark_listed(const sg_cold_list *cold, const sg_shift_class *class, unsigned borrow, const sg_chunk *chunk,
                        uint8_t *hot_row) {
    uint64_t end = chunk->first + 512 * chunk->vectors, first_shift = 0;
    for (uint64_t i = cold->count; i > 0; i--) {
        uint64_t from = (uint64_t)cold->columns[i - 1] + borrow;
        while (first_shift < class->count && from + class->columns[first_shift] < chunk->first)
            first_shift++;
        for (uint64_t k = first_shift; k < class->count && from + class->columns[k] < end; k++) {
            uint64_t column = from + class->columns[k];
            hot_row[column / 8] |= (uint8_t)(1u << column % 8);
        }
    }
}

/* Marks a chunk of a target row. Returns whether later ranges may still find something to mark. */
static bool mark_chunk(const sg_field *field, const scatter_job *job, const sg_chunk *chunk) {
    uint8_t *hot_row = sg_row(field->rows, field->hot, chunk->row);
    sg_live live = sg_live_open(field, chunk);
    for (uint64_t i = 0; i < job->source_count && live.count; i++) {
        uint64_t t = sg_residue_between(field->rows, chunk->row, job->sources[i]);
        const sg_shift_class *class = &field->shifts->classes[t];
        const sg_cold_list *cold = &field->cold_lists[job->sources[i]];
        unsigned borrow = chunk->row < t;
        if (!class->count || !cold->count)
            continue;
        if (class->bits) {
            for (uint64_t k = 0; k < live.count; k++)
                sg_or_shifts(field, &live, &live.segments[k], class->bits, cold, borrow);
            sg_live_refine(&live);
        } else if (job->listed_classes) {
            mark_listed(cold, class, borrow, chunk, hot_row);
        }
    }
    return live.count;
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
