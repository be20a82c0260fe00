/* Foreseeing what the recursion costs on M rows, by octaves: the nodes whose source blocks have 2^i heap sizes.
 *
 * A source row with density d (cold positions a column) that N members take to a target row marks each of its columns
 * with probability 1 - exp(-d N). Once the coverage, the sum of all d N so far, has passed ln 512, a vector of 512
 * columns is expected to be all hot, unless it holds a cold position: then it never is, and is shifted to the end. A
 * sample of the target rows stands for all. */
#include "row_cost.h"
#include "cpu/kernels.h"
#include "tuning.h"

#include <math.h>
#include <string.h>

enum { SAMPLE_MEMBERS = 1 << 16, SAMPLE_ROWS = 32 };

/* ln(512) and a little: coverage after which a vector is expected to be all hot. */
static const double COVERED = 8.0;

/* Of the members below 2P, the share that reaches one target segment: exactly 1/2 for evenly spread members, 0.39 for
 * squares. */
static const double WINDOW_SHARE = 0.45;

static sg_status take_sample(sg_row_model *model, const sg_request *request) {
    sg_set_cursor *cursor = NULL;
    sg_status status;
    size_t got;
    SG_TRY(sg_set_cursor_open(request->context, request->game->subtraction, request->n, &cursor));
    do {
        SG_TRY(sg_set_cursor_next(request->context, cursor, model->sample + model->sample_count,
                                  SAMPLE_MEMBERS - model->sample_count, &got));
        model->sample_count += got;
    } while (got && model->sample_count < SAMPLE_MEMBERS);
cleanup:
    sg_set_cursor_close(cursor);
    return status;
}

/* Members below each power of two: from the sample as far as it goes, then counted until they prove dense; from there
 * on the density is taken to stay. */
static sg_status count_by_powers(sg_row_model *model, const sg_request *request) {
    bool complete = model->sample_count < SAMPLE_MEMBERS, dense = false;
    uint64_t sampled_below = complete || !model->sample_count ? UINT64_MAX : model->sample[model->sample_count - 1];
    for (unsigned i = 1; i <= 64; i++) {
        uint64_t power = i < 64 ? (uint64_t)1 << i : UINT64_MAX, limit = power < request->n ? power : request->n;
        uint64_t count = sg_lower_bound_u64(model->sample, 0, model->sample_count, limit);
        if (limit > sampled_below && !dense) {
            sg_status status = sg_members_count(request->context, request->game->subtraction, limit, &count);
            if (status != SG_OK)
                return status;
            dense = !sg_members_are_listed(count, limit);
        }
        model->members_below[i] = dense ? model->members_below[i - 1] * 2 : (double)count;
    }
    return SG_OK;
}

sg_status sg_row_model_open(sg_row_model *model, const sg_request *request, const sg_pilot *pilot) {
    sg_memory memory;
    sg_status status;
    *model = (sg_row_model){.costs = request->costs, .pilot = pilot};
    sg_memory_init(&memory, request->context, 0);
    SG_TAKE(&memory, model->sample, SAMPLE_MEMBERS * sizeof *model->sample);
    SG_TAKE(&memory, model->row_share, SG_MAX_MODELLED_ROWS * sizeof *model->row_share);
    SG_TAKE(&memory, model->class_share, SG_MAX_MODELLED_ROWS * sizeof *model->class_share);
    SG_TAKE(&memory, model->order, SG_MAX_MODELLED_ROWS * sizeof *model->order);
    SG_TRY(take_sample(model, request));
    SG_TRY(count_by_powers(model, request));
cleanup:
    return status;
}

void sg_row_model_close(sg_row_model *model) {
    sg_memory_give(NULL, model->sample);
    sg_memory_give(NULL, model->row_share);
    sg_memory_give(NULL, model->class_share);
    sg_memory_give(NULL, model->order);
    *model = (sg_row_model){0};
}

static double members_below(const sg_row_model *model, double x) {
    if (x < 2)
        return x < 1 ? 0 : model->members_below[1];
    double power = log2(x);
    unsigned i = power >= 63 ? 63 : (unsigned)power;
    double low = model->members_below[i], high = model->members_below[i + 1];
    return low + (high - low) * (x / exp2(i) - 1);
}

