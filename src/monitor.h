/* Progress and cancellation of one call into the library. */
#ifndef SG_MONITOR_H
#define SG_MONITOR_H

#include "status.h"

#include <stdatomic.h>

typedef struct sg_monitor {
    sg_progress_fn progress;
    void *user;
    sg_progress state;
    double last_call_seconds;
    atomic_bool cancelled;
} sg_monitor;

/* `options` may be NULL. */
void sg_monitor_init(sg_monitor *monitor, const sg_solve_options *options, uint64_t total_pos);

/* Begins a phase; `phase` is static text. */
void sg_monitor_phase(sg_monitor *monitor, const char *phase);

/* Records how far the work is; the fraction never falls. */
void sg_monitor_advance(sg_monitor *monitor, double fraction, uint64_t done_pos);

/* Calls the callback when some time has passed since the last call. Only on the thread that called the library; cheap
 * enough for every few microseconds of work. Returns false once cancelled. */
bool sg_monitor_tick(sg_monitor *monitor);

/* Whether to stop; any thread. */
bool sg_monitor_cancelled(sg_monitor *monitor);

/* The status to return after a stop, its text stored. */
sg_status sg_monitor_stop(sg_context *context);

double sg_seconds_now(void);

#endif
