/* What a sweep says: curves, crossings, and the paper's comparison for the set in hand. */
#include "crossover.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Points that a curve is fitted to: the last ones, whose growth is that of what follows, and none so short that
 * starting up is most of it. */
enum { FITTED_MOST = 6, FITTED_LEAST = 3 };
static const double FITTED_SECONDS = 1e-4;

/* Past this an extrapolation says nothing. */
static const double LOG2_MOST = 128;

/* --- curves --- */

static double log_of_logs(double log2_n, unsigned log_power) {
    return log_power * log2(log2_n);
}

/* log2 of the curve's seconds, with the exponent off by so many standard errors around the middle of the points. */
static double curve(const crossover_fit *fit, double log2_n, double errors) {
    return log2(fit->factor) + fit->exponent * log2_n + log_of_logs(log2_n, fit->log_power) +
           errors * fit->exponent_error * (log2_n - fit->middle);
}

/* Least squares of log2 seconds, less the logarithms' share, over log2 n. */
static void fit_series(crossover_series *series) {
    size_t first = series->count > FITTED_MOST ? series->count - FITTED_MOST : 0;
    double x_sum = 0, y_sum = 0, xx = 0, xy = 0, rest = 0;
    crossover_fit *fit = &series->fit;
    fit->log_power = series->engine == SG_ENGINE_CONVOLUTION ? 2 : 0;
    while (first < series->count && series->points[first].seconds < FITTED_SECONDS)
        first++;
    size_t count = series->count - first;
    if (count < FITTED_LEAST)
        return;
    double x[FITTED_MOST], y[FITTED_MOST];
    for (size_t i = 0; i < count; i++) {
        x[i] = log2((double)series->points[first + i].n);
        y[i] = log2(series->points[first + i].seconds) - log_of_logs(x[i], fit->log_power);
        x_sum += x[i];
        y_sum += y[i];
    }
    double x_mean = x_sum / (double)count, y_mean = y_sum / (double)count;
    for (size_t i = 0; i < count; i++) {
        xx += (x[i] - x_mean) * (x[i] - x_mean);
        xy += (x[i] - x_mean) * (y[i] - y_mean);
    }
    fit->exponent = xy / xx;
    for (size_t i = 0; i < count; i++) {
        double off = y[i] - y_mean - fit->exponent * (x[i] - x_mean);
        rest += off * off;
    }
    fit->factor = exp2(y_mean - fit->exponent * x_mean);
    fit->exponent_error = sqrt(rest / (double)(count - 2) / xx);
    fit->middle = x_mean;
}

/* --- crossings --- */

/* log2 of how much slower a was than b at a size that both solved. */
static double slower_by(const crossover_series *a, const crossover_series *b, size_t i) {
    return log2(a->points[i].seconds / b->points[i].seconds);
}

static size_t last_shared(const crossover_series *a, const crossover_series *b) {
    return (a->count < b->count ? a->count : b->count) - 1;
}

static bool leads_at_last(const crossover_series *a, const crossover_series *b) {
    return slower_by(a, b, last_shared(a, b)) < 0;
}

/* Whether starting up is most of what both take. */
static bool is_short(const crossover_series *a, const crossover_series *b, size_t i) {
    return a->points[i].seconds < FITTED_SECONDS && b->points[i].seconds < FITTED_SECONDS;
}

/* The last change of the lead among the measured sizes: both begin at the same one. */
static bool find_measured(const crossover_series *a, const crossover_series *b, crossing *found) {
    for (size_t i = last_shared(a, b) + 1; i-- > 1 && !is_short(a, b, i);) {
        double before = slower_by(a, b, i - 1), after = slower_by(a, b, i);
        if ((before < 0) == (after < 0))
            continue;
        double low = log2((double)a->points[i - 1].n), high = log2((double)a->points[i].n);
        *found = (crossing){.kind = CROSSING_MEASURED,
                            .winner = after < 0 ? a : b,
                            .loser = after < 0 ? b : a,
                            .log2_n = low + (high - low) * before / (before - after)};
        found->log2_low = low;
        found->log2_high = high;
        return true;
    }
    return false;
}

/* Where the curve of `winner` comes below that of `loser`, both bent by so many errors towards or from each other;
 * infinite when nowhere. */
