/* Slopes as fixed-point numbers with 128 fraction bits: enough for floor(k * alpha) to be exact below 2^64, which is
 * proved here, so that one multiplication serves every kind of slope.
 *
 * Rational p/q (q < 2^64). The fraction is rounded up, by less than 2^-128, so k * alpha comes out too large by less
 * than k / 2^128 < 1 / (2^64) < 1/q. The exact value has denominator q, hence lies at least 1/q below the next integer.
 *
 * phi, sqrt2, e. The fraction is rounded to nearest, so k * alpha is off by at most k / 2^129, and the floor is right
 * unless k * alpha is nearer than that to an integer. Let q_n be the denominators of the convergents. For k < q_(n+1)
 * the distance is at least ||q_n alpha|| > 1 / (2 q_(n+1)), which is above k / 2^129 whenever q_(n+1) <= 2^64. For the
 * last q_n < 2^64 the distance, computed, and the largest k / 2^129 for a value below 2^64, that is k < 2^64 / alpha,
 * are
 *
 *             log2 ||q_n alpha||    log2 (2^64 / alpha / 2^129)
 *     phi        -64.56                -65.69
 *     sqrt2      -64.85                -65.50
 *     e          -65.73                -66.44
 */
#include "alpha.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    sg_alpha alpha;
} irrational[] = {
    {"phi", {1, 0x9e3779b97f4a7c15, 0xf39cc0605cedc834}},
    {"sqrt2", {1, 0x6a09e667f3bcc908, 0xb2fb1366ea957d3e}},
    {"e", {2, 0xb7e151628aed2a6a, 0xbf7158809cf4f3c7}},
};

enum { IRRATIONALS = sizeof irrational / sizeof irrational[0] };

/* 10^18 is the largest power of ten below 2^63. */
enum { DECIMALS_MAX = 18 };

static const char accepted[] = "write phi, sqrt2, e, p/q or a decimal, at least 1";

/* alpha = whole + numerator / denominator, numerator < denominator. */
static sg_alpha fixed_point(uint64_t whole, uint64_t numerator, uint64_t denominator) {
    sg_u128 high = (sg_u128)numerator << 64;
    sg_u128 low = high % denominator << 64;
    sg_u128 fraction = (high / denominator << 64) + low / denominator + (low % denominator != 0);
    return (sg_alpha){whole, (uint64_t)(fraction >> 64), (uint64_t)fraction};
}

static sg_status refuse_small(sg_context *context, sg_text text) {
    return sg_fail(context, SG_ERROR_PARSE, "slope '%s' is less than 1; %s", sg_quote(text).string, accepted);
}

static sg_status parse_quotient(sg_context *context, sg_text text, const char *slash, sg_alpha *alpha, char *name) {
    const char *end = text.at + text.length;
    uint64_t p, q;
    sg_status status = sg_number_parse(context, "numerator", text.at, (size_t)(slash - text.at), &p);
    if (status == SG_OK)
        status = sg_number_parse(context, "denominator", slash + 1, (size_t)(end - slash - 1), &q);
    if (status != SG_OK)
        return status;
    if (q == 0)
        return sg_fail(context, SG_ERROR_PARSE, "slope '%s' divides by 0; %s", sg_quote(text).string, accepted);
    if (p < q)
        return refuse_small(context, text);
    uint64_t common = sg_gcd(p, q);
    p /= common;
    q /= common;
    *alpha = fixed_point(p / q, p % q, q);
    snprintf(name, SG_ALPHA_TEXT_BYTES, q == 1 ? "%llu" : "%llu/%llu", (unsigned long long)p, (unsigned long long)q);
    return SG_OK;
}

static sg_status parse_decimal(sg_context *context, sg_text text, const char *point, sg_alpha *alpha, char *name) {
    const char *end = text.at + text.length;
    uint64_t whole, numerator = 0, denominator = 1;
    int decimals = 0;
    sg_status status = sg_number_parse(context, "slope", text.at, (size_t)(point - text.at), &whole);
    if (status != SG_OK)
        return status;
    while (end - point > 2 && end[-1] == '0')
        end--;
    for (const char *at = point + 1; at < end; at++, decimals++) {
        if (!sg_is_digit(*at))
            return sg_fail(context, SG_ERROR_PARSE, "slope '%s': '%s' is not expected here; %s", sg_quote(text).string,
                           sg_quote(sg_text_between(at, end)).string, accepted);
        if (decimals == DECIMALS_MAX)
            return sg_fail(context, SG_ERROR_PARSE, "slope '%s' has more than %d decimals", sg_quote(text).string,
                           DECIMALS_MAX);
        numerator = 10 * numerator + (uint64_t)(*at - '0');
        denominator *= 10;
    }
    if (!decimals)
        return sg_fail(context, SG_ERROR_PARSE, "slope '%s' has no digit after the point; %s", sg_quote(text).string,
                       accepted);
    if (whole == 0)
        return refuse_small(context, text);
    *alpha = fixed_point(whole, numerator, denominator);
    if (numerator)
        snprintf(name, SG_ALPHA_TEXT_BYTES, "%llu.%0*llu", (unsigned long long)whole, decimals,
                 (unsigned long long)numerator);
    else
        snprintf(name, SG_ALPHA_TEXT_BYTES, "%llu", (unsigned long long)whole);
    return SG_OK;
}

static sg_status parse_integer(sg_context *context, sg_text text, sg_alpha *alpha, char *name) {
    uint64_t whole;
    if (!text.length || !sg_is_digit(text.at[0]))
        return sg_fail(context, SG_ERROR_PARSE, "slope '%s' is not known; %s", sg_quote(text).string, accepted);
    sg_status status = sg_number_parse(context, "slope", text.at, text.length, &whole);
    if (status != SG_OK)
        return status;
    if (whole == 0)
        return refuse_small(context, text);
    *alpha = fixed_point(whole, 0, 1);
    snprintf(name, SG_ALPHA_TEXT_BYTES, "%llu", (unsigned long long)whole);
    return SG_OK;
}

sg_status sg_alpha_parse(sg_context *context, sg_text text, sg_alpha *alpha, char name[SG_ALPHA_TEXT_BYTES]) {
    text = sg_text_trim(text);
    for (size_t i = 0; i < IRRATIONALS; i++)
        if (sg_text_equals(text, irrational[i].name)) {
            *alpha = irrational[i].alpha;
            snprintf(name, SG_ALPHA_TEXT_BYTES, "%s", irrational[i].name);
            return SG_OK;
        }
    const char *slash = sg_text_find(text, '/');
    if (slash)
        return parse_quotient(context, text, slash, alpha, name);
    const char *point = sg_text_find(text, '.');
    if (point)
        return parse_decimal(context, text, point, alpha, name);
    return parse_integer(context, text, alpha, name);
}
