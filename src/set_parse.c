/* The specifications of sg_game_create: one table row for each kind of set, which says how it is written and who reads
 * what stands after the colon or within the braces. */
#include "set_internal.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct reader {
    sg_context *context;
    const char *what;     /* "subtraction set" */
    char number_what[64]; /* "subtraction set member" */
    sg_zero zero;
    sg_text spec;
} reader;

typedef sg_status (*read_fn)(reader *r, sg_text arguments, sg_set *set);

/* ---------------------------------------------------------------- arguments */

static sg_status read_member(reader *r, sg_text token, uint64_t *member) {
    return sg_number_parse(r->context, r->number_what, token.at, token.length, member);
}

static sg_status refuse_zero(reader *r, sg_text token) {
    return sg_fail(r->context, SG_ERROR_PARSE, "%s '%s' is 0; members are positive integers", r->number_what,
                   sg_quote(token).string);
}

/* Splits at the first comma: `*rest` keeps what follows it; returns false when there is none. */
static bool split_at_comma(sg_text *rest, sg_text *head) {
    const char *end = rest->at + rest->length;
    const char *comma = sg_text_find(*rest, ',');
    *head = sg_text_trim(sg_text_between(rest->at, comma ? comma : end));
    *rest = sg_text_between(comma ? comma + 1 : end, end);
    return comma;
}

static sg_status read_numbers(reader *r, sg_text arguments, sg_zero zero, sg_number_list *list) {
    bool more = true;
    while (more) {
        sg_text token;
        uint64_t number;
        more = split_at_comma(&arguments, &token);
        sg_status status = read_member(r, token, &number);
        if (status != SG_OK)
            return status;
        if (number == 0 && zero == SG_ZERO_REFUSED)
            return refuse_zero(r, token);
        status = sg_number_list_push(r->context, list, number);
        if (status != SG_OK)
            return status;
    }
    return SG_OK;
}

static sg_status read_list(reader *r, sg_text arguments, sg_set *set) {
    if (!sg_text_trim(arguments).length)
        return sg_fail(r->context, SG_ERROR_PARSE, "%s '%s' is an empty set; list at least one member", r->what,
                       sg_quote(r->spec).string);
    sg_status status = read_numbers(r, arguments, r->zero, &set->list);
    return status == SG_OK ? sg_set_finish_list(r->context, set, "") : status;
}

static sg_status read_allbut(reader *r, sg_text arguments, sg_set *set) {
    if (!sg_text_trim(arguments).length)
        return sg_set_rename(r->context, set, "all");
    sg_status status = read_numbers(r, arguments, SG_ZERO_REFUSED, &set->list);
    return status == SG_OK ? sg_set_finish_list(r->context, set, "allbut") : status;
}

static sg_status read_additive(reader *r, sg_text arguments, sg_set *set) {
    sg_number_list *list = &set->list;
    sg_status status = read_numbers(r, arguments, SG_ZERO_REFUSED, list);
    if (status != SG_OK)
        return status;
    if (list->count != 2 || list->numbers[0] == list->numbers[1])
        return sg_fail(r->context, SG_ERROR_PARSE, "%s '%s' needs two different numbers, as in additive{5,12}", r->what,
                       sg_quote(r->spec).string);
    uint64_t sum;
    if (__builtin_add_overflow(list->numbers[0], list->numbers[1], &sum))
        return sg_fail(r->context, SG_ERROR_OVERFLOW, "%s '%s': the sum of the two numbers is past 2^64 - 1", r->what,
                       sg_quote(r->spec).string);
    sg_number_list_finish(list);
    status = sg_set_rename(r->context, set, "additive{%llu,%llu}", (unsigned long long)list->numbers[0],
                           (unsigned long long)list->numbers[1]);
    return status == SG_OK ? sg_number_list_push(r->context, list, sum) : status;
}

/* Reads one number of at least `least`. */
static sg_status read_parameter(reader *r, const char *name, sg_text arguments, uint64_t least, uint64_t *parameter) {
    sg_status status = sg_number_parse(r->context, name, arguments.at, arguments.length, parameter);
    if (status == SG_OK && *parameter < least)
        return sg_fail(r->context, SG_ERROR_PARSE, "%s '%s': the %s must be at least %llu", r->what,
                       sg_quote(r->spec).string, name, (unsigned long long)least);
    return status;
}

