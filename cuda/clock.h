/* How long kernels take, by events on the device, and what they achieve against what the device could do. */
#ifndef SG_CUDA_CLOCK_H
#define SG_CUDA_CLOCK_H

#include "backend.h"
#include "check.h"
#include "kernels.h"
#include "tuning.h"

/* What device properties say about the most that a device can do; 0 where they say nothing. */
typedef struct sg_cuda_limits {
    sg_cuda_shape shape;
    double memory_bytes_per_second;
    double load_bytes_per_second;   /* of all multiprocessors' first-level caches: 128 bytes a clock each */
    double shared_marks_per_second; /* one access a bank and clock */
    double instructions_per_second; /* of one lane: four warps a clock and multiprocessor */
} sg_cuda_limits;

sg_status sg_cuda_read_limits(sg_context *context, int device, sg_cuda_limits *limits);

/* Kinds of kernels that are timed, in the order of reports. */
typedef enum sg_cuda_kind {
    SG_CUDA_SHIFT_OR,
    SG_CUDA_SCATTER,
    SG_CUDA_COLD_LISTS,
    SG_CUDA_EXPAND,
    SG_CUDA_TRANSFORM,
    SG_CUDA_PRODUCT,
    SG_CUDA_THRESHOLD,
    SG_CUDA_BASE_CASES,
    SG_CUDA_NIM_FAR,
    SG_CUDA_NIM_CROSS,
    SG_CUDA_NIM_NEAR
} sg_cuda_kind;

_Static_assert(SG_CUDA_NIM_NEAR + 1 == SG_KERNEL_KINDS, "every kind has a place in reports");

typedef struct sg_cuda_timer {
    cudaEvent_t begin;
    cudaEvent_t end;
    cudaStream_t stream;
    sg_cuda_kind kind;
} sg_cuda_timer;

/* Times of groups of launches, read once the device has passed them: entries head .. tail-1 modulo the ring's size
 * wait. */
typedef struct sg_cuda_clock {
    sg_context *context;
    sg_cuda_timer ring[SG_CUDA_TIMERS];
    uint64_t head;
    uint64_t tail;
    uint64_t calls[SG_KERNEL_KINDS];
    uint64_t work[SG_KERNEL_KINDS];
    double seconds[SG_KERNEL_KINDS];
} sg_cuda_clock;

sg_status sg_cuda_clock_open(sg_cuda_clock *clock, sg_context *context);
sg_status sg_cuda_clock_close(sg_cuda_clock *clock);

/* Between these two, work of one kind goes to the stream. `work`: units that the host knows of. */
sg_status sg_cuda_clock_begin(sg_cuda_clock *clock, sg_cuda_kind kind, cudaStream_t stream);
sg_status sg_cuda_clock_end(sg_cuda_clock *clock, uint64_t work);

/* Reads the times that are there; all of them, waiting, if `wait`. */
sg_status sg_cuda_clock_read(sg_cuda_clock *clock, bool wait);

/* Appends the kinds that were called to a report. */
void sg_cuda_clock_report(const sg_cuda_clock *clock, const sg_cuda_limits *limits, sg_field_report *report);

#endif
