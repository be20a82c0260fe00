/* Slices of text and how they are quoted in error messages. */
#ifndef SG_TEXT_H
#define SG_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* `length` characters at `at`; not terminated, owned by someone else. */
typedef struct sg_text {
    const char *at;
    size_t length;
} sg_text;

sg_text sg_text_of(const char *string);

/* The text from `from` up to `to`. */
sg_text sg_text_between(const char *from, const char *to);

bool sg_is_blank(char c);
bool sg_is_digit(char c);

/* Without the blanks at both ends. */
sg_text sg_text_trim(sg_text text);

bool sg_text_equals(sg_text text, const char *string);

/* Position of the first `c`, or NULL. */
const char *sg_text_find(sg_text text, char c);

/* A printable copy for an error message: long texts are cut, control characters become '?'. Used as sg_quote(t).string
 * within one expression. */
typedef struct sg_quoted {
    char string[100];
} sg_quoted;

sg_quoted sg_quote(sg_text text);

#endif
