/* For one level of the recursion, with blocks of B columns on M rows (P = B*M heap sizes): a source row s holds c cold
 * positions, and N members of residue t reach a target segment. Shifting costs N steps a segment (c steps for dense
 * classes), scattering c * N marks. The shifts mark a segment at random in this model: each leaves a target column open
 * with probability 1 - c/B, so after about 9 / (c/B) shifts all 4096 columns are marked, unless a cold position among
 * them never will be. */
#include "row_cost.h"
#include "tuning.h"

#include <math.h>
#include <string.h>

enum { SAMPLE_MEMBERS = 1 << 16 };

/* ln(4096) and a little: shifts times coverage after which a segment is expected to be all hot. */
static const double COVERED = 9.0;

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
    *model = (sg_row_model){.pilot = pilot};
    sg_memory_init(&memory, request->context, 0);
    SG_TAKE(&memory, model->sample, SAMPLE_MEMBERS * sizeof *model->sample);
    SG_TAKE(&memory, model->row_share, SG_MAX_MODELLED_ROWS * sizeof *model->row_share);
    SG_TAKE(&memory, model->class_share, SG_MAX_MODELLED_ROWS * sizeof *model->class_share);
    SG_TRY(take_sample(model, request));
    SG_TRY(count_by_powers(model, request));
cleanup:
    return status;
}

void sg_row_model_close(sg_row_model *model) {
    sg_memory_give(NULL, model->sample);
    sg_memory_give(NULL, model->row_share);
    sg_memory_give(NULL, model->class_share);
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

/* What one level's blocks look like. */
typedef struct level_shape {
    double columns;  /* B */
    double segments; /* of a target row */
    double cold;     /* cold positions in a source block */
    double members;  /* members that reach a target segment */
} level_shape;

/* Work for one target row, gathered over source rows. */
typedef struct row_work {
    double steps;    /* shifts of one segment */
    double coverage; /* sum over the shifts of the share of columns that each marks */
    double pairs;
    double marks; /* scattered, over the whole row */
} row_work;

static void add_pair(row_work *work, const level_shape *level, double cold, double members) {
    double density = cold / level->columns;
    bool dense_class = members / WINDOW_SHARE > 2 * level->columns / SG_LIST_DENSITY_INVERSE;
    if (dense_class) {
        work->steps += cold;
        work->coverage += cold * members / level->columns;
    } else if (density * 512 >= SG_SHIFT_OR_COLD_PER_VECTOR) {
        work->steps += members;
        work->coverage += members * density;
        work->pairs += 1;
    } else {
        work->marks += cold * members;
    }
}

static double row_ns(const sg_row_model *model, const level_shape *level, uint64_t modulus, uint64_t r) {
    row_work work = {0};
    for (uint64_t s = 0; s < modulus; s++) {
        double class_share = model->class_share[r >= s ? r - s : r + modulus - s];
        if (class_share > 0 && model->row_share[s] > 0)
            add_pair(&work, level, level->cold * model->row_share[s], level->members * class_share);
    }
    double cold_in_segment = level->cold * model->row_share[r] / level->segments;
    double never_hot = 1 - exp(-cold_in_segment);
    double early = work.coverage > COVERED ? COVERED / work.coverage : 1;
    double part = never_hot + (1 - never_hot) * early;
    double segment_ns = work.steps * SG_SEGMENT_SHIFT_NS + work.pairs * SG_PAIR_VISIT_NS;
    return level->segments * (segment_ns * part + SG_SEGMENT_LOOK_NS) + work.marks * SG_SCATTER_NS;
}

/* The first heap sizes of a level have often not settled into its classes: skipped. */
static uint64_t settled_from(const sg_pilot *pilot, const sg_pilot_level *level) {
    uint64_t first = 0;
    while (first < level->count && level->heaps[first] < pilot->n / 4)
        first++;
    return first;
}

uint64_t sg_row_model_max_rows(const sg_row_model *model) {
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

static double level_seconds(const sg_row_model *model, const sg_rows *rows, uint32_t threads,
                            const sg_pilot_level *pilot_level) {
    uint64_t modulus = rows->modulus, settled = settled_from(model->pilot, pilot_level);
    double n = (double)rows->n, total_cold = sg_pilot_level_size(model->pilot, n), ns = 0;
    share_out(model->row_share, modulus, pilot_level->heaps + settled, pilot_level->count - settled);
    for (uint64_t columns = rows->leaf_columns; columns < rows->top_columns; columns *= 2) {
        double positions = (double)columns * (double)modulus, nodes = n / (2 * positions);
        level_shape level = {.columns = (double)columns,
                             .segments = (double)columns / SG_SEGMENT_BITS,
                             .cold = total_cold * positions / n,
                             .members = WINDOW_SHARE * members_below(model, 2 * positions)};
        if (level.segments < 1.0 / 8)
            level.segments = 1.0 / 8; /* one vector is the least */
        double level_ns = 0;
        for (uint64_t r = 0; r < modulus; r++)
            level_ns += row_ns(model, &level, modulus, r);
        bool parallel = positions >= (double)SG_PARALLEL_NODE_POS;
        ns += (nodes < 1 ? 1 : nodes) * level_ns / (parallel ? threads : 1);
    }
    double leaf_members = members_below(model, (double)(rows->leaf_columns * modulus)) / 2;
    double leaf_words = (double)(rows->leaf_columns * modulus) / 128;
    ns += total_cold * (leaf_members < leaf_words ? leaf_members : leaf_words) * SG_SCATTER_NS;
    if (modulus > 1)
        ns += total_cold * SG_LEAF_REORDER_NS;
    return 1e-9 * (ns + n * SG_LEAF_HEAP_NS);
}

double sg_row_model_seconds(const sg_row_model *model, const sg_rows *rows, uint32_t threads) {
    double seconds = 0;
    share_out(model->class_share, rows->modulus, model->sample, model->sample_count);
    for (unsigned i = 0; i < model->pilot->level_count; i++)
        seconds += level_seconds(model, rows, threads, &model->pilot->levels[i]) / model->pilot->level_count;
    return seconds;
}

/* The transforms of S, one for each difference of rows, are made once a level. */
double sg_convolution_seconds(const sg_rows *rows) {
    double modulus = (double)rows->modulus, ns = SG_CONVOLVE_OPEN_NS + (double)rows->n * SG_LEAF_HEAP_NS;
    for (uint64_t columns = rows->leaf_columns; columns < rows->top_columns; columns *= 2) {
        double points = (double)columns, nodes = (double)rows->columns / (2 * points);
        double transform_ns = SG_TRANSFORM_NS_PER_POINT_LOG2 * points * log2(points);
        ns += nodes * modulus * (2 * transform_ns + modulus * SG_PRODUCT_NS_PER_POINT * points);
        ns += (2 * modulus - 1) * transform_ns;
    }
    return 1e-9 * ns;
}
