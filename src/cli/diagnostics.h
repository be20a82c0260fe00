/* Exit statuses and messages on stderr, every one of which starts with the name of the command. */
#ifndef CLI_DIAGNOSTICS_H
#define CLI_DIAGNOSTICS_H

#include "subgame.h"

#define COMMAND_NAME "subgame-gpu"

typedef enum exit_status {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,       /* memory, backend, files, faults */
    EXIT_USAGE = 2,        /* the command line asks for something that has no meaning */
    EXIT_VERIFICATION = 3, /* the result contradicts the definition of the game */
    EXIT_INTERRUPTED = 130 /* as the shell reports SIGINT */
} exit_status;

#if defined(__GNUC__)
#define PRINTF_LIKE __attribute__((format(printf, 1, 2)))
#else
#define PRINTF_LIKE
#endif

/* Prints one line and returns EXIT_FAILED. */
exit_status fail(const char *format, ...) PRINTF_LIKE;

/* Prints one line and the hint at --help, and returns EXIT_USAGE. */
exit_status fail_usage(const char *format, ...) PRINTF_LIKE;

/* Reports a failed solve or verification in the library's words and returns the exit status that it means. */
exit_status fail_library(const sg_context *context, sg_status status);

#endif
