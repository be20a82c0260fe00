/* The division of a game into blocks that every recursion follows: a block's lower half, the marks of the lower half on
 * the upper one, the upper half. */
#ifndef SG_DIVIDE_H
#define SG_DIVIDE_H

#include "backend.h"

/* Lengths and places are columns of rows, or heap sizes. Blocks are `leaf` times powers of two long and cut at `end`.
 * `depth` is 0 for the outermost block. */
typedef struct sg_division {
    uint64_t end;
    uint64_t leaf;
    void *user;

    /* Solves a base case of up to `leaf`, from first on. */
    sg_status (*solve)(void *user, uint64_t first, uint64_t depth);

    /* Between the halves of a block: lets the solved lower half, the node's source, mark the upper half, its target. An
     * upper half past `end` is an empty target. */
    sg_status (*cross)(void *user, const sg_node *node, uint64_t depth);

    /* After the upper half of a block, unless that was empty. May be NULL. */
    sg_status (*join)(void *user, uint64_t depth);
} sg_division;

/* The least block length that covers `length`: leaf times a power of two. */
uint64_t sg_division_length(const sg_division *division, uint64_t length);

/* Divides the block of `length`, as sg_division_length gives it, from first < end on. */
sg_status sg_divide(const sg_division *division, uint64_t first, uint64_t length, uint64_t depth);

#endif
