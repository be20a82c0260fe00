/* How long kernels take, by events on the device, and what they achieve against what the device could do. */
#include "field.h"

#include <string.h>

sg_status sg_cuda_clock_open(sg_field *field) {
    sg_status status = SG_OK;
    for (unsigned i = 0; i < SG_CUDA_TIMERS; i++) {
        SG_TRY(SG_CUDA(field->context, cudaEventCreate(&field->clock.ring[i].begin)));
        SG_TRY(SG_CUDA(field->context, cudaEventCreate(&field->clock.ring[i].end)));
    }
cleanup:
    return status;
}

sg_status sg_cuda_clock_close(sg_field *field) {
    sg_status status = SG_OK;
    for (unsigned i = 0; i < SG_CUDA_TIMERS; i++) {
        sg_cuda_timer *timer = &field->clock.ring[i];
        if (timer->begin)
            status = sg_first_failure(status, SG_CUDA(field->context, cudaEventDestroy(timer->begin)));
        if (timer->end)
            status = sg_first_failure(status, SG_CUDA(field->context, cudaEventDestroy(timer->end)));
    }
    return status;
}

/* Reads the oldest time if the device has passed it, or in any case if `wait`. *did says whether it was read. */
static sg_status read_oldest(sg_field *field, bool wait, bool *did) {
    sg_cuda_clock *clock = &field->clock;
    const sg_cuda_timer *timer = &clock->ring[clock->head % SG_CUDA_TIMERS];
    float milliseconds;
    sg_status status = SG_OK;
    *did = false;
    if (wait) {
        SG_TRY(SG_CUDA(field->context, cudaEventSynchronize(timer->end)));
    } else {
        cudaError_t passed = cudaEventQuery(timer->end);
        if (passed == cudaErrorNotReady)
            return SG_OK;
        SG_TRY(sg_cuda_status(field->context, passed, "cudaEventQuery", __FILE__, __LINE__));
    }
    SG_TRY(SG_CUDA(field->context, cudaEventElapsedTime(&milliseconds, timer->begin, timer->end)));
    clock->seconds[timer->kind] += 1e-3 * (double)milliseconds;
    clock->head++;
    *did = true;
cleanup:
    return status;
}

sg_status sg_cuda_clock_read(sg_field *field, bool wait) {
    bool did = true;
    sg_status status = SG_OK;
    while (field->clock.head < field->clock.tail && did)
        SG_TRY(read_oldest(field, wait, &did));
cleanup:
    return status;
}

sg_status sg_cuda_clock_begin(sg_field *field, sg_cuda_kind kind) {
    sg_cuda_clock *clock = &field->clock;
    bool did;
    sg_status status = SG_OK;
    if (clock->tail - clock->head == SG_CUDA_TIMERS)
        SG_TRY(read_oldest(field, true, &did));
    clock->ring[clock->tail % SG_CUDA_TIMERS].kind = kind;
    SG_TRY(SG_CUDA(field->context, cudaEventRecord(clock->ring[clock->tail % SG_CUDA_TIMERS].begin, field->compute)));
cleanup:
    return status;
}

sg_status sg_cuda_clock_end(sg_field *field, uint64_t work) {
    sg_cuda_clock *clock = &field->clock;
    const sg_cuda_timer *timer = &clock->ring[clock->tail % SG_CUDA_TIMERS];
    sg_status status = SG_CUDA(field->context, cudaEventRecord(timer->end, field->compute));
    if (status != SG_OK)
        return status;
    clock->calls[timer->kind]++;
    clock->work[timer->kind] += work;
    clock->tail++;
    return SG_OK;
}

/* Names, units and limits by kind. A point of a transform is read and written at least once: 16 bytes. */
static void describe_kinds(const sg_cuda_limits *limits, sg_kernel_report *kinds) {
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
    };
    memcpy(kinds, described, sizeof described);
}

sg_status sg_cuda_report(sg_field *field, sg_field_report *report) {
    const sg_cuda_clock *clock = &field->clock;
    sg_kernel_report kinds[SG_KERNEL_KINDS];
    sg_status status;
    *report = (sg_field_report){
        .device_peak_bytes = field->device_bytes,
        .bytes_to_device = field->bytes_to_device,
        .bytes_from_device = field->bytes_from_device,
    };
    SG_TRY(SG_CUDA(field->context, cudaMemcpyAsync(field->work, field->d_work, sizeof *field->work,
                                                   cudaMemcpyDeviceToHost, field->compute)));
    SG_TRY(SG_CUDA(field->context, cudaStreamSynchronize(field->compute)));
    SG_TRY(sg_cuda_clock_read(field, true));
    sg_cuda_convolver_report(field, report);
    describe_kinds(&field->limits, kinds);
    for (unsigned kind = 0; kind < SG_KERNEL_KINDS; kind++) {
        if (!clock->calls[kind])
            continue;
        kinds[kind].struct_size = sizeof kinds[kind];
        kinds[kind].calls = clock->calls[kind];
        kinds[kind].seconds = clock->seconds[kind];
        kinds[kind].work = clock->work[kind];
        if (kind == SG_CUDA_SHIFT_OR)
            kinds[kind].work = sizeof(uint32_t) * field->work->shifts;
        if (kind == SG_CUDA_SCATTER)
            kinds[kind].work = field->work->marks;
        report->kernels[report->kernel_count++] = kinds[kind];
    }
cleanup:
    return status;
}
