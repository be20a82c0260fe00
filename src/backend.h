/* The interface between the recursion and what computes its nodes: bit planes and three interchangeable operators.
 *
 * A field is one game laid out on rows, with two planes of bits for each level: `hot` marks (true for a heap size known
 * to be hot) and `cold` positions (true for a solved cold heap size, zero for everything not yet solved). Outcomes have
 * one level; nim-values may solve several levels of theorem 3 at once, which then share nodes and base cases but no
 * bits. Every operator obeys one contract, level by level:
 *
 *   After it, each heap size of the node's target block that is reached in one move from a cold position of the source
 * block (in the rows it was given) is marked hot. It may mark any other heap size that is reached from a cold position,
 * and no other.
 *
 * The second sentence makes edges free: marks are facts of the game, so an operator may work on whole words and
 * vectors.
 *
 * A backend may work behind the caller's back: only fetch_hot waits for what was asked for before it, and errors of
 * earlier calls may be reported by later ones. */
#ifndef SG_BACKEND_H
#define SG_BACKEND_H

#include "node.h"
#include "rows.h"

typedef struct sg_field sg_field;
typedef struct sg_operators sg_operators;
typedef struct sg_nim_operators sg_nim_operators; /* nim_backend.h */

/* Memory by where it is. */
typedef struct sg_need {
    uint64_t host_bytes;
    uint64_t device_bytes; /* 0 for backends whose fields live in the host's memory */
} sg_need;

/* One device of a backend. */
typedef struct sg_device {
    const sg_operators *operators;
    uint32_t index;
    sg_device_info info;
} sg_device;

/* The source rows that take part in a contribution. */
typedef struct sg_sources {
    const uint64_t *counts; /* [level * M + row]: cold positions in the source block */
    const uint32_t *rows;   /* level v's are rows[first[v]] .. rows[end[v] - 1], densest first */
    const uint64_t *first;
    const uint64_t *end;
} sg_sources;

/* The size of a field. */
typedef struct sg_field_shape {
    const sg_rows *rows;
    uint64_t levels;
    uint64_t member_count; /* members of S below n, or more */
    uint32_t threads;
    bool with_preset; /* keep one more plane: hot marks that every run starts from (hotspots, earlier levels) */
    bool convolves;   /* convolve will be called: make room for transforms */
    uint64_t most_piece_columns; /* of a transform on the CPU, a power of two; 0: its own choice. For tests */
} sg_field_shape;

typedef struct sg_field_spec {
    const sg_device *device;
    sg_field_shape shape;
    const sg_shifts *shifts;
    sg_memory *memory;
    sg_monitor *monitor;
} sg_field_spec;

enum { SG_KERNEL_KINDS = 11 };

/* What a field did so far. */
typedef struct sg_field_report {
    uint64_t float_nodes; /* convolutions done in single precision under the planned bound */
    uint64_t redone;      /* convolutions done again in double precision because a count was not near an integer */
    uint64_t device_peak_bytes;
    uint64_t bytes_to_device;
    uint64_t bytes_from_device;
    size_t kernel_count;
    sg_kernel_report kernels[SG_KERNEL_KINDS];
} sg_field_report;

struct sg_operators {
    sg_backend backend;
    uint64_t max_columns;        /* a row may have this many */
    uint64_t overlap_columns;    /* above 0: prefetch overlaps with operators that are called after it, on targets that
                                    begin at multiples of this many columns; 0: nothing overlaps */
    bool batches_levels;         /* several levels at once are faster than one after another */
    const sg_nim_operators *nim; /* nim-values by blocks; NULL where there are none */

    /* Errors name the reason. `describe` needs index < count; `check` solves small random cases on the device and
     * fails when it computes wrong. */
    sg_status (*count_devices)(sg_context *context, uint32_t *count);
    sg_status (*describe)(sg_context *context, uint32_t index, sg_device_info *info);
    sg_status (*check)(sg_context *context, const sg_device *device);

    /* Memory that `open` and the operators take. */
    sg_need (*field_need)(const sg_field_shape *shape);

    /* Opens a field with all planes zero. What the spec points to must outlive it; the spec itself need not. `close`
     * frees everything whatever it returns, which is the first failure on the way. */
    sg_status (*open)(const sg_field_spec *spec, sg_field **field);
    sg_status (*close)(sg_field *field);

    /* Marks count heap sizes from first_pos on as hot in the preset plane, by bits (bit i of word i/64 for first_pos +
     * i; bits past count zero). */
    sg_status (*preset)(sg_field *field, uint64_t first_pos, uint64_t count, const uint64_t *bits);
    /* Begins a run: no cold positions; hot marks of every level as preset. */
    sg_status (*begin)(sg_field *field);
    /* Begins a run of one level with these hot marks instead (bit p of word p/64 for heap size p). NULL where a
     * recursion cannot be the base case of another. */
    sg_status (*begin_with)(sg_field *field, const uint64_t *hot);
    /* Adds the cold positions of all levels to the preset plane: the next levels of theorem 3 exclude them. */
    sg_status (*absorb)(sg_field *field);

    /* A base case is leaf_columns columns from first_column on. Level v's bits are sg_leaf_words(rows) words at
     * bits + v * sg_leaf_words(rows): bit i for heap size first_column * M + i.
     * prefetch: begins what fetch_hot will wait for. NULL where nothing overlaps.
     * fetch_hot: the hot marks; heap sizes past the row ends or n are marked hot.
     * store_cold: stores the cold positions. */
    sg_status (*prefetch)(sg_field *field, uint64_t first_column);
    sg_status (*fetch_hot)(sg_field *field, uint64_t first_column, uint64_t *bits);
    sg_status (*store_cold)(sg_field *field, uint64_t first_column, const uint64_t *bits);

    /* The operators. convolve takes all source rows with cold positions. */
    sg_status (*shift_or)(sg_field *field, const sg_node *node, const sg_sources *sources);
    sg_status (*scatter)(sg_field *field, const sg_node *node, const sg_sources *sources);
    sg_status (*convolve)(sg_field *field, const sg_node *node, const uint64_t *counts);

    /* Waits for all work. */
    sg_status (*report)(sg_field *field, sg_field_report *report);
};

/* Device `index` of a backend, checked; `context` remembers that it was. SG_ERROR_BACKEND with the reason. */
sg_status sg_backend_find(sg_context *context, sg_backend backend, uint32_t index, sg_device *device);

/* Whether a CUDA module is there at all, usable or not; and whether a driver is there to use it. Both are cheap, unless
 * the module lies where only the system's loader finds it: then looking loads it. */
bool sg_backend_cuda_is_offered(void);
sg_status sg_backend_probe_cuda(sg_context *context);

/* The name of the CPU kernels that would run here, which base cases and CPU engines use whatever the backend. */
sg_status sg_instruction_set_name(sg_context *context, const char **name);

#endif
