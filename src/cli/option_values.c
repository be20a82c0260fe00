/* Reading the value of one option by its kind. */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Part of an argument. */
typedef struct piece {
    const char *at;
    size_t length;
} piece;

static void *field_of(const option_row *row, cli_options *options) {
    return (char *)options + row->field;
}

static exit_status read_mode(const option_row *row, const char *typed, cli_options *options) {
    if (options->mode_option != NULL && options->mode != row->fixed)
        return fail_usage("--%s and %s exclude each other: one mode at a time", options->mode_option, typed);
    options->mode = row->fixed;
    options->mode_option = row->name;
    return EXIT_DONE;
}

static exit_status read_choice(const option_row *row, const char *typed, piece text, cli_options *options) {
    char accepted[256] = "";
    size_t used = 0;
    for (int i = 0; row->choice(i) != NULL; i++) {
        if (strlen(row->choice(i)) == text.length && strncmp(text.at, row->choice(i), text.length) == 0) {
            *(int *)field_of(row, options) = i;
            if (row->list_field != 0)
                *(unsigned *)((char *)options + row->list_field) |= 1U << i;
            return EXIT_DONE;
        }
        used += (size_t)snprintf(accepted + used, sizeof accepted - used, "%s%s", i > 0 ? ", " : "", row->choice(i));
        if (used >= sizeof accepted)
            used = sizeof accepted - 1;
    }
    return fail_usage("%s '%.*s': unknown name; accepted are %s", typed, (int)text.length, text.at, accepted);
}

/* A name, or several with commas between them where the row takes lists. */
static exit_status read_choices(const option_row *row, const char *typed, const char *text, cli_options *options) {
    exit_status status = EXIT_DONE;
    for (const char *end; status == EXIT_DONE && text != NULL; text = end != NULL ? end + 1 : NULL) {
        end = row->list_field != 0 ? strchr(text, ',') : NULL;
        piece name = {text, end != NULL ? (size_t)(end - text) : strlen(text)};
        status = read_choice(row, typed, name, options);
    }
    return status;
}

/* The library's text already names the token that is wrong; the option says where it stands. */
static exit_status read_number(sg_context *context, const char *typed, const char *text, uint64_t *value) {
    if (sg_parse_number(context, text, value) == SG_OK)
        return EXIT_DONE;
    return fail_usage("%s: %s", typed, sg_last_error(context));
}

/* Length of the unit that ends `text` and its size: K, KiB = 1024, KB = 1000, and so on; 0 when it ends in a digit. */
static size_t size_unit(const char *text, uint64_t *unit_bytes) {
    static const char letters[] = "KMGTP";
    size_t length = strlen(text);
    uint64_t step = 1024;
    size_t unit = 0;
    if (length >= 2 && (text[length - 1] == 'B' || text[length - 1] == 'b')) {
        bool binary = text[length - 2] == 'i';
        step = binary ? 1024 : 1000;
        unit = binary ? 2 : 1;
    }
    *unit_bytes = 1;
    if (unit >= length)
        return 0;
    char letter = text[length - unit - 1];
    if (letter >= 'a' && letter <= 'z')
        letter = (char)(letter - 'a' + 'A');
    const char *place = letter != '\0' ? strchr(letters, letter) : NULL;
    if (place == NULL)
        return unit == 1 ? 1 : 0; /* "4096B" */
    for (const char *l = letters; l <= place; l++)
        *unit_bytes *= step;
    return unit + 1;
}

/* WHOLE[.FRACTION]UNIT, or a number of bytes by the number grammar. */
static exit_status read_size(sg_context *context, const char *typed, const char *text, uint64_t *bytes) {
    uint64_t unit_bytes;
    size_t number_length = strlen(text) - size_unit(text, &unit_bytes);
    char number[64];
    if (number_length >= sizeof number)
        return fail_usage("%s '%s': too long for a size such as 16G", typed, text);
    memcpy(number, text, number_length);
    number[number_length] = '\0';

    double fraction = 0.0;
    char *point = strchr(number, '.');
    if (unit_bytes > 1 && point != NULL) {
        if (point[1] == '\0' || strspn(point + 1, "0123456789") != strlen(point + 1))
            return fail_usage("%s '%s': not a size such as 16G, 512M or 1.5GiB", typed, text);
        fraction = strtod(point, NULL);
        *point = '\0';
    }
    uint64_t whole;
    if (number[0] == '\0' || sg_parse_number(context, number, &whole) != SG_OK)
        return fail_usage("%s '%s': not a size such as 16G, 512M, 1.5GiB or 2^34", typed, text);
    uint64_t part = (uint64_t)(fraction * (double)unit_bytes);
    if (whole > (UINT64_MAX - part) / unit_bytes)
        return fail_usage("%s '%s': past 2^64 - 1 bytes", typed, text);
    *bytes = whole * unit_bytes + part;
    return EXIT_DONE;
}

static exit_status read_bounded(sg_context *context, const option_row *row, const char *typed, const char *text,
                                cli_number *number) {
    uint64_t value = row->word_value;
    exit_status status = EXIT_DONE;
    if (row->word != NULL && strcmp(text, row->word) == 0) {
        number->value = value;
        number->given = true;
        return status;
    }
    status =
        row->kind == OPTION_SIZE ? read_size(context, typed, text, &value) : read_number(context, typed, text, &value);
    if (status != EXIT_DONE)
        return status;
    if (value < row->minimum || value > row->maximum) {
        char range[64];
        if (row->maximum == UINT64_MAX)
            snprintf(range, sizeof range, "%llu or more", (unsigned long long)row->minimum);
        else
            snprintf(range, sizeof range, "%llu to %llu", (unsigned long long)row->minimum,
                     (unsigned long long)row->maximum);
        return fail_usage("%s '%s': out of range; accepted is %s%s%s", typed, text, range,
                          row->word != NULL ? ", or " : "", row->word != NULL ? row->word : "");
    }
    number->value = value;
    number->given = true;
    return status;
}

exit_status option_read(sg_context *context, const option_row *row, const char *typed, const char *text,
                        cli_options *options) {
    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)field_of(row, options) = true;
        return EXIT_DONE;
    case OPTION_MODE:
        return read_mode(row, typed, options);
    case OPTION_TEXT:
        *(const char **)field_of(row, options) = text;
        return EXIT_DONE;
    case OPTION_CHOICE:
        return read_choices(row, typed, text, options);
    case OPTION_NUMBER:
    case OPTION_SIZE:
        return read_bounded(context, row, typed, text, field_of(row, options));
    }
    return fail("option table: %s has no kind", row->name);
}
