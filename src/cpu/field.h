/* The CPU's field: bit planes in memory, shared by the operators in this folder. */
#ifndef SG_CPU_FIELD_H
#define SG_CPU_FIELD_H

#include "../backend.h"
#include "kernels.h"

typedef struct sg_convolver sg_convolver;

/* The cold positions of one row in a range of source columns. */
typedef struct sg_cold_list {
    const uint32_t *columns; /* ascending */
    uint64_t count;
} sg_cold_list;

/* Neighbouring vectors of a chunk, marked together while several of them are open. */
typedef struct sg_segment {
    uint32_t first; /* vector of the chunk */
    uint16_t vectors;
    uint16_t open; /* bit v: vector first + v is not all hot */
} sg_segment;

struct sg_field {
    const sg_rows *rows;
    const sg_shifts *shifts;
    sg_memory *memory;
    sg_monitor *monitor;
    const sg_kernels *kernels;
    uint32_t threads;
    uint64_t levels;
    uint8_t *hot_planes; /* one after another, by level */
    uint8_t *cold_planes;
    uint8_t *hot; /* the planes of the level in hand */
    uint8_t *cold;
    uint8_t *preset;          /* NULL without preset marks */
    bool is_used;             /* the planes are no longer as they were opened: zero */
    sg_cold_list *cold_lists; /* by row */
    uint32_t *cold_columns;   /* storage of their columns */
    uint64_t cold_capacity;   /* of that storage */
    sg_segment *live;         /* scratch: live_stride for each thread */
    uint64_t live_stride;
    sg_convolver *convolver; /* NULL unless the field convolves */
};

/* Whether all columns first .. first+bits-1 of a row are hot; both are multiples of 64. */
bool sg_all_hot(const uint8_t *hot_row, uint64_t first, uint64_t bits);

/* A piece of work for one thread: `vectors` vectors of 512 columns of a target row from column `first` on, a multiple
 * of 512, clear of other chunks' words. */
typedef struct sg_chunk {
    uint64_t row;
    uint64_t first;
    uint64_t vectors;
} sg_chunk;

/* A node's target is dealt to threads in this many chunks, enough to keep them all busy; chunk i comes with its row
 * last, so that neighbours in time are different rows. */
uint64_t sg_chunk_count(const sg_field *field, const sg_node *node);
sg_chunk sg_chunk_at(const sg_field *field, const sg_node *node, uint64_t i);

/* Whether a node is large enough for threads to pay. */
bool sg_node_is_parallel(const sg_field *field, const sg_node *node);

/* The open segments of a chunk, ascending. */
typedef struct sg_live {
    const sg_chunk *chunk;
    sg_segment *segments;
    uint64_t count;
    sg_segment *spare; /* as long as `segments` */
    bool is_stale;     /* something became all hot since the last sg_live_refine */
} sg_live;

static inline uint64_t sg_segment_column(const sg_live *live, const sg_segment *segment) {
    return live->chunk->first + 512 * (uint64_t)segment->first;
}

/* Lists a chunk's open segments in the scratch of the thread that calls. */
sg_live sg_live_open(const sg_field *field, const sg_chunk *chunk);
/* Drops what is all hot, and cuts segments of which little is open. */
void sg_live_refine(sg_live *live);

/* Scratch for lists of live segments, and one thread's share. */
uint64_t sg_live_bytes(const sg_rows *rows, uint32_t threads);
uint64_t sg_live_stride(const sg_rows *rows, uint32_t threads);

/* Ors a bit row, shifted by shifts[k] + extra columns for each k, into a segment and notes what of it is still open;
 * stops early when nothing is. `row` is a row of a plane. */
void sg_or_shifts(const sg_field *field, sg_live *live, sg_segment *segment, const uint8_t *row,
                  const sg_cold_list *shifts, unsigned extra);

/* Lists the cold positions of the given rows in columns first .. end-1 into field->cold_lists[row]; they must number at
 * most field->cold_capacity. */
void sg_cold_lists_build(sg_field *field, const uint32_t *sources, uint64_t source_count, uint64_t first, uint64_t end);

/* Cuts a node's source columns into ranges whose cold positions fit the lists: calls visit(field, node, argument) for
 * each, with the lists built, latest columns first and small ranges before large ones, until visit returns false
 * (nothing left to mark). */
typedef bool (*sg_range_visit)(sg_field *field, const sg_node *node, void *argument);
void sg_source_ranges(sg_field *field, const sg_node *node, const uint32_t *sources, uint64_t source_count,
                      sg_range_visit visit, void *argument);

uint64_t sg_cold_capacity(const sg_rows *rows);

static inline void sg_set_bit(const sg_rows *rows, uint8_t *plane, sg_place place) {
    sg_row(rows, plane, place.row)[place.column / 8] |= (uint8_t)(1u << place.column % 8);
}

/* Changes between heap order and rows, of the level in hand; see fetch_hot, store_cold and begin_with in backend.h. */
void sg_fetch_block(const sg_field *field, uint64_t first_column, uint64_t *bits);
void sg_store_block(sg_field *field, uint64_t first_column, const uint64_t *bits);
void sg_place_hot(sg_field *field, const uint64_t *hot);

/* The part of both operators that goes by listed cold positions: for each, marks the members of the dense classes by
 * words and, if `listed_classes`, those of the listed classes one by one. */
sg_status sg_cpu_mark_by_cold_lists(sg_field *field, const sg_node *node, const uint32_t *sources,
                                    uint64_t source_count, bool listed_classes);

/* The operators, one file each, on the planes of the level in hand; contracts in backend.h. */
sg_status sg_cpu_shift_or(sg_field *field, const sg_node *node, const uint32_t *sources, uint64_t source_count);
sg_status sg_cpu_scatter(sg_field *field, const sg_node *node, const uint32_t *sources, uint64_t source_count);
sg_status sg_cpu_convolve(sg_field *field, const sg_node *node, const uint64_t *cold_counts);

/* Room for transforms, where the shape says that the field convolves. */
uint64_t sg_convolver_bytes(const sg_field_shape *shape);
sg_status sg_convolver_open(sg_field *field, const sg_field_shape *shape);
void sg_convolver_close(sg_field *field);
void sg_convolver_report(const sg_field *field, sg_field_report *report);

#endif
