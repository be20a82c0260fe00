/* shift_or: target |= source << s, for every member s that crosses from the source block into the target.
 *
 * A whole vector of cold positions is moved at once, so the cost does not depend on how many there are: right where
 * cold positions are not much rarer than one a vector. Shifts are grouped by their residue mod 8, so that within a
 * group a shift is a byte offset and one bit shift finishes the group. Source rows come densest first, and a segment
 * that is all hot is left: rows that hold no cold position are done after a few hundred shifts. Threads own target
 * segments, so no two write the same word. */
#include "../tuning.h"
#include "field.h"

#include <omp.h>

/* Shifts d = 8e + extra, extra <= 8, reach columns column .. column+bits-1 from the node's source columns only if
 * window.least <= e <= window.most. */
typedef struct shift_window {
    int64_t least;
    int64_t most;
} shift_window;

static shift_window window_of(const sg_node *node, uint64_t column, unsigned bits) {
    int64_t nearest = (int64_t)column - (int64_t)(node->first + node->columns) - 8;
    int64_t farthest = (int64_t)(column + bits) - 1 - (int64_t)node->first;
    return (shift_window){nearest > 0 ? nearest / 8 : 0, farthest / 8};
}

/* Lists the (source row, class) pairs with listed classes that reach target row r. */
static uint64_t collect_pairs(const sg_field *field, uint64_t r, const uint32_t *sources, uint64_t source_count,
                              shift_window window, sg_shift_pair *pairs) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < source_count; i++) {
        uint64_t t = sg_residue_between(field->rows, r, sources[i]);
        const sg_shift_class *class = &field->shifts->classes[t];
        if (!class->eighths || !class->count)
            continue;
        sg_shift_pair *pair = &pairs[count++];
        pair->cold_row = sg_row(field->rows, field->cold, sources[i]);
        pair->class = class;
        pair->borrow = r < t;
        for (unsigned g = 0; g < 8; g++) {
            pair->window_first[g] = (uint32_t)sg_lower_bound_u32(class->eighths, class->group_start[g],
                                                                 class->group_start[g + 1], window.least);
            pair->window_end[g] = pair->window_first[g];
        }
    }
    return count;
}

/* Moves the windows up to a later segment; amortised over the segments of a chunk this costs one pass over the lists.
 */
static void advance(sg_shift_pair *pair, unsigned g, shift_window window) {
    const uint32_t *list = pair->class->eighths;
    uint32_t end = (uint32_t)pair->class->group_start[g + 1];
    uint32_t first = pair->window_first[g], last = pair->window_end[g];
    while (first < end && (int64_t)list[first] < window.least)
        first++;
    if (last < first)
        last = first;
    while (last < end && (int64_t)list[last] <= window.most)
        last++;
    pair->window_first[g] = first;
    pair->window_end[g] = last;
}

static void mark_segment(const sg_field *field, const sg_node *node, uint8_t *hot_row, uint64_t column, unsigned bits,
                         sg_shift_pair *pairs, uint64_t pair_count) {
    shift_window window = window_of(node, column, bits);
    for (uint64_t i = 0; i < pair_count; i++) {
        sg_shift_pair *pair = &pairs[i];
        for (unsigned g = 0; g < 8; g++) {
            if (pair->class->group_start[g] == pair->class->group_start[g + 1])
                continue;
            advance(pair, g, window);
            if (sg_or_shifts(field, hot_row, pair->cold_row, column, bits, pair->class->eighths + pair->window_first[g],
                             pair->window_end[g] - pair->window_first[g], g + pair->borrow))
                return;
        }
    }
}

static void mark_chunk(sg_field *field, const sg_node *node, const sg_chunk *chunk, const uint32_t *sources,
                       uint64_t source_count) {
    uint64_t thread = (uint64_t)omp_get_thread_num();
    unsigned bits = chunk->segment_bits;
    uint8_t *hot_row = sg_row(field->rows, field->hot, chunk->row);
    sg_shift_pair *pairs = field->pairs + field->rows->modulus * thread;
    uint64_t pair_count =
        collect_pairs(field, chunk->row, sources, source_count, window_of(node, chunk->first, bits), pairs);
    for (uint64_t column = chunk->first; column < chunk->end && pair_count; column += bits) {
        if (!sg_all_hot(hot_row, column, bits))
            mark_segment(field, node, hot_row, column, bits, pairs, pair_count);
        if (thread == 0 ? !sg_monitor_tick(field->monitor) : sg_monitor_cancelled(field->monitor))
            return;
    }
}

sg_status sg_cpu_shift_or(sg_field *field, const sg_node *node, const uint32_t *sources, uint64_t source_count) {
    uint64_t chunks = sg_chunk_count(field, node);
#pragma omp parallel for schedule(dynamic, 1) num_threads(field->threads) if (sg_node_is_parallel(field, node))
    for (uint64_t i = 0; i < chunks; i++) {
        sg_chunk chunk = sg_chunk_at(field, node, i);
        if (!sg_monitor_cancelled(field->monitor))
            mark_chunk(field, node, &chunk, sources, source_count);
    }
    if (sg_monitor_cancelled(field->monitor))
        return sg_monitor_stop(field->memory->context);
    return sg_cpu_mark_by_cold_lists(field, node, sources, source_count, false);
}
