/* Transforms on FFTW in one precision; included once with REAL float and once with double.
 *
 * Parameters: REAL, FFTW(name) the library's prefix, NAME(name) ours. Everything is by level: pieces of 2^level
 * columns, transforms of twice that length, made in place: STRIDE(level) pairs of REAL hold the 2^level + 1 complex
 * numbers. */

typedef struct NAME(transforms) {
    FFTW(plan) forward[MAX_LEVELS];
    FFTW(plan) inverse[MAX_LEVELS];
    REAL **stored; /* by stored_index: transforms of S, NULL until first used */
} NAME(transforms);

static sg_status NAME(plan_level)(const sg_field *field, NAME(transforms) * transforms, unsigned level, void *work) {
    if (transforms->forward[level])
        return SG_OK;
    int length = 2 << level;
    pthread_mutex_lock(&planner_mutex);
    FFTW(plan_with_nthreads)(length >= SG_FFT_PARALLEL_LENGTH ? (int)field->threads : 1);
    transforms->forward[level] = FFTW(plan_dft_r2c_1d)(length, work, work, FFTW_ESTIMATE);
    transforms->inverse[level] = FFTW(plan_dft_c2r_1d)(length, work, work, FFTW_ESTIMATE);
    pthread_mutex_unlock(&planner_mutex);
    if (transforms->forward[level] && transforms->inverse[level])
        return SG_OK;
    return sg_fail(field->memory->context, SG_ERROR_OUT_OF_MEMORY, "FFTW could not plan a transform of length %d",
                   length);
}

static void NAME(destroy_plans)(NAME(transforms) * transforms) {
    pthread_mutex_lock(&planner_mutex);
    for (unsigned level = 0; level < MAX_LEVELS; level++) {
        FFTW(destroy_plan)(transforms->forward[level]);
        FFTW(destroy_plan)(transforms->inverse[level]);
    }
    pthread_mutex_unlock(&planner_mutex);
}

static void NAME(forward)(const NAME(transforms) * transforms, unsigned level, REAL *place) {
    FFTW(execute_dft_r2c)(transforms->forward[level], place, (FFTW(complex) *)place);
}

static void NAME(inverse)(const NAME(transforms) * transforms, unsigned level, REAL *place) {
    FFTW(execute_dft_c2r)(transforms->inverse[level], (FFTW(complex) *)place, place);
}

/* The transform of window w (1, 2, ...) of the shifts from row difference d = r - s: entry x stands for a shift by
 * (w-1) * 2^level + x columns. Scaled so that the inverse needs no factor. */
static const REAL *NAME(stored)(const sg_field *field, NAME(transforms) * transforms, unsigned level, uint64_t window,
                                int64_t d) {
    sg_convolver *convolver = field->convolver;
    uint64_t modulus = field->rows->modulus;
    uint64_t index = stored_index(convolver, modulus, level, window, d);
    if (transforms->stored[index])
        return transforms->stored[index];
    /* Below zero the move borrows a column: its shift is one more than its class says. */
    const sg_shift_class *class = &field->shifts->classes[d < 0 ? d + (int64_t)modulus : d];
    int64_t base = (int64_t)((window - 1) << level) - (d < 0), length = (int64_t)2 << level;
    REAL *entries = (REAL *)(void *)(convolver->arena + convolver->arena_used), unit = (REAL)1 / (REAL)length;
    convolver->arena_used += STRIDE(level) * 2 * sizeof *entries;
    if (class->bits) {
        for (int64_t x = base < 0; x < length && base + x < (int64_t)field->rows->columns; x++)
            if (class->bits[(base + x) / 8] >> (base + x) % 8 & 1)
                entries[x] = unit;
    } else {
        for (unsigned g = 0; g < 8; g++)
            for (uint64_t i = class->group_start[g]; i < class->group_start[g + 1]; i++) {
                int64_t x = 8 * (int64_t) class->eighths[i] + g - base;
                if (x >= 0 && x < length)
                    entries[x] = unit;
            }
    }
    NAME(forward)(transforms, level, entries);
    transforms->stored[index] = entries;
    return entries;
}

/* Transforms the cold bits of 2^level columns from `column` on. */
static void NAME(load_source)(const sg_field *field, const NAME(transforms) * transforms, unsigned level, uint64_t row,
                              uint64_t column, REAL *place) {
    const uint8_t *bits = sg_row(field->rows, field->cold, row);
    uint64_t length = (uint64_t)1 << level;
#pragma omp parallel for num_threads(field->threads) if (length >= SG_FFT_PARALLEL_LENGTH)
    for (uint64_t x = 0; x < length; x++)
        place[x] = (REAL)(bits[(column + x) / 8] >> (column + x) % 8 & 1);
    memset(place + length, 0, length * sizeof *place);
    NAME(forward)(transforms, level, place);
}

