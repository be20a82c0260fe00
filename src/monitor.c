/* Progress is reported by time, not by count, so that it costs the same for cheap and for expensive steps. */
#include "monitor.h"

#include <time.h>

/* 20 calls a second: smooth for a person, and a cancel is noticed within a twentieth of a second. */
static const double CALL_INTERVAL_SECONDS = 0.05;

double sg_seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void sg_monitor_init(sg_monitor *monitor, const sg_solve_options *options, uint64_t total_pos) {
    *monitor = (sg_monitor){
        .progress = options ? options->progress : NULL,
        .user = options ? options->progress_user : NULL,
        .state = {.total_pos = total_pos, .phase = "set"},
    };
    atomic_init(&monitor->cancelled, false);
}

void sg_monitor_phase(sg_monitor *monitor, const char *phase) {
    monitor->state.phase = phase;
}

void sg_monitor_advance(sg_monitor *monitor, double fraction, uint64_t done_pos) {
    if (fraction > 1)
        fraction = 1;
    if (fraction > monitor->state.fraction)
        monitor->state.fraction = fraction;
    if (done_pos > monitor->state.done_pos)
        monitor->state.done_pos = done_pos;
}

bool sg_monitor_tick(sg_monitor *monitor) {
    if (!monitor->progress)
        return true;
    double now = sg_seconds_now();
    if (now - monitor->last_call_seconds >= CALL_INTERVAL_SECONDS) {
        monitor->last_call_seconds = now;
        if (!monitor->progress(monitor->user, &monitor->state))
            atomic_store_explicit(&monitor->cancelled, true, memory_order_relaxed);
    }
    return !sg_monitor_cancelled(monitor);
}

bool sg_monitor_cancelled(sg_monitor *monitor) {
    return atomic_load_explicit(&monitor->cancelled, memory_order_relaxed);
}

sg_status sg_monitor_stop(sg_context *context) {
    return sg_fail(context, SG_ERROR_CANCELLED, "cancelled by the progress callback");
}