static void share_out(double *shares, uint64_t modulus, const uint64_t *numbers, uint64_t count) {
    memset(shares, 0, modulus * sizeof *shares);
    for (uint64_t i = 0; i < count; i++)
        shares[numbers[i] % modulus] += 1.0 / (double)count;
}

/* Sorts the rows by falling share. */
static void order_rows(const sg_row_model *model, uint64_t modulus) {
    for (uint64_t i = 0; i < modulus; i++)
        model->order[i] = (uint32_t)i;
    for (uint64_t gap = modulus / 2; gap; gap /= 2)
        for (uint64_t i = gap; i < modulus; i++) {
            uint32_t moving = model->order[i];
            uint64_t at = i;
            for (; at >= gap && model->row_share[model->order[at - gap]] < model->row_share[moving]; at -= gap)
                model->order[at] = model->order[at - gap];
            model->order[at] = moving;
        }
}

/* What the blocks of one octave look like. */
typedef struct octave_shape {
    uint64_t modulus;
    uint64_t filled; /* rows with cold heap sizes; they come first in model->order */
    double columns;  /* of a source block */
    double vectors;  /* of a target row */
    double cold;     /* cold heap sizes in a source block */
    double members;  /* members that reach a target segment */
    double pieces;   /* of the source, each of which takes up a segment anew */
} octave_shape;

/* Whether members of a class are held as bits, which cold heap sizes shift. */
static bool is_dense_class(const octave_shape *octave, double members) {
    return members / WINDOW_SHARE > 2 * octave->columns / SG_LIST_DENSITY_INVERSE;
}

/* Of `shifts` that each cover so much more, those that find most vectors open. The last look at what is open may be
 * some shifts ago. */
static double open_shifts(double shifts, double coverage, double each) {
    double open = coverage < COVERED ? (COVERED - coverage) / each + SG_EARLY_EXIT_SHIFTS / 2.0 : 0;
    return open < shifts ? open : shifts;
}

/* Nanoseconds for the target row r of a node, which has been covered so far from farther away; adds what this octave
 * covers. */
static double row_ns(const sg_row_model *model, const octave_shape *octave, uint64_t r, double *coverage) {
    const sg_costs *costs = model->costs;
    double never_hot = 1 - exp(-octave->cold * model->row_share[r] / octave->vectors);
    double ns = octave->vectors * costs->segment_look_ns;
    for (uint64_t i = 0; i < octave->filled && (*coverage < COVERED || never_hot * octave->vectors > 0.01); i++) {
        uint64_t s = model->order[i], t = r >= s ? r - s : r + octave->modulus - s;
        double members = octave->members * model->class_share[t], cold = octave->cold * model->row_share[s];
        if (members <= 0)
            continue;
        bool dense = is_dense_class(octave, members);
        ns += costs->pair_ns;
        if (dense || cold / octave->columns * 512 >= SG_SHIFT_OR_COLD_PER_VECTOR) {
            double shifts = dense ? cold : members, each = (dense ? members : cold) / octave->columns;
            double open = open_shifts(shifts, *coverage, each);
            double visits = octave->pieces * (open > 0 ? 1 : never_hot);
            ns += octave->vectors / SG_SEGMENT_VECTORS *
                  ((open + never_hot * (shifts - open)) * costs->segment_shift_ns + visits * costs->pair_visit_ns);
        } else {
            ns += cold * members * costs->scatter_ns;
        }
        *coverage += cold / octave->columns * members;
    }
    return ns;
}

static octave_shape shape_of(const sg_row_model *model, uint64_t modulus, double positions, double n) {
    octave_shape octave = {.modulus = modulus, .columns = positions / (double)modulus};
    octave.vectors = octave.columns > 512 ? octave.columns / 512 : 1;
    octave.cold = sg_pilot_level_size(model->pilot, n) * positions / n;
    octave.members = WINDOW_SHARE * members_below(model, 2 * positions);
    octave.pieces = 1 + octave.columns / (double)SG_SOURCE_PIECE_COLUMNS;
    while (octave.filled < modulus && model->row_share[model->order[octave.filled]] > 0)
        octave.filled++;
    return octave;
}