/* sum += source * stored, entry by entry; `first` says that sum is still empty. */
static void NAME(accumulate)(const sg_field *field, unsigned level, const REAL *source, const REAL *stored, REAL *sum,
                             bool first) {
    uint64_t count = ((uint64_t)1 << level) + 1;
#pragma omp parallel for num_threads(field->threads) if (count >= SG_FFT_PARALLEL_LENGTH)
    for (uint64_t k = 0; k < count; k++) {
        REAL re = source[2 * k] * stored[2 * k] - source[2 * k + 1] * stored[2 * k + 1];
        REAL im = source[2 * k] * stored[2 * k + 1] + source[2 * k + 1] * stored[2 * k];
        sum[2 * k] = first ? re : sum[2 * k] + re;
        sum[2 * k + 1] = first ? im : sum[2 * k + 1] + im;
    }
    (void)field;
}

/* Whether every count is clearly zero or clearly not: none lies between 1/4 and 3/4. */
static bool NAME(all_clear)(const sg_field *field, const REAL *counts, uint64_t length) {
    uint64_t doubtful = 0;
#pragma omp parallel for num_threads(field->threads) reduction(+ : doubtful) if (length >= SG_FFT_PARALLEL_LENGTH)
    for (uint64_t x = 0; x < length; x++) {
        assert(fabs((double)counts[x] - round((double)counts[x])) < 0.25);
        doubtful += counts[x] > (REAL)0.25 && counts[x] < (REAL)0.75;
    }
    (void)field;
    return doubtful == 0;
}

/* Marks the target columns whose count is past one half. */
static void NAME(mark)(const sg_field *field, const REAL *counts, uint64_t length, uint8_t *hot_row, uint64_t column) {
    if (length < 64) {
        for (uint64_t x = 0; x < length; x++)
            if (counts[x] > (REAL)0.5)
                hot_row[(column + x) / 8] |= (uint8_t)(1u << (column + x) % 8);
        return;
    }
    uint64_t *words = (uint64_t *)(void *)(hot_row + column / 8);
#pragma omp parallel for num_threads(field->threads) if (length >= SG_FFT_PARALLEL_LENGTH)
    for (uint64_t w = 0; w < length / 64; w++) {
        uint64_t word = 0;
        for (unsigned bit = 0; bit < 64; bit++)
            word |= (uint64_t)(counts[64 * w + bit] > (REAL)0.5) << bit;
        words[w] |= word;
    }
    (void)field;
}

/* Sums the products of all source pieces that reach target piece i of row r. Returns false when there are none. */
static bool NAME(sum_products)(const sg_field *field, NAME(transforms) * transforms, unsigned level, uint64_t pieces,
                               uint64_t r, uint64_t i, const uint64_t *cold_counts, const REAL *sources, REAL *sum) {
    bool empty = true;
    for (uint64_t s = 0; s < field->rows->modulus; s++) {
        if (!cold_counts[s] || !field->shifts->classes[sg_residue_between(field->rows, r, s)].count)
            continue;
        for (uint64_t j = 0; j < pieces; j++, empty = false) {
            const REAL *stored = NAME(stored)(field, transforms, level, pieces + i - j, (int64_t)r - (int64_t)s);
            NAME(accumulate)(field, level, sources + (s * pieces + j) * 2 * STRIDE(level), stored, sum, empty);
        }
    }
    return !empty;
}

/* The whole node. *all_clear becomes false, and the node is left unfinished, when some count was doubtful; what was
 * marked until then is right. */
static sg_status NAME(convolve)(sg_field *field, NAME(transforms) * transforms, const sg_node *node,
                                const uint64_t *cold_counts, bool *all_clear) {
    const sg_rows *rows = field->rows;
    unsigned level = node_level(field->convolver, node);
    uint64_t piece = (uint64_t)1 << level, pieces = node->columns / piece, stride = 2 * STRIDE(level);
    REAL *sources = field->convolver->work, *sum = sources + rows->modulus * pieces * stride;
    const REAL *counts = sum + piece; /* the lower half holds what wrapped around */
    sg_status status;
    *all_clear = true;
    SG_TRY(NAME(plan_level)(field, transforms, level, field->convolver->work));
    for (uint64_t s = 0; s < rows->modulus; s++)
        for (uint64_t j = 0; j < pieces && cold_counts[s]; j++)
            NAME(load_source)
    (field, transforms, level, s, node->first + j * piece, sources + (s * pieces + j) * stride);
    for (uint64_t target = 0; target < rows->modulus * pieces && *all_clear; target++) {
        uint64_t r = target / pieces, i = target % pieces, column = node->first + node->columns + i * piece;
        uint8_t *hot_row = sg_row(rows, field->hot, r);
        if (!sg_monitor_tick(field->monitor))
            return sg_monitor_stop(field->memory->context);
        if (column >= node->target_end || column + piece <= node->target_first)
            continue;
        uint64_t length = used_columns(node, column, piece);
        if (length % 64 == 0 && sg_all_hot(hot_row, column, length))
            continue;
        if (!NAME(sum_products)(field, transforms, level, pieces, r, i, cold_counts, sources, sum))
            continue;
        NAME(inverse)(transforms, level, sum);
        *all_clear = NAME(all_clear)(field, counts, length);
        if (*all_clear)
            NAME(mark)(field, counts, length, hot_row, column);
    }
cleanup:
    return status;
}
