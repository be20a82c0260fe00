/* Which number of rows is best for one octave of block lengths does not depend on the others, but for the price of
 * changing the layout between them: so the cheapest sequence is found by dynamic programming from the base cases up. */
#include "layout.h"
#include "tuning.h"

#include <limits.h>
#include <math.h>

/* Rows that are worth a look: residues in which squares, cubes, primes, polynomials and finite sets are known to leave
 * their cold heap sizes. */
static const uint16_t candidates[] = {
    1,  2,  3,  4,  5,  6,  7,  8,  9,   10,  12,  13,  15,  16,  17,  20,  24,  25,  26,  29,  30,   34,   37,   39,
    40, 41, 50, 60, 63, 65, 85, 91, 120, 125, 130, 145, 169, 185, 205, 221, 325, 425, 625, 845, 1105, 1625, 4225, 8125};
enum { OCTAVES = 64, CANDIDATES = sizeof candidates / sizeof *candidates };

/* The best way found to solve blocks of 2^i heap sizes whose outermost rows are moduli[c]. */
typedef struct choice {
    double ns;
    int inner; /* the candidate that solves blocks of 2^(i-1), c itself as well; -1: these are base cases */
    unsigned layers;
} choice;

typedef struct layout_search {
    const sg_row_model *model;
    const sg_layout_limits *limits;
    sg_octaves octaves; /* the shortest base cases have 2^octaves.first heap sizes, blocks of 2^octaves.top hold all */
    unsigned leaf;      /* the longest base cases have 2^leaf */
    unsigned count;     /* of candidates */
    uint64_t moduli[CANDIDATES + 1];
    double octaves_ns[CANDIDATES + 1][OCTAVES];
    choice best[CANDIDATES + 1][OCTAVES + 1];
} layout_search;

/* Takes up the numbers of rows that are allowed and that the pilot can judge. */
static void list_moduli(layout_search *search) {
    const sg_layout_limits *limits = search->limits;
    uint64_t most = sg_row_model_most_rows(search->model);
    bool any_outermost = limits->rows > 0;
    search->count = 0;
    if (limits->rows)
        search->moduli[search->count++] = limits->rows;
    for (unsigned i = 0; i < CANDIDATES && !limits->rows; i++) {
        uint64_t modulus = candidates[i];
        bool judged = modulus == 1 || (modulus <= most && (double)(SG_MIN_COLUMNS * modulus) <= search->octaves.n);
        if (!judged || (!limits->may_nest && modulus < limits->least_rows))
            continue;
        search->moduli[search->count++] = modulus;
        any_outermost |= modulus >= limits->least_rows;
    }
    if (!any_outermost)
        search->moduli[search->count++] = limits->least_rows;
}

/* Whether rows of blocks of 2^i heap sizes, or half as many again, can be addressed. */
static bool is_addressable(const layout_search *search, unsigned c, unsigned i) {
    return 2 * exp2(i) / (double)search->moduli[c] < (double)search->limits->most_columns;
}

/* Extends the best ways to solve blocks of 2^i heap sizes to blocks of twice that on rows c. */
static choice extend(const layout_search *search, unsigned c, unsigned i) {
    choice best = {HUGE_VAL, -1, 1};
    double n = search->octaves.n, node_ns = search->octaves_ns[c][i],
           cold = sg_pilot_level_size(search->model->pilot, n);
    if (i <= search->leaf)
        best.ns = node_ns + sg_row_model_leaf_ns(search->model, exp2(i), n) +
                  (search->moduli[c] > 1 ? cold * search->model->costs->leaf_reorder_ns : 0);
    for (unsigned inner = 0; inner < search->count && i > search->octaves.first; inner++) {
        const choice *below = &search->best[inner][i];
        bool changes = inner != c;
        if (changes &&
            (!search->limits->may_nest || below->layers > SG_MAX_INNER_LAYERS || !is_addressable(search, inner, i)))
            continue;
        double ns = below->ns + node_ns + (changes ? n * search->model->costs->change_ns : 0);
        if (ns < best.ns)
            best = (choice){ns, (int)inner, below->layers + changes};
    }
    return best;
}

/* A threshold from which base cases of 2^i heap sizes follow, as nearly as rows of 2^j columns allow. */
static uint64_t threshold_for(unsigned i) {
    return (uint64_t)(M_SQRT2 * exp2(i));
}

/* Writes the layers from the outermost in. */
static void write_layout(const layout_search *search, unsigned outermost, sg_plan *plan) {
    unsigned c = outermost, i = search->octaves.top;
    plan->rows = search->moduli[c];
    plan->inner_count = 0;
    plan->seconds = 1e-9 * search->best[c][i].ns;
    for (int inner; (inner = search->best[c][i].inner) >= 0; i--) {
        if ((unsigned)inner != c)
            plan->inner[plan->inner_count++] = (sg_inner_layer){search->moduli[inner], threshold_for(i - 1)};
        c = (unsigned)inner;
    }
    plan->base_threshold_pos = search->limits->leaf_pos ? search->limits->leaf_pos : threshold_for(i - 1);
}

static unsigned log2_below(uint64_t value) {
    return 63 - (unsigned)__builtin_clzll(value | 1);
}

/* The octaves there are to price, and the base cases there may be. */
static void take_bounds(layout_search *search, uint64_t n, uint32_t threads) {
    uint64_t leaf_pos = search->limits->leaf_pos;
    sg_octaves *octaves = &search->octaves;
    *octaves = (sg_octaves){.n = (double)n, .top = log2_below(n - 1) + 1, .threads = threads};
    octaves->first = log2_below(leaf_pos ? leaf_pos : SG_LEAF_LEAST_POS);
    search->leaf = log2_below(leaf_pos ? leaf_pos : SG_LEAF_MOST_POS);
    if (search->leaf > octaves->top - 1) /* at least one octave, if only to have a place for the base cases */
        search->leaf = octaves->top - 1;
    if (octaves->first > search->leaf)
        octaves->first = search->leaf;
}

/* The rows of the cheapest layout found, as an index of search->moduli. */
static unsigned cheapest(const layout_search *search) {
    unsigned best = UINT_MAX, top = search->octaves.top;
    for (unsigned c = 0; c < search->count; c++)
        if (search->moduli[c] >= search->limits->least_rows &&
            (best == UINT_MAX || search->best[c][top].ns < search->best[best][top].ns))
            best = c;
    return best == UINT_MAX ? 0 : best;
}

sg_status sg_layout_choose(const sg_row_model *model, const sg_request *request, const sg_layout_limits *limits,
                           sg_plan *plan) {
    layout_search *search = NULL;
    sg_memory memory;
    sg_status status = SG_OK;
    sg_memory_init(&memory, request->context, 0);
    SG_TAKE(&memory, search, sizeof *search);
    search->model = model;
    search->limits = limits;
    take_bounds(search, request->n, request->threads);
    list_moduli(search);
    for (unsigned c = 0; c < search->count; c++)
        sg_row_model_price(model, search->moduli[c], &search->octaves, search->octaves_ns[c]);
    for (unsigned i = search->octaves.first; i < search->octaves.top; i++)
        for (unsigned c = 0; c < search->count; c++)
            search->best[c][i + 1] = extend(search, c, i);
    write_layout(search, cheapest(search), plan);
cleanup:
    sg_memory_give(&memory, search);
    return status;
}
