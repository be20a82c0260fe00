/* What the operators share: where a node's target lies, how it is dealt to threads, and the shifted OR with its early
 * exit. */
#include "field.h"
#include "../tuning.h"

#include <omp.h>

bool sg_all_hot(const uint8_t *hot_row, uint64_t first, uint64_t bits) {
    const uint64_t *words = (const uint64_t *)(const void *)(hot_row + first / 8);
    uint64_t all = UINT64_MAX;
    for (uint64_t w = 0; w < bits / 64; w++)
        all &= words[w];
    return all == UINT64_MAX;
}

/* A node's target in whole vectors, and how many of them a chunk has. */
typedef struct target_shape {
    uint64_t first;
    uint64_t vectors;
    uint64_t chunk_vectors;
} target_shape;

static uint64_t chunks_per_row(uint64_t modulus, uint32_t threads) {
    return (uint64_t)SG_ITEMS_PER_THREAD * threads / modulus + 1;
}

/* Vectors of a chunk when a row's target has so many: whole segments. */
static uint64_t chunk_vectors(uint64_t vectors, uint64_t modulus, uint32_t threads) {
    uint64_t segments = (vectors + SG_SEGMENT_VECTORS - 1) / SG_SEGMENT_VECTORS;
    return (segments / chunks_per_row(modulus, threads) + 1) * SG_SEGMENT_VECTORS;
}

static target_shape target_of(const sg_field *field, const sg_node *node) {
    uint64_t first = node->target_first / 512, vectors = (node->target_end + 511) / 512 - first;
    return (target_shape){512 * first, vectors, chunk_vectors(vectors, field->rows->modulus, field->threads)};
}

uint64_t sg_chunk_count(const sg_field *field, const sg_node *node) {
    target_shape target = target_of(field, node);
    return field->rows->modulus * ((target.vectors + target.chunk_vectors - 1) / target.chunk_vectors);
}

sg_chunk sg_chunk_at(const sg_field *field, const sg_node *node, uint64_t i) {
    target_shape target = target_of(field, node);
    uint64_t first = i / field->rows->modulus * target.chunk_vectors, left = target.vectors - first;
    return (sg_chunk){.row = i % field->rows->modulus,
                      .first = target.first + 512 * first,
                      .vectors = left < target.chunk_vectors ? left : target.chunk_vectors};
}

bool sg_node_is_parallel(const sg_field *field, const sg_node *node) {
    return field->threads > 1 && node->columns * field->rows->modulus >= SG_PARALLEL_NODE_POS;
}

uint64_t sg_live_stride(const sg_rows *rows, uint32_t threads) {
    return 2 * chunk_vectors(rows->columns / 512 + 2, rows->modulus, threads); /* a list and its spare */
}

uint64_t sg_live_bytes(const sg_rows *rows, uint32_t threads) {
    return sg_multiply_saturating(threads * sizeof(sg_segment), sg_live_stride(rows, threads));
}

/* Adds the open part of `vectors` vectors: both halves by themselves when one is all hot or when hardly anything is
 * open. */
static void add_segment(sg_live *live, uint32_t first, unsigned vectors, unsigned open) {
    while (vectors > 1) {
        unsigned half = vectors / 2, low = open & ((1u << half) - 1), high = open >> half;
        if (low && high && 4 * (unsigned)__builtin_popcount(open) > vectors)
            break;
        if (low && high)
            add_segment(live, first, half, low);
        if (high)
            first += half;
        open = high ? high : low;
        vectors = high ? vectors - half : half;
    }
    if (open)
        live->segments[live->count++] = (sg_segment){first, (uint16_t)vectors, (uint16_t)open};
}

sg_live sg_live_open(const sg_field *field, const sg_chunk *chunk) {
    sg_segment *scratch = field->live + field->live_stride * (uint64_t)omp_get_thread_num();
    sg_live live = {.chunk = chunk, .segments = scratch, .spare = scratch + field->live_stride / 2};
    uint64_t *target = (uint64_t *)(void *)(sg_row(field->rows, field->hot, chunk->row) + chunk->first / 8);
    for (uint64_t v = 0; v < chunk->vectors; v += SG_SEGMENT_VECTORS) {
        uint64_t left = chunk->vectors - v;
        unsigned vectors = left < SG_SEGMENT_VECTORS ? (unsigned)left : SG_SEGMENT_VECTORS;
        /* No shift at all only tells what is open. */
        unsigned open = field->kernels->shift->or_shifted(target + 8 * v, vectors, (uint8_t *)target, NULL, 0, 0);
        add_segment(&live, (uint32_t)v, vectors, open);
    }
    return live;
}

void sg_live_refine(sg_live *live) {
    if (!live->is_stale)
        return;
    sg_live finer = {.chunk = live->chunk, .segments = live->spare, .spare = live->segments};
    for (uint64_t i = 0; i < live->count; i++)
        add_segment(&finer, live->segments[i].first, live->segments[i].vectors, live->segments[i].open);
    *live = finer;
}

void sg_or_shifts(const sg_field *field, sg_live *live, sg_segment *segment, const uint8_t *row,
                  const sg_cold_list *shifts, unsigned extra) {
    uint64_t byte = sg_segment_column(live, segment) / 8;
    uint64_t *target = (uint64_t *)(void *)(sg_row(field->rows, field->hot, live->chunk->row) + byte);
    unsigned open = segment->open;
    for (uint64_t done = 0, step; done < shifts->count && open; done += step) {
        step = shifts->count - done < SG_EARLY_EXIT_SHIFTS ? shifts->count - done : SG_EARLY_EXIT_SHIFTS;
        open = field->kernels->shift->or_shifted(target, segment->vectors, row + byte, shifts->columns + done, step,
                                                 extra);
    }
    live->is_stale |= open != segment->open;
    segment->open = (uint16_t)open;
}
