/* Layouts of the recursion: how many rows for blocks of each length, and where the base cases begin. */
#ifndef SG_LAYOUT_H
#define SG_LAYOUT_H

#include "row_cost.h"

/* What a layout may be. */
typedef struct sg_layout_limits {
    uint64_t least_rows;   /* what the backend can address needs at least these */
    uint64_t rows;         /* 0: as many as are best */
    uint64_t leaf_pos;     /* heap sizes of the innermost base cases; 0: as many as are best */
    uint64_t most_columns; /* what the backend can address */
    bool may_nest;         /* base cases of an outer layout may be solved on other rows */
} sg_layout_limits;

/* Finds the cheapest layout for one outcome solve (of an average level, for nim-values) by shift_or and scatter: fills
 * in the plan's rows, inner layers, base threshold and seconds. */
sg_status sg_layout_choose(const sg_row_model *model, const sg_request *request, const sg_layout_limits *limits,
                           sg_plan *plan);

#endif
