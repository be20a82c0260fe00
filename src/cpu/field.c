/* What the operators share: where a node's target lies, how it is dealt to threads, and the shifted OR with its early
 * exit. */
#include "field.h"
#include "../tuning.h"

bool sg_all_hot(const uint8_t *hot_row, uint64_t first, uint64_t bits) {
    const uint64_t *words = (const uint64_t *)(const void *)(hot_row + first / 8);
    uint64_t all = UINT64_MAX;
    for (uint64_t w = 0; w < bits / 64; w++)
        all &= words[w];
    return all == UINT64_MAX;
}

/* A node's target in whole segments, and how many of them a chunk has. */
typedef struct target_shape {
    uint64_t first;
    uint64_t segments;
    uint64_t chunk_segments;
    unsigned vectors;
} target_shape;

static target_shape target_of(const sg_field *field, const sg_node *node) {
    uint64_t vectors = node->columns / 512;
    if (vectors > SG_SEGMENT_VECTORS)
        vectors = SG_SEGMENT_VECTORS;
    if (vectors < 1)
        vectors = 1;
    uint64_t bits = 512 * vectors, first = node->target_first / 512 * 512;
    uint64_t segments = (node->target_end - first + bits - 1) / bits;
    uint64_t chunks_per_row = (uint64_t)SG_ITEMS_PER_THREAD * field->threads / field->rows->modulus + 1;
    return (target_shape){first, segments, segments / chunks_per_row + 1, (unsigned)vectors};
}

uint64_t sg_chunk_count(const sg_field *field, const sg_node *node) {
    target_shape target = target_of(field, node);
    return field->rows->modulus * ((target.segments + target.chunk_segments - 1) / target.chunk_segments);
}

sg_chunk sg_chunk_at(const sg_field *field, const sg_node *node, uint64_t i) {
    target_shape target = target_of(field, node);
    uint64_t first = i / field->rows->modulus * target.chunk_segments, left = target.segments - first;
    return (sg_chunk){.row = i % field->rows->modulus,
                      .first = target.first + first * 512 * target.vectors,
                      .segment_count = left < target.chunk_segments ? left : target.chunk_segments,
                      .vectors = target.vectors};
}

uint64_t sg_list_live(const sg_field *field, const sg_chunk *chunk, uint32_t *live) {
    const uint8_t *hot_row = sg_row(field->rows, field->hot, chunk->row);
    uint64_t count = 0;
    for (uint64_t i = 0; i < chunk->segment_count; i++) {
        live[count] = (uint32_t)i;
        count += !sg_all_hot(hot_row, sg_segment_column(chunk, i), 512 * (uint64_t)chunk->vectors);
    }
    return count;
}

uint64_t sg_segments_most(const sg_rows *rows) {
    return rows->columns / SG_SEGMENT_BITS + SG_SEGMENT_VECTORS + 1;
}

bool sg_node_is_parallel(const sg_field *field, const sg_node *node) {
    return field->threads > 1 && node->columns * field->rows->modulus >= SG_PARALLEL_NODE_POS;
}

bool sg_or_shifts(const sg_field *field, const sg_chunk *chunk, uint64_t segment, const uint8_t *row,
                  const sg_cold_list *shifts, unsigned extra) {
    uint64_t byte = sg_segment_column(chunk, segment) / 8;
    uint64_t *target = (uint64_t *)(void *)(sg_row(field->rows, field->hot, chunk->row) + byte);
    for (uint64_t done = 0, step; done < shifts->count; done += step) {
        step = shifts->count - done < SG_EARLY_EXIT_SHIFTS ? shifts->count - done : SG_EARLY_EXIT_SHIFTS;
        if (field->kernels->shift->or_shifted(target, chunk->vectors, row + byte, shifts->columns + done, step, extra))
            return true;
    }
    return false;
}