static sg_status read_powers(reader *r, sg_text arguments, sg_set *set) {
    sg_status status = read_parameter(r, "exponent", arguments, 1, &set->parameter);
    if (status != SG_OK)
        return status;
    if (set->parameter == 1)
        set->sequence = &sg_all_sequence;
    return sg_set_rename(r->context, set, "powers:%llu", (unsigned long long)set->parameter);
}

static sg_status read_powers_of(reader *r, sg_text arguments, sg_set *set) {
    sg_status status = read_parameter(r, "base", arguments, 2, &set->parameter);
    if (status != SG_OK)
        return status;
    return sg_set_rename(r->context, set, "powers-of:%llu", (unsigned long long)set->parameter);
}

static sg_status read_polynomial(reader *r, sg_text arguments, sg_set *set) {
    set->polynomial = malloc(sizeof *set->polynomial);
    if (!set->polynomial)
        return sg_fail(r->context, SG_ERROR_OUT_OF_MEMORY, "no memory for a polynomial");
    sg_status status = sg_polynomial_parse(r->context, arguments, set->polynomial);
    if (status != SG_OK)
        return status;
    char text[SG_POLYNOMIAL_TEXT_BYTES];
    sg_polynomial_print(set->polynomial, text);
    return sg_set_rename(r->context, set, "poly:%s", text);
}

static sg_status read_beatty(reader *r, sg_text arguments, sg_set *set) {
    char text[SG_ALPHA_TEXT_BYTES];
    sg_status status = sg_alpha_parse(r->context, arguments, &set->alpha, text);
    return status == SG_OK ? sg_set_rename(r->context, set, "beatty:%s", text) : status;
}

static sg_status read_random(reader *r, sg_text arguments, sg_set *set) {
    sg_text seed, fraction = arguments;
    const char *end = arguments.at + arguments.length;
    bool two = split_at_comma(&fraction, &seed);
    const char *slash = sg_text_find(fraction, '/');
    if (!two || !slash)
        return sg_fail(r->context, SG_ERROR_PARSE, "%s '%s' needs a seed and a fraction, as in random{7,1/4}", r->what,
                       sg_quote(r->spec).string);
    uint64_t p, q;
    sg_status status = sg_number_parse(r->context, "seed", seed.at, seed.length, &set->seed);
    if (status == SG_OK)
        status = sg_number_parse(r->context, "numerator", fraction.at, (size_t)(slash - fraction.at), &p);
    if (status == SG_OK)
        status = sg_number_parse(r->context, "denominator", slash + 1, (size_t)(end - slash - 1), &q);
    if (status != SG_OK)
        return status;
    if (p == 0 || p > q)
        return sg_fail(r->context, SG_ERROR_PARSE, "%s '%s': the fraction must be more than 0 and at most 1", r->what,
                       sg_quote(r->spec).string);
    set->threshold = (uint64_t)(((sg_u128)p << 32) / q);
    if (set->threshold == 0)
        return sg_fail(r->context, SG_ERROR_PARSE, "%s '%s' is an empty set: the fraction is less than 2^-32", r->what,
                       sg_quote(r->spec).string);
    uint64_t common = sg_gcd(p, q);
    return sg_set_rename(r->context, set, "random{%llu,%llu/%llu}", (unsigned long long)set->seed,
                         (unsigned long long)(p / common), (unsigned long long)(q / common));
}

static sg_status read_file(reader *r, sg_text arguments, sg_set *set) {
    if (!arguments.length)
        return sg_fail(r->context, SG_ERROR_PARSE, "%s '%s' names no file", r->what, sg_quote(r->spec).string);
    sg_status status = sg_set_rename(r->context, set, "file:%.*s", (int)arguments.length, arguments.at);
    if (status == SG_OK)
        status = sg_set_read_file(r->context, set->name + sizeof "file:" - 1, r->number_what, r->zero, set);
    return status;
}

/* ---------------------------------------------------------------- the kinds */

typedef struct set_kind {
    const char *name; /* up to the opener */
    char opener;      /* ':' or '{' before the arguments, '\0' without arguments */
    const char *form; /* as shown to users */
    const sg_sequence *sequence;
    uint64_t parameter;
    read_fn read; /* NULL without arguments */
} set_kind;

