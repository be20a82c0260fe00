/* Exact numbers from text, by recursive descent:
 *
 *   sum     = product { ('+' | '-') product }
 *   product = power { '*' power }
 *   power   = literal [ '^' power ]
 *   literal = digits [ '.' digits ] [ ('e' | 'E') [ '+' | '-' ] digits ]      digits may hold single underscores
 *
 * Everything is computed in 128 bits with checked operations and only the final value must fit 64, so that 2^64-1 can
 * be written as people write it. A floating-point detour is avoided: 1e23 has no exact double. */
#include "number.h"
#include "text.h"

#include <limits.h>
#include <math.h>

/* A tower of more powers than this either holds only ones and zeros or overflows; the bound keeps the stack flat. */
enum { TOWER_MAX = 16 };

/* 10^39 is past 2^128. */
enum { DECIMAL_EXPONENT_MAX = 38 };

/* Exponents are clamped here: far past what any text can compensate by its fraction digits. */
#define EXPONENT_CLAMP ((int64_t)1 << 60)

typedef struct parser {
    sg_context *context;
    const char *what;
    sg_text whole;
    const char *at;
    const char *end;
} parser;

static const char not_a_number[] = "is not a number";
static const char too_large[] = "is past 2^64 - 1";

static sg_status reject(const parser *p, sg_status status, sg_text token, const char *reason) {
    const char *help = status == SG_ERROR_PARSE ? "; write 1000000, 1_000_000, 1e6, 2.5e3, 2^34, 3*2^20 or 2^20+7" : "";
    if (token.length == p->whole.length)
        return sg_fail(p->context, status, "%s '%s' %s%s", p->what, sg_quote(token).string, reason, help);
    return sg_fail(p->context, status, "%s '%s': '%s' %s%s", p->what, sg_quote(p->whole).string, sg_quote(token).string,
                   reason, help);
}

static void skip_blanks(parser *p) {
    while (p->at < p->end && sg_is_blank(*p->at))
        p->at++;
}

static bool is_word_character(char c) {
    return sg_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
           (unsigned char)c >= 0x80;
}

/* The characters that a reader takes for one literal, well formed or not: "12abc", "1__0", "1e-3". */
static sg_text word_at(const parser *p) {
    bool decimal = true;
    const char *at = p->at;
    for (; at < p->end; at++) {
        bool exponent_sign = (*at == '+' || *at == '-') && decimal && at > p->at && (at[-1] == 'e' || at[-1] == 'E') &&
                             sg_is_digit(*p->at) && at + 1 < p->end && sg_is_digit(at[1]);
        if (!is_word_character(*at) && !exponent_sign)
            break;
        if (at > p->at && (at[-1] == 'e' || at[-1] == 'E'))
            decimal = false;
    }
    return sg_text_between(p->at, at);
}

/* The value is significant * 10^exponent, and significant does not end in 0. */
typedef struct decimal {
    sg_u128 significant;
    bool significant_overflows;
    int64_t pending_zeros; /* zeros after the last nonzero digit so far */
    int64_t exponent;
} decimal;

static void push_digit(decimal *d, unsigned digit) {
    if (digit == 0) {
        if (d->significant || d->significant_overflows)
            d->pending_zeros++;
        return;
    }
    for (int64_t i = 0; i <= d->pending_zeros && !d->significant_overflows; i++)
        d->significant_overflows = __builtin_mul_overflow(d->significant, 10u, &d->significant);
    if (!d->significant_overflows)
        d->significant_overflows = __builtin_add_overflow(d->significant, digit, &d->significant);
    d->pending_zeros = 0;
}

/* One run of digits with single underscores between them; returns its number of digits, 0 when there is none. */
static int64_t read_digits(const char **at, const char *end, decimal *d) {
    int64_t count = 0;
    while (*at < end) {
        const char *digit = *at + (count && **at == '_');
        if (digit == end || !sg_is_digit(*digit))
            break;
        push_digit(d, (unsigned)(*digit - '0'));
        count++;
        *at = digit + 1;
    }
    return count;
}

static int64_t clamped(const decimal *d) {
    sg_u128 value = d->significant;
    for (int64_t i = 0; i < d->pending_zeros && value < (sg_u128)EXPONENT_CLAMP; i++)
        value *= 10;
    return d->significant_overflows || value > (sg_u128)EXPONENT_CLAMP ? EXPONENT_CLAMP : (int64_t)value;
}

static bool read_decimal(sg_text word, decimal *d) {
    const char *at = word.at, *end = word.at + word.length;
    *d = (decimal){0};
    if (!read_digits(&at, end, d))
        return false;
    if (at < end && *at == '.') {
        at++;
        int64_t fraction_digits = read_digits(&at, end, d);
        if (!fraction_digits)
            return false;
        d->exponent -= fraction_digits;
    }
    d->exponent += d->pending_zeros;
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        bool negative = at < end && *at == '-';
        if (at < end && (*at == '-' || *at == '+'))
            at++;
        decimal exponent = {0};
        if (!read_digits(&at, end, &exponent))
            return false;
        d->exponent += negative ? -clamped(&exponent) : clamped(&exponent);
    }
    return at == end;
}

static sg_status missing_operand(const parser *p) {
    if (p->at < p->end) {
        if (*p->at != '-')
            return reject(p, SG_ERROR_PARSE, sg_text_between(p->at, p->at + 1), "stands where a number should");
        parser after = *p;
        after.at++;
        sg_text word = word_at(&after);
        return reject(p, SG_ERROR_PARSE, sg_text_between(p->at, word.at + word.length),
                      word.length ? "is negative" : "stands where a number should");
    }
    const char *last = p->at;
    while (last > p->whole.at && sg_is_blank(last[-1]))
        last--;
    return reject(p, SG_ERROR_PARSE, sg_text_between(last - 1, last), "has no number after it");
}

