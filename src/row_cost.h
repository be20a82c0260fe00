/* The time that the recursion would take on M rows, foreseen from a pilot solve. */
#ifndef SG_ROW_COST_H
#define SG_ROW_COST_H

#include "pilot.h"

/* Pricing M rows looks at M^2 row pairs on each level: beyond this many it would cost more than it saves. */
enum { SG_MAX_MODELLED_ROWS = 2048 };

typedef struct sg_row_model {
    const sg_costs *costs;
    const sg_pilot *pilot;
    uint64_t *sample; /* the smallest members, to see how S falls into residue classes */
    uint64_t sample_count;
    double members_below[65]; /* members below 2^i */
    double *row_share;        /* scratch, by row: share of the cold heap sizes */
    double *class_share;      /* scratch, by residue: share of the members */
} sg_row_model;

/* Looks at the members of S; the pilot must outlive the model. Release with sg_row_model_close, also after a failure.
 */
sg_status sg_row_model_open(sg_row_model *model, const sg_request *request, const sg_pilot *pilot);
void sg_row_model_close(sg_row_model *model);

/* The most rows that the pilot saw enough heap sizes to judge. */
uint64_t sg_row_model_max_rows(const sg_row_model *model);

/* At most SG_MAX_MODELLED_ROWS rows.
 * Seconds of one outcome solve (of an average level, for nim-values) by shift_or and scatter on this layout. */
double sg_row_model_seconds(const sg_row_model *model, const sg_rows *rows, uint32_t threads);

/* Seconds of one outcome solve in which every node convolves. */
double sg_convolution_seconds(const sg_costs *costs, const sg_rows *rows);

#endif
