/* The interface between the recursion and what computes its nodes: bit planes and three interchangeable operators.
 *
 * A field is one game laid out on rows, with two planes of bits: `hot` marks (true for a heap size known to be hot) and
 * `cold` positions (true for a solved cold heap size, zero for everything not yet solved). Every operator obeys one
 * contract:
 *
 *   After it, each heap size of the node's target block that is reached in one move from a cold position of the source
 * block (in the rows it was given) is marked hot. It may mark any other heap size that is reached from a cold position,
 * and no other.
 *
 * The second sentence makes edges free: marks are facts of the game, so an operator may work on whole words and
 * vectors. */
#ifndef SG_BACKEND_H
#define SG_BACKEND_H

#include "rows.h"

typedef struct sg_field sg_field;

/* One contribution of the recursion: source columns first .. first+columns-1, all solved, onto target columns
 * first+columns .. target_end-1 (at most as many, fewer at the end of the range). */
typedef struct sg_node {
    uint64_t first;
    uint64_t columns;
    uint64_t target_end;
} sg_node;

typedef struct sg_field_spec {
    const sg_rows *rows;
    const sg_shifts *shifts;
    sg_memory *memory;
    sg_monitor *monitor;
    uint32_t threads;
    bool with_preset; /* keep a third plane: hot marks that every run starts from (hotspots, levels) */
    bool convolves;   /* convolve will be called: make room for transforms */
} sg_field_spec;

typedef struct sg_convolve_counts {
    uint64_t float_nodes; /* nodes done in single precision under the planned bound */
    uint64_t redone;      /* nodes done again in double precision because an output was not near an integer */
} sg_convolve_counts;

typedef struct sg_operators {
    sg_backend backend;
    void (*device_name)(char *name, size_t size); /* what the device is called, cut to `size` bytes */
    bool (*can_convolve)(void);

    /* Memory that `open` and the operators take for this layout. */
    uint64_t (*field_bytes)(const sg_rows *rows, uint32_t threads, bool with_preset, bool convolves);

    /* Opens a field with both planes zero. The spec's pointers must outlive it. */
    sg_status (*open)(const sg_field_spec *spec, sg_field **field);
    void (*close)(sg_field *field);

    /* Marks count heap sizes from first_pos on as hot in the preset plane, by bits (bit i of word i/64 for first_pos +
     * i). */
    sg_status (*preset)(sg_field *field, uint64_t first_pos, uint64_t count, const uint64_t *bits);
    /* Begins a run: no cold positions; hot marks as preset. */
    sg_status (*begin)(sg_field *field);
    /* Adds the cold positions to the preset plane: the next level of theorem 3 excludes them. */
    sg_status (*absorb)(sg_field *field);

    /* The hot marks of a base case: bit i for heap size first_column * M + i, heap sizes past the row ends or n marked
     * hot. */
    sg_status (*fetch_hot)(sg_field *field, uint64_t first_column, uint64_t *bits);
    /* Stores the cold positions of a base case, in the same order. */
    sg_status (*store_cold)(sg_field *field, uint64_t first_column, const uint64_t *bits);

    /* How many cold positions each row has in the source block. */
    sg_status (*count_cold)(sg_field *field, const sg_node *node, uint64_t *counts);

    /* The operators. `sources` lists the source rows that take part, densest first. */
    sg_status (*shift_or)(sg_field *field, const sg_node *node, const uint32_t *sources, uint64_t source_count);
    sg_status (*scatter)(sg_field *field, const sg_node *node, const uint32_t *sources, uint64_t source_count);
    sg_status (*convolve)(sg_field *field, const sg_node *node, const uint64_t *cold_counts);
    sg_convolve_counts (*convolve_counts)(const sg_field *field);
} sg_operators;

/* The operators of a backend; SG_BACKEND_AUTO takes the best there is. SG_ERROR_BACKEND with the reason. */
sg_status sg_backend_find(sg_context *context, sg_backend backend, const sg_operators **operators);

/* The name of the CPU kernels that would run here, which base cases and CPU engines use whatever the backend. */
sg_status sg_instruction_set_name(sg_context *context, const char **name);

#endif
