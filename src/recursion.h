/* Eppstein's divide and conquer (theorem 1), the driver of every fast solver: solve the lower half of a block, let its
 * cold positions contribute hot marks to the upper half, solve the upper half. */
#ifndef SG_RECURSION_H
#define SG_RECURSION_H

#include "base_case.h"
#include "plan.h"
#include "result.h"

/* Receives the cold positions of a level (0, 1, ...) among heap sizes first_pos .. first_pos+count-1 (bit i for
 * first_pos + i, bits past count zero), level by level and in rising order, as the run finds them. */
typedef sg_status (*sg_emit_fn)(void *user, uint64_t level, uint64_t first_pos, uint64_t count, const uint64_t *cold);

typedef struct sg_recursion_counts {
    uint64_t shift_or_nodes;
    uint64_t scatter_nodes;
    uint64_t convolve_nodes;
} sg_recursion_counts;

typedef struct sg_recursion sg_recursion;
struct sg_recursion {
    const sg_operators *operators;
    sg_memory *memory;
    sg_monitor *monitor;
    sg_policy policy;
    const sg_costs *costs;
    sg_rows rows;
    sg_shifts shifts;
    sg_recursion *inner; /* solves the base cases; NULL for the innermost layout */
    sg_base_case base;   /* solves those of the innermost */
    sg_field *field;
    uint64_t levels; /* solved at once */
    sg_recursion_counts counts;
    sg_emit_fn emit;
    void *emit_user;
    uint64_t *leaf_hot; /* by level */
    uint64_t *leaf_cold;
    uint64_t *cold_counts; /* [(depth * levels + level) * M + row], of the blocks on the way down to the one in hand */
    uint32_t *source_rows; /* of the node in hand, M for each level */
    uint64_t *source_ends; /* by level: first, end of the dense ones, end of all */
    uint64_t members_log2[65]; /* members of S below 2^i */
    uint64_t end_pos;   /* heap sizes of the run in hand: rows.n, or fewer in the last base case of an outer layout */
    uint64_t first_pos; /* of the base case in hand, where an inner recursion solves it */
};

/* Lays the game out and opens the backend's field, for plan->level_batch levels at once. with_preset: as in
 * sg_field_shape. Release with sg_recursion_close, which gives the first failure of releasing. */
sg_status sg_recursion_open(sg_recursion *recursion, const sg_request *request, const sg_plan *plan,
                            const sg_members *members, bool with_preset, sg_memory *memory, sg_monitor *monitor);
sg_status sg_recursion_close(sg_recursion *recursion);

/* One outcome solve over all heap sizes, beginning from the preset marks; with several levels, theorem 3 for all of
 * them: a heap size that is cold in one level is hot by decree in all later ones. */
sg_status sg_recursion_run(sg_recursion *recursion, sg_emit_fn emit, void *user);

/* Writes what worked at how many nodes, and what the device did. */
sg_status sg_recursion_report(const sg_recursion *recursion, sg_result *result);

/* Memory that sg_recursion_open takes. */
sg_need sg_recursion_need(const sg_request *request, const sg_plan *plan, uint64_t n, uint64_t member_count,
                          bool with_preset);

/* Whether plans with this policy convolve. */
bool sg_policy_convolves(sg_policy policy);

#endif
