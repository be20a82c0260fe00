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
    uint64_t end;
    uint64_t chunk_columns;
    unsigned segment_bits;
} target_shape;

static target_shape target_of(const sg_field *field, const sg_node *node) {
    unsigned bits = node->columns >= SG_SEGMENT_BITS ? SG_SEGMENT_BITS : 512;
    uint64_t first = node->target_first / bits * bits, end = (node->target_end + bits - 1) / bits * bits;
    uint64_t chunks_per_row = (uint64_t)SG_ITEMS_PER_THREAD * field->threads / field->rows->modulus + 1;
    return (target_shape){first, end, ((end - first) / bits / chunks_per_row + 1) * bits, bits};
}

uint64_t sg_chunk_count(const sg_field *field, const sg_node *node) {
    target_shape target = target_of(field, node);
    return field->rows->modulus * ((target.end - target.first + target.chunk_columns - 1) / target.chunk_columns);
}

sg_chunk sg_chunk_at(const sg_field *field, const sg_node *node, uint64_t i) {
    target_shape target = target_of(field, node);
    uint64_t first = target.first + i / field->rows->modulus * target.chunk_columns;
    uint64_t end = first + target.chunk_columns < target.end ? first + target.chunk_columns : target.end;
    return (sg_chunk){i % field->rows->modulus, first, end, target.segment_bits};
}

bool sg_node_is_parallel(const sg_field *field, const sg_node *node) {
    return field->threads > 1 && node->columns * field->rows->modulus >= SG_PARALLEL_NODE_POS;
}

bool sg_or_shifts(const sg_field *field, uint8_t *hot_row, const uint8_t *source_row, uint64_t column,
                  unsigned segment_bits, const uint32_t *eighths, uint64_t count, unsigned extra) {
    uint64_t *segment = (uint64_t *)(void *)(hot_row + column / 8);
    /* Target bit i takes source bit column - 8e - extra + i; begin at the byte before, so that the rest is a right
     * shift. */
    const uint8_t *source = source_row + (int64_t)(column / 8) - 1;
    for (uint64_t done = 0; done < count;) {
        uint64_t step = count - done < SG_EARLY_EXIT_SHIFTS ? count - done : SG_EARLY_EXIT_SHIFTS;
        if (segment_bits == SG_SEGMENT_BITS)
            field->kernels->shift->or_shifted_segment(segment, source, eighths + done, step, 8 - extra);
        else
            field->kernels->shift->or_shifted_vector(segment, source, eighths + done, step, 8 - extra);
        done += step;
        if (sg_all_hot(hot_row, column, segment_bits))
            return true;
    }
    return false;
}
