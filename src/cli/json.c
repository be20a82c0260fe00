#include "json.h"

#include <math.h>
#include <string.h>

static void new_line(json *writer) {
    sink_char(writer->out, '\n');
    for (int i = 0; i < writer->depth; i++)
        sink_text(writer->out, "  ");
}

/* Length of the UTF-8 sequence at `bytes`, 0 when it is none: RFC 3629 with no overlong form, no surrogate, nothing
 * past U+10FFFF. The terminating zero ends a cut sequence. */
static size_t utf8_length(const unsigned char *bytes) {
    unsigned char lead = bytes[0];
    if (lead < 0x80)
        return 1;
    size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (lead == 0xe0 && bytes[1] < 0xa0) || (lead == 0xf0 && bytes[1] < 0x90);
    bool surrogate = lead == 0xed && bytes[1] >= 0xa0;
    bool too_large = lead == 0xf4 && bytes[1] >= 0x90;
    return overlong || surrogate || too_large ? 0 : length;
}

static void write_string(sink *out, const char *text) {
    const unsigned char *bytes = (const unsigned char *)text;
    sink_char(out, '"');
    while (*bytes != '\0') {
        size_t length = utf8_length(bytes);
        if (length == 0) {
            sink_text(out, "\\ufffd");
            length = 1;
        } else if (*bytes == '"' || *bytes == '\\') {
            sink_char(out, '\\');
            sink_char(out, (char)*bytes);
        } else if (*bytes < 0x20 || *bytes == 0x7f) {
            sink_format(out, "\\u%04x", (unsigned)*bytes);
        } else {
            sink_write(out, bytes, length);
        }
        bytes += length;
    }
    sink_char(out, '"');
}

static void next_element(json *writer) {
    if (!writer->first)
        sink_char(writer->out, ',');
    writer->first = false;
    new_line(writer);
}

static void write_key(json *writer, const char *key) {
    next_element(writer);
    write_string(writer->out, key);
    sink_text(writer->out, ": ");
}

static void open_with(json *writer, char bracket) {
    sink_char(writer->out, bracket);
    writer->depth++;
    writer->first = true;
}

static void close_with(json *writer, char bracket) {
    writer->depth--;
    if (!writer->first)
        new_line(writer);
    sink_char(writer->out, bracket);
    writer->first = false;
}

void json_begin(json *writer, sink *out) {
    *writer = (json){.out = out};
    open_with(writer, '{');
}

void json_end(json *writer) {
    json_object_end(writer);
    sink_char(writer->out, '\n');
}

void json_object(json *writer, const char *key) {
    write_key(writer, key);
    open_with(writer, '{');
}

void json_object_end(json *writer) {
    close_with(writer, '}');
}

void json_array(json *writer, const char *key) {
    write_key(writer, key);
    open_with(writer, '[');
}

void json_item(json *writer) {
    next_element(writer);
    open_with(writer, '{');
}

void json_array_end(json *writer) {
    close_with(writer, ']');
}

void json_text(json *writer, const char *key, const char *text) {
    if (text == NULL) {
        json_null(writer, key);
        return;
    }
    write_key(writer, key);
    write_string(writer->out, text);
}

void json_number(json *writer, const char *key, uint64_t value) {
    write_key(writer, key);
    sink_number(writer->out, value);
}

void json_seconds(json *writer, const char *key, double seconds) {
    write_key(writer, key);
    sink_format(writer->out, "%.6f", seconds);
}

void json_real(json *writer, const char *key, double value) {
    if (!isfinite(value)) {
        json_null(writer, key);
        return;
    }
    write_key(writer, key);
    sink_format(writer->out, "%.9g", value);
}

void json_null(json *writer, const char *key) {
    write_key(writer, key);
    sink_text(writer->out, "null");
}