static const set_kind kinds[] = {
    {"squares", '\0', "squares", &sg_powers_sequence, 2, NULL},
    {"cubes", '\0', "cubes", &sg_powers_sequence, 3, NULL},
    {"powers", ':', "powers:K", &sg_powers_sequence, 0, read_powers},
    {"powers-of", ':', "powers-of:B", &sg_powers_of_sequence, 0, read_powers_of},
    {"triangular", '\0', "triangular", &sg_triangular_sequence, 0, NULL},
    {"fibonacci", '\0', "fibonacci", &sg_fibonacci_sequence, 0, NULL},
    {"primes", '\0', "primes", &sg_prime_sequence, 0, NULL},
    {"moser", '\0', "moser", &sg_moser_sequence, 0, NULL},
    {"all", '\0', "all", &sg_all_sequence, 0, NULL},
    {"", '{', "{2,4,7}", &sg_list_sequence, 0, read_list},
    {"allbut", '{', "allbut{2,5}", &sg_all_sequence, 0, read_allbut},
    {"additive", '{', "additive{5,12}", &sg_list_sequence, 0, read_additive},
    {"poly", ':', "poly:k^2+k", &sg_polynomial_sequence, 0, read_polynomial},
    {"beatty", ':', "beatty:phi", &sg_beatty_sequence, 0, read_beatty},
    {"random", '{', "random{SEED,P/Q}", &sg_random_sequence, 0, read_random},
    {"file", ':', "file:PATH", &sg_list_sequence, 0, read_file},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

static sg_status refuse_unknown(const reader *r) {
    char forms[512];
    size_t length = 0;
    for (size_t i = 0; i < KINDS && length < sizeof forms; i++)
        length += (size_t)snprintf(forms + length, sizeof forms - length, "%s%s", i ? ", " : "", kinds[i].form);
    if (!r->spec.length)
        return sg_fail(r->context, SG_ERROR_PARSE, "the %s is empty; accepted are %s", r->what, forms);
    return sg_fail(r->context, SG_ERROR_PARSE, "unknown %s '%s'; accepted are %s", r->what, sg_quote(r->spec).string,
                   forms);
}

static bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || sg_is_digit(c) || c == '-' || c == '_';
}

static const set_kind *find_kind(sg_text name) {
    for (size_t i = 0; i < KINDS; i++)
        if (sg_text_equals(name, kinds[i].name))
            return &kinds[i];
    return NULL;
}

static sg_status refuse_junk(const reader *r, const char *junk) {
    sg_text text = sg_text_trim(sg_text_between(junk, r->spec.at + r->spec.length));
    return sg_fail(r->context, SG_ERROR_PARSE, "%s '%s': '%s' is not expected here", r->what, sg_quote(r->spec).string,
                   sg_quote(text).string);
}

/* What stands between the opener at `at` and its end. */
static sg_status find_arguments(const reader *r, const set_kind *kind, const char *at, sg_text *arguments) {
    const char *end = r->spec.at + r->spec.length;
    if (kind->opener == '\0')
        return at < end ? refuse_junk(r, at) : SG_OK;
    if (at == end || *at != kind->opener)
        return sg_fail(r->context, SG_ERROR_PARSE, "%s '%s': write %s", r->what, sg_quote(r->spec).string, kind->form);
    at++;
    if (kind->opener == '{') {
        const char *brace = sg_text_find(sg_text_between(at, end), '}');
        if (!brace)
            return sg_fail(r->context, SG_ERROR_PARSE, "%s '%s' lacks the closing '}'", r->what,
                           sg_quote(r->spec).string);
        if (brace + 1 < end)
            return refuse_junk(r, brace + 1);
        end = brace;
    }
    *arguments = sg_text_between(at, end);
    return SG_OK;
}

sg_status sg_set_parse(sg_context *context, const char *spec, sg_zero zero, const char *what, sg_set **set) {
    reader r = {.context = context, .what = what, .zero = zero, .spec = sg_text_trim(sg_text_of(spec))};
    snprintf(r.number_what, sizeof r.number_what, "%s member", what);
    const char *at = r.spec.at, *end = r.spec.at + r.spec.length;
    while (at < end && is_name_character(*at))
        at++;
    const set_kind *kind = find_kind(sg_text_between(r.spec.at, at));
    if (!kind || (at == r.spec.at && (at == end || *at != kind->opener)))
        return refuse_unknown(&r);

    sg_set *created = NULL;
    sg_text arguments = {0};
    sg_status status = SG_OK;
    SG_TRY(find_arguments(&r, kind, at, &arguments));
    SG_TRY(sg_set_new(context, kind->sequence, &created));
    created->parameter = kind->parameter;
    SG_TRY(kind->read ? kind->read(&r, arguments, created) : sg_set_rename(context, created, "%s", kind->form));
    *set = created;
    created = NULL;
cleanup:
    sg_set_destroy(created);
    return status;
}
