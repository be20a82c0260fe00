/* Slices of text. The grammars work on slices because a number inside a set specification ends at a comma or a brace,
 * and copying each one to terminate it would cost more than reading it. Characters are classified as in ASCII, whatever
 * the locale: a specification means the same everywhere. */
#include "text.h"

#include <string.h>

sg_text sg_text_of(const char *string) {
    return (sg_text){string, strlen(string)};
}

sg_text sg_text_between(const char *from, const char *to) {
    return (sg_text){from, (size_t)(to - from)};
}

bool sg_is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

bool sg_is_digit(char c) {
    return c >= '0' && c <= '9';
}

sg_text sg_text_trim(sg_text text) {
    while (text.length && sg_is_blank(text.at[0])) {
        text.at++;
        text.length--;
    }
    while (text.length && sg_is_blank(text.at[text.length - 1]))
        text.length--;
    return text;
}

bool sg_text_equals(sg_text text, const char *string) {
    return strlen(string) == text.length && memcmp(text.at, string, text.length) == 0;
}

const char *sg_text_find(sg_text text, char c) {
    return text.length ? memchr(text.at, c, text.length) : NULL;
}

sg_quoted sg_quote(sg_text text) {
    static const char cut[] = "...";
    sg_quoted quoted;
    size_t room = sizeof quoted.string - 1;
    size_t length = text.length;
    if (length > room) {
        length = room - strlen(cut);
        while (length && ((unsigned char)text.at[length] & 0xC0) == 0x80) /* not inside a UTF-8 character */
            length--;
    }
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text.at[i];
        quoted.string[i] = c < ' ' || c == 0x7F ? '?' : text.at[i];
    }
    quoted.string[length] = '\0';
    if (length < text.length)
        memcpy(quoted.string + length, cut, sizeof cut);
    return quoted;
}
