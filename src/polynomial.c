/* The positive values of a polynomial in increasing order, without repetition and without trial of every k.
 *
 * The values p(1), p(2), ... need not increase at first: k^2 - 10^9*k dips far below zero. The range of k is therefore
 * cut into pieces in which p is monotone, at most `degree` of them, and the pieces are merged; each is entered by
 * bisection where it becomes positive. The pieces come from forward differences, D p(k) = p(k+1) - p(k): D^degree p is
 * a positive constant, and where D^(j+1) p keeps its sign D^j p is monotone, so its own changes of sign are found by
 * bisection, exactly, down to D p.
 *
 * Bounds. Coefficients of p are below 2^64 in absolute value and the leading one is positive, so p(k) >= 2^64 for all k
 * >= 2^66: the search ends there. Evaluation saturates at +-2^126. With coefficients (of p and its differences) below
 * 2^120, a Horner intermediate that has reached 2^126 stays there for k >= 2, as 2 * 2^126 - 2^120 > 2^126; at k = 1
 * the sum of at most 21 coefficients does not reach it. */
#include "polynomial.h"

#include <stdio.h>
#include <string.h>

#define K_END           ((sg_i128)1 << 66)
#define COEFFICIENT_END ((sg_i128)1 << 120)
#define SATURATED       ((sg_i128)1 << 126)

static sg_i128 evaluate(int degree, const sg_i128 *coefficient, sg_i128 k) {
    sg_i128 value = coefficient[degree];
    for (int i = degree - 1; i >= 0; i--) {
        bool negative = value < 0;
        if (__builtin_mul_overflow(value, k, &value) || __builtin_add_overflow(value, coefficient[i], &value) ||
            value >= SATURATED || value <= -SATURATED)
            return negative ? -SATURATED : SATURATED;
    }
    return value;
}

static sg_i128 value_at(const sg_polynomial *p, sg_i128 k) {
    return evaluate(p->degree, p->coefficient, k);
}

/* coefficient := coefficients of p(k+1) - p(k), by repeated synthetic division; false when one reaches COEFFICIENT_END.
 */
static bool take_difference(int degree, sg_i128 *coefficient) {
    sg_i128 shifted[SG_POLYNOMIAL_DEGREE_MAX + 1];
    memcpy(shifted, coefficient, sizeof *shifted * (size_t)(degree + 1));
    for (int i = 0; i < degree; i++)
        for (int j = degree - 1; j >= i; j--) {
            shifted[j] += shifted[j + 1];
            if (shifted[j] >= COEFFICIENT_END || shifted[j] <= -COEFFICIENT_END)
                return false;
        }
    for (int i = 0; i <= degree; i++)
        coefficient[i] = shifted[i] - coefficient[i];
    return true;
}

/* The first k in (low, high] with (q(k) >= 0) == wanted, given that `high` has it and `low` has not. */
static sg_i128 sign_change(int degree, const sg_i128 *q, sg_i128 low, sg_i128 high, bool wanted) {
    while (high - low > 1) {
        sg_i128 middle = low + (high - low) / 2;
        if ((evaluate(degree, q, middle) >= 0) == wanted)
            high = middle;
        else
            low = middle;
    }
    return high;
}

static int append_piece(sg_monotone_piece *pieces, int count, sg_i128 first, sg_i128 last, bool rising) {
    if (count && pieces[count - 1].rising == rising) {
        pieces[count - 1].last = last;
        return count;
    }
    pieces[count] = (sg_monotone_piece){first, last, rising};
    return count + 1;
}

/* Refines pieces in which q is monotone into pieces in which q keeps its sign. */
static int split_by_sign(int degree, const sg_i128 *q, sg_monotone_piece *pieces, int count) {
    sg_monotone_piece refined[2 * (SG_POLYNOMIAL_DEGREE_MAX + 1)];
    int refined_count = 0;
    for (int i = 0; i < count; i++) {
        sg_i128 first = pieces[i].first, last = pieces[i].last;
        bool at_first = evaluate(degree, q, first) >= 0, at_last = evaluate(degree, q, last) >= 0;
        if (at_first != at_last) {
            sg_i128 change = sign_change(degree, q, first, last, at_last);
            refined_count = append_piece(refined, refined_count, first, change - 1, at_first);
            first = change;
        }
        refined_count = append_piece(refined, refined_count, first, last, at_last);
    }
    memcpy(pieces, refined, sizeof *refined * (size_t)refined_count);
    return refined_count;
}

