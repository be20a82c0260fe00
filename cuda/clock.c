#include "clock.h"

#include <string.h>

sg_status sg_cuda_clock_open(sg_cuda_clock *clock, sg_context *context) {
    sg_status status = SG_OK;
    clock->context = context;
    for (unsigned i = 0; i < SG_CUDA_TIMERS; i++) {
        SG_TRY(SG_CUDA(clock->context, cudaEventCreate(&clock->ring[i].begin)));
        SG_TRY(SG_CUDA(clock->context, cudaEventCreate(&clock->ring[i].end)));
    }
cleanup:
    return status;
}

sg_status sg_cuda_clock_close(sg_cuda_clock *clock) {
    sg_status status = SG_OK;
    for (unsigned i = 0; i < SG_CUDA_TIMERS; i++) {
        sg_cuda_timer *timer = &clock->ring[i];
        if (timer->begin)
            status = sg_first_failure(status, SG_CUDA(clock->context, cudaEventDestroy(timer->begin)));
        if (timer->end)
            status = sg_first_failure(status, SG_CUDA(clock->context, cudaEventDestroy(timer->end)));
    }
    return status;
}

/* Reads the oldest time if the device has passed it, or in any case if `wait`. *did says whether it was read. */
static sg_status read_oldest(sg_cuda_clock *clock, bool wait, bool *did) {
    const sg_cuda_timer *timer = &clock->ring[clock->head % SG_CUDA_TIMERS];
    float milliseconds;
    sg_status status = SG_OK;
    *did = false;
    if (wait) {
        SG_TRY(SG_CUDA(clock->context, cudaEventSynchronize(timer->end)));
    } else {
        cudaError_t passed = cudaEventQuery(timer->end);
        if (passed == cudaErrorNotReady)
            return SG_OK;
        SG_TRY(sg_cuda_status(clock->context, passed, "cudaEventQuery", __FILE__, __LINE__));
    }
    SG_TRY(SG_CUDA(clock->context, cudaEventElapsedTime(&milliseconds, timer->begin, timer->end)));
    clock->seconds[timer->kind] += 1e-3 * (double)milliseconds;
    clock->head++;
    *did = true;
cleanup:
    return status;
}

sg_status sg_cuda_clock_read(sg_cuda_clock *clock, bool wait) {
    bool did = true;
    sg_status status = SG_OK;
    while (clock->head < clock->tail && did)
        SG_TRY(read_oldest(clock, wait, &did));
cleanup:
    return status;
}

sg_status sg_cuda_clock_begin(sg_cuda_clock *clock, sg_cuda_kind kind, cudaStream_t stream) {
    bool did;
    sg_status status = SG_OK;
    if (clock->tail - clock->head == SG_CUDA_TIMERS)
        SG_TRY(read_oldest(clock, true, &did));
    sg_cuda_timer *timer = &clock->ring[clock->tail % SG_CUDA_TIMERS];
    timer->kind = kind;
    timer->stream = stream;
    SG_TRY(SG_CUDA(clock->context, cudaEventRecord(timer->begin, stream)));
cleanup:
    return status;
}

sg_status sg_cuda_clock_end(sg_cuda_clock *clock, uint64_t work) {
    const sg_cuda_timer *timer = &clock->ring[clock->tail % SG_CUDA_TIMERS];
    sg_status status = SG_CUDA(clock->context, cudaEventRecord(timer->end, timer->stream));
    if (status != SG_OK)
        return status;
    clock->calls[timer->kind]++;
    clock->work[timer->kind] += work;
    clock->tail++;
    return SG_OK;
}

static double smaller(double a, double b) {
    return a < b ? a : b;
}

/* Names, units and limits by kind. A point of a transform is read and written at least once: 16 bytes. A far option of
 * a nim-value takes accesses of the first-level cache and shared memory, and instructions. */
static void describe_kinds(const sg_cuda_limits *limits, sg_kernel_report *kinds) {
    double far_options = smaller(limits->shared_marks_per_second / SG_CUDA_NIM_FAR_ACCESSES,
                                 limits->instructions_per_second / SG_CUDA_NIM_FAR_INSTRUCTIONS);
    double cross_options = limits->instructions_per_second / SG_CUDA_NIM_CROSS_INSTRUCTIONS;
    const sg_kernel_report described[SG_KERNEL_KINDS] = {
        [SG_CUDA_SHIFT_OR] = {.name = "shift_or", .unit = "bytes", .limit_per_second = limits->load_bytes_per_second},
        [SG_CUDA_SCATTER] = {.name = "scatter", .unit = "marks", .limit_per_second = limits->shared_marks_per_second},
        [SG_CUDA_COLD_LISTS] = {.name = "cold_lists",
                                .unit = "bytes",
                                .limit_per_second = limits->memory_bytes_per_second},
        [SG_CUDA_EXPAND] = {.name = "expand", .unit = "bytes", .limit_per_second = limits->memory_bytes_per_second},
        [SG_CUDA_TRANSFORM] = {.name = "transform",
                               .unit = "points",
                               .limit_per_second = limits->memory_bytes_per_second / 16},
        [SG_CUDA_PRODUCT] = {.name = "product", .unit = "bytes", .limit_per_second = limits->memory_bytes_per_second},
        [SG_CUDA_THRESHOLD] = {.name = "threshold",
                               .unit = "bytes",
                               .limit_per_second = limits->memory_bytes_per_second},
        [SG_CUDA_BASE_CASES] = {.name = "base_cases",
                                .unit = "bytes",
                                .limit_per_second = limits->memory_bytes_per_second},
        [SG_CUDA_NIM_FAR] = {.name = "nim_far", .unit = "options", .limit_per_second = far_options},
        [SG_CUDA_NIM_CROSS] = {.name = "nim_cross", .unit = "options", .limit_per_second = cross_options},
        [SG_CUDA_NIM_NEAR] = {.name = "nim_near", .unit = "heap sizes"},
    };
    memcpy(kinds, described, sizeof described);
}

void sg_cuda_clock_report(const sg_cuda_clock *clock, const sg_cuda_limits *limits, sg_field_report *report) {
    sg_kernel_report kinds[SG_KERNEL_KINDS];
    describe_kinds(limits, kinds);
    for (unsigned kind = 0; kind < SG_KERNEL_KINDS; kind++) {
        if (!clock->calls[kind])
            continue;
        kinds[kind].struct_size = sizeof kinds[kind];
        kinds[kind].calls = clock->calls[kind];
        kinds[kind].seconds = clock->seconds[kind];
        kinds[kind].work = clock->work[kind];
        report->kernels[report->kernel_count++] = kinds[kind];
    }
}
