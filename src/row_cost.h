/* Layouts of the recursion, priced from a pilot solve: how many rows for blocks of each length, and where the base
 * cases begin. */
#ifndef SG_ROW_COST_H
#define SG_ROW_COST_H

#include "pilot.h"

typedef struct sg_row_model {
    const sg_costs *costs;
    const sg_pilot *pilot;
    uint64_t *sample; /* the smallest members, to see how S falls into residue classes */
    uint64_t sample_count;
    double members_below[65]; /* members below 2^i */
    double *row_share;        /* scratch, by row: share of the cold heap sizes */
    double *class_share;      /* scratch, by residue: share of the members */
    uint32_t *order;          /* scratch: rows, those with the largest share first */
} sg_row_model;

/* Looks at the members of S; the pilot must outlive the model. Release with sg_row_model_close, also after a failure.
 */
sg_status sg_row_model_open(sg_row_model *model, const sg_request *request, const sg_pilot *pilot);
void sg_row_model_close(sg_row_model *model);

/* Pricing more rows would cost more than it saves. */
enum { SG_MAX_MODELLED_ROWS = 8125 };

/* The most rows that the pilot saw enough heap sizes to judge. */
uint64_t sg_row_model_most_rows(const sg_row_model *model);

/* Nodes by the length of their source blocks, 2^first .. 2^(top-1) heap sizes, in a game of n. */
typedef struct sg_octaves {
    double n;
    unsigned first;
    unsigned top;
    uint32_t threads;
} sg_octaves;

/* ns[i] becomes the nanoseconds that all nodes of octave i take on `modulus` rows, in one outcome solve (of an average
 * level, for nim-values) by shift_or and scatter. */
void sg_row_model_price(const sg_row_model *model, uint64_t modulus, const sg_octaves *octaves, double *ns);

/* Nanoseconds of base cases of `positions` heap sizes in a game of n. */
double sg_row_model_leaf_ns(const sg_row_model *model, double positions, double n);

/* Seconds of one outcome solve in which every node convolves. */
double sg_convolution_seconds(const sg_costs *costs, const sg_rows *rows);

#endif
