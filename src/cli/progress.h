/* The progress line on stderr: bar, rate and remaining time, only on a terminal. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "subgame.h"

typedef struct progress {
    bool shown;         /* false: the line is never drawn */
    bool drawn;         /* there is a line on the screen now */
    const char *phase;  /* of the last report; NULL before the first */
    double phase_start; /* clock_seconds */
    double start_fraction;
    uint64_t start_pos;
    double last_draw;
} progress;

/* `wanted` is the user's wish; the line is drawn only if stderr is a terminal too. */
void progress_init(progress *line, bool wanted);

/* An sg_progress_fn with a progress as its user pointer: draws now and then, and returns false when the user
 * interrupts. */
bool progress_report(void *line, const sg_progress *report);

/* Removes the line, before anything else is printed on the terminal. */
void progress_clear(progress *line);

#endif
