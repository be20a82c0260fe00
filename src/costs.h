/* What the planner's model of time multiplies its counts of work with: nanoseconds on one core.
 *
 * One line a constant. A profile (profile.c) holds all of them for one machine, and calibration (calibrate.c) finds
 * them from whole solves, whichever they are: a new constant needs its line here, its place in the model, and a probe
 * in which it matters. */
#ifndef SG_COSTS_H
#define SG_COSTS_H

#include "subgame.h"

/* COST(name, avx512, avx2, portable, what it is the cost of): the defaults, one column for each instruction set. Found
 * by `subgame-gpu --calibrate` with SUBGAME_ISA on one core of a 2024 server processor (AMD Zen 5), but those that it
 * cannot tell apart from others are as measured by bench_tuning. */
#define SG_COST_TABLE(COST)                                                                                            \
    COST(segment_shift_ns, 4.0, 10.0, 19.0, "one shift of one 4096-bit segment")                                       \
    COST(pair_visit_ns, 65.0, 200.0, 200.0, "taking up one source row for one segment")                                \
    COST(segment_look_ns, 2.0, 2.0, 4.0, "looking whether a vector is already all hot")                                \
    COST(pair_ns, 20.0, 20.0, 20.0, "taking up one source row for one target row")                                     \
    COST(node_ns, 1000.0, 1000.0, 1000.0, "a node of the recursion, beside its rows")                                  \
    COST(scatter_ns, 1.2, 0.8, 1.4, "one scattered mark")                                                              \
    COST(leaf_heap_ns, 0.22, 0.24, 0.24, "fetching, storing and emitting one heap size of a base case")                \
    COST(leaf_reorder_ns, 35.0, 31.0, 20.0, "moving one cold heap size of a base case out of the rows and back")       \
    COST(change_ns, 0.6, 0.6, 0.6, "one heap size's change from one layout to another")                                \
    COST(transform_ns, 0.1, 0.18, 0.39, "a transform of N points: this times N log2(N)")                               \
    COST(product_ns, 0.3, 0.37, 0.43, "one point of a product of two transforms")                                      \
    COST(convolver_ns, 2e5, 2e5, 2e5, "tables and memory of convolutions, however short")                              \
    COST(tile_word_ns, 0.027, 0.054, 0.1, "one far option of the nim tiles, for each 64 values of sliced sets")        \
    COST(tile_flat_ns, 0.2, 0.33, 0.3, "the same by flat sets of bytes")                                               \
    COST(tile_heap_ns, 21.0, 24.0, 40.0, "one heap size of the nim tiles: its near options and its mex")

typedef struct sg_costs {
#define SG_COST_FIELD(name, avx512, avx2, portable, meaning) double name;
    SG_COST_TABLE(SG_COST_FIELD)
#undef SG_COST_FIELD
} sg_costs;

/* The same as an array, in the order of the table. */
enum { SG_COST_COUNT = sizeof(sg_costs) / sizeof(double) };

static inline double *sg_costs_array(sg_costs *costs) {
    return (double *)costs;
}

static inline const double *sg_costs_values(const sg_costs *costs) {
    return (const double *)costs;
}

const char *sg_cost_name(size_t index);

/* What a profile may hold. */
#define SG_COST_LEAST_NS 1e-6
#define SG_COST_MOST_NS  1e6

/* The defaults for an instruction set by its name. */
const sg_costs *sg_costs_default(const char *instruction_set);

/* The ones in force for what runs now: the context's profile when it is for this instruction set, else the defaults.
 * Belongs to the context. Fails as sg_instruction_set_name does. */
sg_status sg_costs_in_force(sg_context *context, const sg_costs **costs);

/* Puts costs for what runs now in force. */
sg_status sg_costs_put(sg_context *context, const sg_costs *costs);

#endif
