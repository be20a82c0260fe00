/* A writer of JSON: one object, with objects and arrays of objects nested as needed, two blanks an indent. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include "sink.h"

typedef struct json {
    sink *out;
    int depth;
    bool first; /* nothing in the current object or array yet */
} json;

/* The outermost object. */
void json_begin(json *writer, sink *out);
void json_end(json *writer);

/* Members of the current object. A NULL text is null. Text may hold any bytes: what is not UTF-8 becomes U+FFFD. */
void json_object(json *writer, const char *key);
void json_object_end(json *writer);
void json_text(json *writer, const char *key, const char *text);
void json_number(json *writer, const char *key, uint64_t value);
void json_seconds(json *writer, const char *key, double seconds);
void json_real(json *writer, const char *key, double value); /* nine digits; null unless finite */
void json_null(json *writer, const char *key);

/* A member that is an array of objects; json_item begins one of them, json_object_end ends it. */
void json_array(json *writer, const char *key);
void json_item(json *writer);
void json_array_end(json *writer);

#endif