static sg_status find_pieces(sg_context *context, sg_polynomial *p) {
    sg_i128 difference[SG_POLYNOMIAL_DEGREE_MAX + 1][SG_POLYNOMIAL_DEGREE_MAX + 1];
    memcpy(difference[0], p->coefficient, sizeof difference[0]);
    for (int j = 1; j < p->degree; j++) {
        memcpy(difference[j], difference[j - 1], sizeof difference[0]);
        if (!take_difference(p->degree, difference[j]))
            return sg_fail(context, SG_ERROR_OVERFLOW,
                           "the coefficients of the polynomial are too large for its degree");
    }
    p->piece[0] = (sg_monotone_piece){1, K_END, true};
    p->piece_count = 1;
    for (int j = p->degree - 1; j >= 1; j--)
        p->piece_count = split_by_sign(p->degree, difference[j], p->piece, p->piece_count);
    return SG_OK;
}

/* ---------------------------------------------------------------- text */

static const char accepted[] = "write terms in k with a degree of at most 20, such as 3k^2+2*k-1";

/* One factor of a term: a number, k, k^2, or a number directly before k. */
static sg_status multiply_factor(sg_context *context, sg_text factor, sg_i128 *coefficient, uint64_t *degree) {
    const char *k = sg_text_find(factor, 'k');
    const char *end = factor.at + factor.length;
    sg_text number = sg_text_trim(sg_text_between(factor.at, k ? k : end));
    if (number.length || !k) {
        uint64_t value;
        sg_status status = sg_number_parse(context, "coefficient", number.at, number.length, &value);
        if (status != SG_OK)
            return status;
        if (__builtin_mul_overflow(*coefficient, (sg_i128)value, coefficient))
            *coefficient = SATURATED;
    }
    if (!k)
        return SG_OK;
    sg_text power = sg_text_trim(sg_text_between(k + 1, end));
    uint64_t exponent = 1;
    if (power.length && power.at[0] == '^') {
        sg_status status = sg_number_parse(context, "exponent", power.at + 1, power.length - 1, &exponent);
        if (status != SG_OK)
            return status;
    } else if (power.length) {
        return sg_fail(context, SG_ERROR_PARSE, "polynomial factor '%s': '%s' is not expected here; %s",
                       sg_quote(factor).string, sg_quote(power).string, accepted);
    }
    if (exponent > SG_POLYNOMIAL_DEGREE_MAX || (*degree += exponent) > SG_POLYNOMIAL_DEGREE_MAX)
        return sg_fail(context, SG_ERROR_PARSE, "polynomial factor '%s' has too high a degree; %s",
                       sg_quote(factor).string, accepted);
    return SG_OK;
}

static sg_status add_term(sg_context *context, sg_text term, bool minus, sg_polynomial *p) {
    sg_i128 coefficient = 1;
    uint64_t degree = 0;
    const char *end = term.at + term.length;
    for (const char *at = term.at;;) {
        const char *star = sg_text_find(sg_text_between(at, end), '*');
        sg_text factor = sg_text_trim(sg_text_between(at, star ? star : end));
        if (!factor.length)
            return sg_fail(context, SG_ERROR_PARSE, "polynomial term '%s' lacks a factor; %s", sg_quote(term).string,
                           accepted);
        sg_status status = multiply_factor(context, factor, &coefficient, &degree);
        if (status != SG_OK)
            return status;
        if (!star)
            break;
        at = star + 1;
    }
    sg_i128 *sum = &p->coefficient[degree];
    if (coefficient <= UINT64_MAX)
        *sum += minus ? -coefficient : coefficient;
    if (coefficient > UINT64_MAX || *sum > UINT64_MAX || *sum < -(sg_i128)UINT64_MAX)
        return sg_fail(context, SG_ERROR_OVERFLOW, "polynomial term '%s' has a coefficient past 2^64 - 1",
                       sg_quote(term).string);
    return SG_OK;
}