static double curves_meet(const crossing *pair, double from, double errors) {
    double low = from, high = from;
    do {
        high += 1;
    } while (high < LOG2_MOST && curve(&pair->winner->fit, high, -errors) >= curve(&pair->loser->fit, high, errors));
    if (high >= LOG2_MOST)
        return (double)INFINITY;
    low = high - 1;
    for (int step = 0; step < 50; step++) {
        double middle = (low + high) / 2;
        if (curve(&pair->winner->fit, middle, -errors) >= curve(&pair->loser->fit, middle, errors))
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Who is behind at the last size that both solved may come ahead later. */
static bool find_extrapolated(const crossover_series *a, const crossover_series *b, crossing *found) {
    bool a_leads = leads_at_last(a, b);
    double from = log2((double)a->points[last_shared(a, b)].n);
    *found = (crossing){.kind = CROSSING_EXTRAPOLATED, .winner = a_leads ? b : a, .loser = a_leads ? a : b};
    if (!(a->fit.factor > 0) || !(b->fit.factor > 0))
        return false;
    found->log2_n = curves_meet(found, from, 0);
    found->log2_low = curves_meet(found, from, 2);
    found->log2_high = curves_meet(found, from, -2);
    return isfinite(found->log2_n);
}

static void find_crossings(crossover *sweep) {
    for (size_t i = 0; i < sweep->series_count; i++)
        for (size_t j = i + 1; j < sweep->series_count; j++) {
            const crossover_series *a = &sweep->series[i], *b = &sweep->series[j];
            if (a->count == 0 || b->count == 0)
                continue;
            size_t before = sweep->crossing_count;
            sweep->crossing_count += find_measured(a, b, &sweep->crossings[sweep->crossing_count]);
            sweep->crossing_count += find_extrapolated(a, b, &sweep->crossings[sweep->crossing_count]);
            if (sweep->crossing_count == before)
                sweep->crossings[sweep->crossing_count++] = (crossing){
                    .kind = CROSSING_NONE, .winner = leads_at_last(a, b) ? a : b, .loser = leads_at_last(a, b) ? b : a};
        }
}

/* --- the paper's comparison --- */

static int by_value(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

static double median(double *values, size_t count) {
    qsort(values, count, sizeof *values, by_value);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* The growth exponent of a count by Siegel's repeated medians, as in the paper's figures: for each size the median of
 * the slopes to all others, and of these the median. */
static double growth_exponent(const crossover *sweep, size_t field) {
    double medians[OCTAVES_MAX], slopes[OCTAVES_MAX], y[OCTAVES_MAX];
    for (size_t i = 0; i < sweep->octaves; i++) {
        uint64_t count;
        memcpy(&count, (const char *)&sweep->facts[i] + field, sizeof count);
        y[i] = count > 0 ? log2((double)count) : 0;
    }
    for (size_t i = 0; i < sweep->octaves; i++) {
        size_t used = 0;
        for (size_t j = 0; j < sweep->octaves; j++)
            if (j != i)
                slopes[used++] = (y[j] - y[i]) / ((double)j - (double)i);
        medians[i] = median(slopes, used);
    }
    return median(medians, sweep->octaves);
}

/* The largest x with gain * x = 2 log2(x), x = log2 n: where n^gain comes up to log2(n)^2 for good. Below x = e the
 * logarithm gains on the line, above it loses, so that beyond a starting point past e there is one such x at most. */
static double theory_meets(double gain) {
    double low = exp(1), high = exp(1);
    if (!(gain > 0))
        return (double)INFINITY;
    if (gain * low >= 2 * log2(low))
        return 0; /* from the start */
    while (gain * high < 2 * log2(high))
        high *= 2;
    for (int step = 0; step < 100; step++) {
        double middle = (low + high) / 2;
        if (gain * middle < 2 * log2(middle))
            low = middle;
        else
            high = middle;
    }
    return high;
}

static void compare_by_theory(crossover *sweep) {
    crossover_theory *theory = &sweep->theory;
    theory->known = sweep->octaves >= FITTED_LEAST;
    if (!theory->known)
        return;
    theory->member_exponent = growth_exponent(sweep, offsetof(crossover_facts, member_count));
    theory->cold_exponent = growth_exponent(sweep, offsetof(crossover_facts, cold_count));
    theory->value_exponent = growth_exponent(sweep, offsetof(crossover_facts, max_value));
    bool cold = sweep->mode == SG_MODE_COLD;
    theory->plain_exponent = (cold ? theory->cold_exponent : 1) + theory->member_exponent;
    theory->gain = theory->plain_exponent - (cold ? 1 : 1 + theory->value_exponent);
    theory->log2_n = theory_meets(theory->gain);
}

void crossover_conclude(crossover *sweep) {
    for (size_t i = 0; i < sweep->series_count; i++)
        fit_series(&sweep->series[i]);
    find_crossings(sweep);
    compare_by_theory(sweep);
}
