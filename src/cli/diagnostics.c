#include "diagnostics.h"

#include <stdarg.h>
#include <stdio.h>

/* Messages quote what was typed or read: control characters in it must not reach the terminal. */
static void complain(const char *format, va_list arguments) {
    char text[8192];
    vsnprintf(text, sizeof text, format, arguments);
    for (char *at = text; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            *at = '?';
    fprintf(stderr, COMMAND_NAME ": %s\n", text);
}

exit_status fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    complain(format, arguments);
    va_end(arguments);
    return EXIT_FAILED;
}

exit_status fail_usage(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    complain(format, arguments);
    va_end(arguments);
    fputs("try '" COMMAND_NAME " --help'\n", stderr);
    return EXIT_USAGE;
}

exit_status fail_library(const sg_context *context, sg_status status) {
    const char *text = sg_last_error(context);
    if (text[0] == '\0')
        text = sg_status_name(status);
    switch (status) {
    case SG_ERROR_CANCELLED:
        fail("interrupted");
        return EXIT_INTERRUPTED;
    case SG_ERROR_INVALID_ARGUMENT:
    case SG_ERROR_PARSE:
    case SG_ERROR_UNSUPPORTED: /* an engine that cannot serve the mode, or that this build lacks */
        return fail_usage("%s", text);
    default:
        return fail("%s", text);
    }
}