static sg_status read_literal(parser *p, sg_u128 *value) {
    skip_blanks(p);
    sg_text word = word_at(p);
    if (!word.length)
        return missing_operand(p);
    decimal d;
    if (!read_decimal(word, &d))
        return reject(p, SG_ERROR_PARSE, word, not_a_number);
    p->at = word.at + word.length;
    *value = d.significant;
    if (!d.significant && !d.significant_overflows)
        return SG_OK;
    if (d.exponent < 0)
        return reject(p, SG_ERROR_PARSE, word, "is not an integer");
    if (d.significant_overflows || d.exponent > DECIMAL_EXPONENT_MAX)
        return reject(p, SG_ERROR_OVERFLOW, word, too_large);
    for (; d.exponent > 0; d.exponent--)
        if (__builtin_mul_overflow(*value, 10u, value))
            return reject(p, SG_ERROR_OVERFLOW, word, too_large);
    return SG_OK;
}

/* 0^0 = 1, the empty product. */
static bool power_overflows(sg_u128 base, sg_u128 exponent, sg_u128 *value) {
    *value = 1;
    if (base <= 1) {
        *value = exponent ? base : 1;
        return false;
    }
    for (; exponent; exponent--)
        if (__builtin_mul_overflow(*value, base, value))
            return true;
    return false;
}

static bool accept(parser *p, char operator) {
    skip_blanks(p);
    if (p->at == p->end || *p->at != operator)
        return false;
    p->at++;
    return true;
}

static sg_text operand_since(const parser *p, const char *start) {
    return sg_text_trim(sg_text_between(start, p->at));
}

static sg_status read_power(parser *p, sg_u128 *value) {
    sg_u128 tower[TOWER_MAX];
    int height = 0;
    const char *start = p->at;
    do {
        if (height == TOWER_MAX)
            return reject(p, SG_ERROR_PARSE, operand_since(p, start), "has too many powers");
        sg_status status = read_literal(p, &tower[height++]);
        if (status != SG_OK)
            return status;
    } while (accept(p, '^'));
    *value = tower[--height];
    while (height > 0)
        if (power_overflows(tower[--height], *value, value))
            return reject(p, SG_ERROR_OVERFLOW, operand_since(p, start), too_large);
    return SG_OK;
}

static sg_status read_product(parser *p, sg_u128 *value) {
    const char *start = p->at;
    sg_status status = read_power(p, value);
    while (status == SG_OK && accept(p, '*')) {
        sg_u128 factor;
        status = read_power(p, &factor);
        if (status == SG_OK && __builtin_mul_overflow(*value, factor, value))
            return reject(p, SG_ERROR_OVERFLOW, operand_since(p, start), too_large);
    }
    return status;
}

static sg_status read_sum(parser *p, sg_u128 *value) {
    const char *start = p->at;
    sg_status status = read_product(p, value);
    while (status == SG_OK) {
        bool minus = accept(p, '-');
        if (!minus && !accept(p, '+'))
            break;
        sg_u128 term;
        status = read_product(p, &term);
        if (status != SG_OK)
            break;
        if (minus ? __builtin_sub_overflow(*value, term, value) : __builtin_add_overflow(*value, term, value))
            return reject(p, SG_ERROR_OVERFLOW, operand_since(p, start), minus ? "is negative" : too_large);
    }
    return status;
}

sg_status sg_number_parse(sg_context *context, const char *what, const char *text, size_t length, uint64_t *value) {
    sg_text whole = sg_text_trim((sg_text){text, length});
    if (!whole.length)
        return sg_fail(context, SG_ERROR_PARSE, "%s is empty; write a number such as 1000000, 1e6 or 2^20", what);
    parser p = {context, what, whole, whole.at, whole.at + whole.length};
    sg_u128 result;
    sg_status status = read_sum(&p, &result);
    if (status != SG_OK)
        return status;
    if (p.at < p.end) {
        sg_text word = word_at(&p);
        return reject(&p, SG_ERROR_PARSE, word.length ? word : sg_text_between(p.at, p.at + 1), "is not expected here");
    }
    if (result > UINT64_MAX)
        return reject(&p, SG_ERROR_OVERFLOW, whole, too_large);
    *value = (uint64_t)result;
    return SG_OK;
}

sg_status sg_parse_number(sg_context *context, const char *text, uint64_t *value) {
    if (!text || !value)
        return sg_fail(context, SG_ERROR_INVALID_ARGUMENT, "sg_parse_number: %s is NULL", text ? "value" : "text");
    return sg_number_parse(context, "number", text, sg_text_of(text).length, value);
}

/* The double is off by at most a relative 2^-52 or so, hence by less than 2^13; one Newton step from there overshoots
 * the root by less than 1 (error^2 / 2r), and the two loops run at most once or twice. */
uint64_t sg_isqrt(sg_u128 x) {
    if (x == 0)
        return 0;
    double estimate = sqrt((double)x);
    sg_u128 root = estimate >= 0x1p64 ? (sg_u128)UINT64_MAX : (sg_u128)estimate;
    root = (root + x / root) / 2;
    if (root > UINT64_MAX)
        root = UINT64_MAX;
    while (root * root > x)
        root--;
    while (root < UINT64_MAX && (root + 1) * (root + 1) <= x)
        root++;
    return (uint64_t)root;
}

uint64_t sg_gcd(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t remainder = a % b;
        a = b;
        b = remainder;
    }
    return a;
}