sg_status sg_polynomial_parse(sg_context *context, sg_text text, sg_polynomial *p) {
    *p = (sg_polynomial){0};
    text = sg_text_trim(text);
    const char *at = text.at, *end = text.at + text.length;
    bool minus = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    for (;;) {
        const char *stop = at;
        while (stop < end && *stop != '+' && *stop != '-')
            stop++;
        sg_text term = sg_text_trim(sg_text_between(at, stop));
        if (!term.length)
            return sg_fail(context, SG_ERROR_PARSE, "polynomial '%s' lacks a term; %s", sg_quote(text).string,
                           accepted);
        sg_status status = add_term(context, term, minus, p);
        if (status != SG_OK)
            return status;
        if (stop == end)
            break;
        minus = *stop == '-';
        at = stop + 1;
    }
    p->degree = SG_POLYNOMIAL_DEGREE_MAX;
    while (p->degree && p->coefficient[p->degree] == 0)
        p->degree--;
    if (p->degree == 0)
        return sg_fail(context, SG_ERROR_PARSE, "polynomial '%s' is constant; %s", sg_quote(text).string, accepted);
    if (p->coefficient[p->degree] < 0)
        return sg_fail(context, SG_ERROR_PARSE, "polynomial '%s' must grow: its leading coefficient is negative",
                       sg_quote(text).string);
    return find_pieces(context, p);
}

void sg_polynomial_print(const sg_polynomial *p, char text[SG_POLYNOMIAL_TEXT_BYTES]) {
    char *at = text;
    for (int i = p->degree; i >= 0; i--) {
        sg_i128 c = p->coefficient[i];
        unsigned long long size = (unsigned long long)(c < 0 ? -c : c);
        if (size == 0)
            continue;
        size_t room = (size_t)(text + SG_POLYNOMIAL_TEXT_BYTES - at);
        const char *sign = c < 0 ? "-" : i < p->degree ? "+" : "";
        if (size == 1 && i > 0)
            at += snprintf(at, room, "%s", sign);
        else
            at += snprintf(at, room, "%s%llu", sign, size);
        room = (size_t)(text + SG_POLYNOMIAL_TEXT_BYTES - at);
        if (i > 1)
            at += snprintf(at, room, "k^%d", i);
        else if (i == 1)
            at += snprintf(at, room, "k");
    }
}

/* ---------------------------------------------------------------- values */

/* The first k of the piece, in the order of growing values, whose value is at least `bound`; false when there is none.
 */
static bool enter_piece(const sg_polynomial *p, const sg_monotone_piece *piece, sg_i128 bound, sg_i128 *k) {
    sg_i128 low = piece->rising ? piece->first : piece->last;
    sg_i128 high = piece->rising ? piece->last : piece->first;
    if (value_at(p, high) < bound)
        return false;
    if (value_at(p, low) >= bound) {
        *k = low;
        return true;
    }
    while (high - low > 1 || low - high > 1) {
        sg_i128 middle = low + (high - low) / 2;
        if (value_at(p, middle) >= bound)
            high = middle;
        else
            low = middle;
    }
    *k = high;
    return true;
}

bool sg_polynomial_has_value(const sg_polynomial *p, uint64_t value) {
    for (int i = 0; value && i < p->piece_count; i++) {
        sg_i128 k;
        if (enter_piece(p, &p->piece[i], value, &k) && value_at(p, k) == value)
            return true;
    }
    return false;
}

void sg_polynomial_walk_start(sg_polynomial_walk *walk, const sg_polynomial *p) {
    walk->polynomial = p;
    for (int i = 0; i < p->piece_count; i++)
        walk->value[i] = enter_piece(p, &p->piece[i], 1, &walk->k[i]) ? value_at(p, walk->k[i]) : SATURATED;
}

static void step_past(sg_polynomial_walk *walk, int i, sg_i128 value) {
    const sg_monotone_piece *piece = &walk->polynomial->piece[i];
    while (walk->value[i] <= value) {
        bool at_end = walk->k[i] == (piece->rising ? piece->last : piece->first);
        walk->k[i] += piece->rising ? 1 : -1;
        walk->value[i] = at_end ? SATURATED : value_at(walk->polynomial, walk->k[i]);
    }
}

bool sg_polynomial_walk_next(sg_polynomial_walk *walk, uint64_t limit, uint64_t *value) {
    int count = walk->polynomial->piece_count;
    sg_i128 least = SATURATED;
    for (int i = 0; i < count; i++)
        if (walk->value[i] < least)
            least = walk->value[i];
    if (least >= limit)
        return false;
    for (int i = 0; i < count; i++)
        step_past(walk, i, least);
    *value = (uint64_t)least;
    return true;
}