double sg_row_model_leaf_ns(const sg_row_model *model, double positions, double n) {
    double cold = sg_pilot_level_size(model->pilot, n), members = members_below(model, positions);
    double by_list = members * model->costs->scatter_ns * 2 / 3;
    double by_vectors = (1 + positions / (2 * SG_SEGMENT_BITS)) * 2 * model->costs->segment_shift_ns;
    return cold * (by_list < by_vectors ? by_list : by_vectors) + n * model->costs->leaf_heap_ns;
}

/* The first heap sizes of a level have often not settled into its classes: skipped. */
static uint64_t settled_from(const sg_pilot *pilot, const sg_pilot_level *level) {
    uint64_t first = 0;
    while (first < level->count && level->heaps[first] < pilot->n / 4)
        first++;
    return first;
}

uint64_t sg_row_model_most_rows(const sg_row_model *model) {
    uint64_t fewest = UINT64_MAX;
    for (unsigned i = 0; i < model->pilot->level_count; i++) {
        const sg_pilot_level *level = &model->pilot->levels[i];
        uint64_t count = level->count - settled_from(model->pilot, level);
        /* A level of hardly any heap sizes costs little however they lie. */
        if (count > SG_PILOT_HEAPS_PER_ROW && count < fewest)
            fewest = count;
    }
    return fewest / SG_PILOT_HEAPS_PER_ROW;
}

/* Adds up the octaves for the rows that model->row_share and model->order describe, longest blocks first: half of them
 * are targets, and bring the marks that they got to all shorter blocks inside them. */
static void add_octaves(const sg_row_model *model, uint64_t modulus, const sg_octaves *octaves, double *ns) {
    uint64_t sampled = modulus < SAMPLE_ROWS ? modulus : SAMPLE_ROWS;
    double covered[SAMPLE_ROWS] = {0};
    for (unsigned i = octaves->top; i-- > octaves->first;) {
        double positions = exp2(i), nodes = octaves->n / (2 * positions), rows_ns = 0;
        octave_shape octave = shape_of(model, modulus, positions, octaves->n);
        for (uint64_t k = 0; k < sampled; k++) {
            double coverage = covered[k];
            rows_ns += row_ns(model, &octave, model->order[(2 * k + 1) * modulus / (2 * sampled)], &coverage);
            covered[k] = (covered[k] + coverage) / 2;
        }
        double node_ns = rows_ns * (double)modulus / (double)sampled + model->costs->node_ns;
        bool parallel = positions >= (double)SG_PARALLEL_NODE_POS;
        ns[i] += (nodes < 0.5 ? 0.5 : nodes) * node_ns / model->pilot->level_count / (parallel ? octaves->threads : 1);
    }
}

void sg_row_model_price(const sg_row_model *model, uint64_t modulus, const sg_octaves *octaves, double *ns) {
    const sg_pilot *pilot = model->pilot;
    for (unsigned i = octaves->first; i < octaves->top; i++)
        ns[i] = 0;
    if (modulus < 1 || modulus > SG_MAX_MODELLED_ROWS)
        return; /* no layout, and no room for its shares */
    share_out(model->class_share, modulus, model->sample, model->sample_count);
    for (unsigned level = 0; level < pilot->level_count; level++) {
        const sg_pilot_level *pilot_level = &pilot->levels[level];
        uint64_t settled = settled_from(pilot, pilot_level);
        share_out(model->row_share, modulus, pilot_level->heaps + settled, pilot_level->count - settled);
        order_rows(model, modulus);
        add_octaves(model, modulus, octaves, ns);
    }
}

/* The transforms of S, one for each difference of rows, are made once a level. */
double sg_convolution_seconds(const sg_costs *costs, const sg_rows *rows) {
    double modulus = (double)rows->modulus, ns = costs->convolver_ns + (double)rows->n * costs->leaf_heap_ns;
    for (uint64_t columns = rows->leaf_columns; columns < rows->top_columns; columns *= 2) {
        double points = (double)columns, nodes = (double)rows->columns / (2 * points);
        double transform_ns = costs->transform_ns * points * log2(points);
        ns += nodes * modulus * (2 * transform_ns + modulus * costs->product_ns * points);
        ns += (2 * modulus - 1) * transform_ns;
    }
    return 1e-9 * ns;
}
