/* The interface between nim-values by blocks (nim_blocks.c) and a device that computes them.
 *
 * All values stay on the device, two or four bytes each. Heap sizes are decided a block at a time. What is known of the
 * options of a heap size of a block is a window (nim_window.h). Far options
 * (heap sizes before a bound, all decided) are gathered at once, with sets of seen values that live only while a kernel
 * runs; what nearer ones add is marked in the windows. Marks are facts of the game, so they may come in any order and
 * more than once. A window of finite length can fill up: then its heap size is stuck, and the next block begins there,
 * with all its options far.
 *
 * Nothing here waits for the device but fetch_windows, progress, widen, report and finish, and whoever runs far ahead
 * of it. Two blocks are in hand at a time, one in each slot: `far` of one runs beside the other operators on the other.
 * Errors of earlier calls may be reported by later ones. */
#ifndef SG_NIM_BACKEND_H
#define SG_NIM_BACKEND_H

#include "backend.h"
#include "members.h"
#include "nim_window.h"
#include "values.h"

typedef struct sg_nim_field sg_nim_field;

enum { SG_NIM_SLOTS = 2 };

typedef struct sg_nim_shape {
    uint64_t n;
    uint64_t member_count; /* members of S below n, or more */
    unsigned value_bytes;  /* 2 or 4 */
    uint64_t leaf_pos;     /* heap sizes of a base case */
} sg_nim_shape;

typedef struct sg_nim_spec {
    const sg_device *device;
    sg_nim_shape shape;
    const sg_members *members;
    sg_memory *memory;
} sg_nim_spec;

/* How far the device came. */
typedef struct sg_nim_progress {
    uint64_t stuck;   /* the first heap size that could not be decided since the last call; UINT64_MAX when none */
    bool is_too_wide; /* because its value does not fit the width; otherwise its window is full */
    uint64_t largest; /* value so far */
} sg_nim_progress;

typedef struct sg_nim_operators {
    uint64_t leaf_pos;      /* heap sizes of a base case, unless the caller wants another number */
    unsigned minimal_bytes; /* of a value */

    sg_need (*need)(const sg_device *device, const sg_nim_shape *shape);
    sg_status (*open)(const sg_nim_spec *spec, sg_nim_field **field);
    sg_status (*close)(sg_nim_field *field); /* as sg_operators.close */

    /* Heap sizes of a block that fills the device, now that values up to `largest` have been seen. */
    uint64_t (*block_pos)(const sg_nim_field *field);

    /* Begins a block: the windows of heap sizes first .. end-1, at most block_pos of them, in `slot`, with the options
     * below `known` <= first, all decided and reported by progress. */
    sg_status (*far)(sg_nim_field *field, unsigned slot, uint64_t first, uint64_t end, uint64_t known);

    /* Marks the options of the node's targets, in `slot`, among its sources, which may also lie further before them
     * than in the recursion. */
    sg_status (*cross)(sg_nim_field *field, unsigned slot, const sg_node *node);

    /* Decides heap sizes first .. end-1 of `slot`, whose options before `first` are all marked, in rising order until
     * one is stuck. Once one is, later calls of near and cross do nothing until progress was asked for. */
    sg_status (*near)(sg_nim_field *field, unsigned slot, uint64_t first, uint64_t end);

    /* For the host to do what near does, up to leaf_pos heap sizes at a time. Values must fit the width. */
    sg_status (*fetch_windows)(sg_nim_field *field, unsigned slot, uint64_t first, uint64_t end, sg_window *windows);
    sg_status (*store_values)(sg_nim_field *field, uint64_t first, uint64_t count, const uint32_t *values);

    /* Waits for near and cross. */
    sg_status (*progress)(sg_nim_field *field, sg_nim_progress *progress);

    /* Doubles the width of values; SG_ERROR_OVERFLOW past 4 bytes. */
    sg_status (*widen)(sg_nim_field *field);

    sg_status (*report)(sg_nim_field *field, sg_field_report *report);

    /* Hands the values over, once all are decided: they outlive the field, which can only be closed then. */
    sg_status (*finish)(sg_nim_field *field, sg_values *values);
} sg_nim_operators;

#endif
