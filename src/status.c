/* Contexts and error texts. */
#include "status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERSION_TEXT_(major, minor, patch) #major "." #minor "." #patch
#define VERSION_TEXT(major, minor, patch)  VERSION_TEXT_(major, minor, patch)

const char *sg_version(void) {
    return VERSION_TEXT(SG_VERSION_MAJOR, SG_VERSION_MINOR, SG_VERSION_PATCH);
}

const char *sg_status_name(sg_status status) {
    switch (status) {
    case SG_OK:
        return "ok";
    case SG_ERROR_INVALID_ARGUMENT:
        return "invalid argument";
    case SG_ERROR_PARSE:
        return "parse error";
    case SG_ERROR_UNSUPPORTED:
        return "unsupported";
    case SG_ERROR_MEMORY_LIMIT:
        return "memory limit";
    case SG_ERROR_OUT_OF_MEMORY:
        return "out of memory";
    case SG_ERROR_IO:
        return "input error";
    case SG_ERROR_CANCELLED:
        return "cancelled";
    case SG_ERROR_OVERFLOW:
        return "overflow";
    case SG_ERROR_BACKEND:
        return "backend unavailable";
    case SG_ERROR_INTERNAL:
        return "internal error";
    }
    return "unknown status";
}

sg_status sg_context_create(sg_context **context) {
    if (!context)
        return SG_ERROR_INVALID_ARGUMENT;
    sg_context *created = calloc(1, sizeof *created);
    if (!created)
        return SG_ERROR_OUT_OF_MEMORY;
    *context = created;
    return SG_OK;
}

void sg_context_destroy(sg_context *context) {
    free(context);
}

const char *sg_last_error(const sg_context *context) {
    return context ? context->error : "";
}

sg_status sg_fail(sg_context *context, sg_status status, const char *format, ...) {
    if (context) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(context->error, sizeof context->error, format, arguments);
        va_end(arguments);
    }
    return status;
}

bool sg_struct_give(void *given, const void *filled, size_t filled_size) {
    size_t size;
    memcpy(&size, given, sizeof size);
    if (size < sizeof size)
        return false;
    if (size > filled_size)
        size = filled_size;
    memcpy((char *)given + sizeof size, (const char *)filled + sizeof size, size - sizeof size);
    return true;
}
