/* shift_or: target |= source << s, for every member s that crosses from the source block into the target.
 *
 * A whole vector of cold positions is moved at once, so the cost does not depend on how many there are: right where
 * cold positions are not much rarer than one a vector. The source is taken in pieces that stay in the first-level cache
 * while all segments of a target row are marked from them. Source rows come densest first, and a segment that is all
 * hot is left: rows that hold no cold position are done after a few hundred shifts. Threads own target segments, so no
 * two write the same word. */
#include "../tuning.h"
#include "field.h"

#include <omp.h>

/* A source row and the class of shifts that takes it to a target row. */
typedef struct shift_pair {
    const uint8_t *cold_row;
    const sg_shift_class *class;
    unsigned borrow;
} shift_pair;

/* The shifts of a class that take a piece of the source to the segment in hand: as segments come in rising order, both
 * ends only move forward. */
typedef struct shift_window {
    const uint32_t *columns;
    uint64_t class_count;
    uint64_t first;
    uint64_t end;
} shift_window;

static void advance(shift_window *window, int64_t above, int64_t most) {
    while (window->first < window->class_count && (int64_t)window->columns[window->first] <= above)
        window->first++;
    if (window->end < window->first)
        window->end = window->first;
    while (window->end < window->class_count && (int64_t)window->columns[window->end] <= most)
        window->end++;
}

/* Marks the live segments from source columns first .. end-1: by the shifts whose copy for a segment begins there or,
 * where `first` is the node's, that only reach into it from before. `from` is a shift that is not past the first one
 * needed; it is moved to one with that property for the next piece. */
static void mark_from_piece(const sg_field *field, const sg_node *node, const shift_pair *pair, uint64_t first,
                            uint64_t end, uint64_t *from, sg_live *live) {
    shift_window window = {pair->class->columns, pair->class->count, *from, *from};
    for (uint64_t i = 0; i < live->count; i++) {
        sg_segment *segment = &live->segments[i];
        int64_t column = (int64_t)sg_segment_column(live, segment) - pair->borrow;
        int64_t lead = first == node->first ? 512 * (int64_t)segment->vectors - 1 : 0;
        advance(&window, column - (int64_t)end, column - (int64_t)first + lead);
        if (i == 0)
            *from = window.end;
        sg_cold_list shifts = {window.columns + window.first, window.end - window.first};
        if (shifts.count)
            sg_or_shifts(field, live, segment, pair->cold_row, &shifts, pair->borrow);
    }
}

static void mark_from_row(const sg_field *field, const sg_node *node, const shift_pair *pair, sg_live *live) {
    uint64_t from = 0, first;
    for (uint64_t end = node->first + node->columns; end > node->first; end = first) {
        first = end - node->first > SG_SOURCE_PIECE_COLUMNS ? end - SG_SOURCE_PIECE_COLUMNS : node->first;
        mark_from_piece(field, node, pair, first, end, &from, live);
    }
    sg_live_refine(live);
}

static void mark_chunk(const sg_field *field, const sg_node *node, const sg_chunk *chunk, const uint32_t *sources,
                       uint64_t source_count) {
    sg_live live = sg_live_open(field, chunk);
    for (uint64_t i = 0; i < source_count && live.count; i++) {
        uint64_t t = sg_residue_between(field->rows, chunk->row, sources[i]);
        const sg_shift_class *class = &field->shifts->classes[t];
        shift_pair pair = {sg_row(field->rows, field->cold, sources[i]), class, chunk->row < t};
        if (class->columns && class->count)
            mark_from_row(field, node, &pair, &live);
    }
}

sg_status sg_cpu_shift_or(sg_field *field, const sg_node *node, const uint32_t *sources, uint64_t source_count) {
    uint64_t chunks = sg_chunk_count(field, node);
#pragma omp parallel for schedule(dynamic, 1) num_threads(field->threads) if (sg_node_is_parallel(field, node))
    for (uint64_t i = 0; i < chunks; i++) {
        sg_chunk chunk = sg_chunk_at(field, node, i);
        if (omp_get_thread_num() == 0)
            sg_monitor_tick(field->monitor);
        if (!sg_monitor_cancelled(field->monitor))
            mark_chunk(field, node, &chunk, sources, source_count);
    }
    if (sg_monitor_cancelled(field->monitor))
        return sg_monitor_stop(field->memory->context);
    return sg_cpu_mark_by_cold_lists(field, node, sources, source_count, false);
}
