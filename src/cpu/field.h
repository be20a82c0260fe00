/* The CPU's field: bit planes in memory, shared by the operators in this folder. */
#ifndef SG_CPU_FIELD_H
#define SG_CPU_FIELD_H

#include "../backend.h"
#include "kernels.h"

typedef struct sg_convolver sg_convolver;

/* The cold positions of one row in a range of source columns, grouped like sg_shift_class. */
typedef struct sg_cold_group {
    uint32_t *eighths; /* column / 8, grouped by column % 8, ascending in each group */
    uint64_t group_start[9];
} sg_cold_group;

/* A source row and the class of shifts that takes it to the target row in hand, with the window of each group of shifts
 * that reaches the segment in hand. */
typedef struct sg_shift_pair {
    const uint8_t *cold_row;
    const sg_shift_class *class;
    unsigned borrow;
    uint32_t window_first[8];
    uint32_t window_end[8];
} sg_shift_pair;

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
    uint8_t *preset;            /* NULL without preset marks */
    bool is_used;               /* the planes are no longer as they were opened: zero */
    sg_cold_group *cold_groups; /* by row */
    uint32_t *cold_list;        /* storage of their lists */
    uint64_t cold_list_capacity;
    sg_shift_pair *pairs;    /* rows->modulus for each thread */
    sg_convolver *convolver; /* NULL unless the field convolves */
};

/* Whether all columns first .. first+bits-1 of a row are hot; both are multiples of 64. */
bool sg_all_hot(const uint8_t *hot_row, uint64_t first, uint64_t bits);

/* A piece of work for one thread: columns first .. end-1 of a target row, in whole segments, clear of other chunks'
 * words. */
typedef struct sg_chunk {
    uint64_t row;
    uint64_t first;
    uint64_t end;
    unsigned segment_bits; /* SG_SEGMENT_BITS, or 512 for blocks shorter than that */
} sg_chunk;

/* A node's target is dealt to threads in this many chunks, enough to keep them all busy; chunk i comes with its row
 * last, so that neighbours in time are different rows. */
uint64_t sg_chunk_count(const sg_field *field, const sg_node *node);
sg_chunk sg_chunk_at(const sg_field *field, const sg_node *node, uint64_t i);

/* Whether a node is large enough for threads to pay. */
bool sg_node_is_parallel(const sg_field *field, const sg_node *node);

/* Lists the cold positions of the given rows in columns first .. end-1 into field->cold_groups[row]; they must number
 * at most field->cold_list_capacity. */
void sg_cold_lists_build(sg_field *field, const uint32_t *sources, uint64_t source_count, uint64_t first, uint64_t end);

/* Cuts a node's source columns into ranges whose cold positions fit the lists: calls visit(field, node, argument) for
 * each, with the lists built, latest columns first and small ranges before large ones, until visit returns false
 * (nothing left to mark). */
typedef bool (*sg_range_visit)(sg_field *field, const sg_node *node, void *argument);
void sg_source_ranges(sg_field *field, const sg_node *node, const uint32_t *sources, uint64_t source_count,
                      sg_range_visit visit, void *argument);

uint64_t sg_cold_list_capacity(const sg_rows *rows);

/* Ors a bit row into the segment at target column `column`, shifted by 8*eighths[k] + extra columns (extra <= 8) for
 * each k; stops early and returns true once the segment is all hot. `hot_row` and `source_row` are rows of planes. */
bool sg_or_shifts(const sg_field *field, uint8_t *hot_row, const uint8_t *source_row, uint64_t column,
                  unsigned segment_bits, const uint32_t *eighths, uint64_t count, unsigned extra);

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
