/* What devices there are, and what their properties promise. */
#include "field.h"

#include <stdio.h>
#include <string.h>

/* The oldest device that the module's kernels are built for: 8.0. */
enum { LEAST_CAPABILITY_MAJOR = 8 };

/* The file without its folders: messages are for people. */
static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

sg_status sg_cuda_status(sg_context *context, cudaError_t error, const char *call, const char *file, int line) {
    if (error == cudaSuccess)
        return SG_OK;
    cudaGetLastError(); /* takes it off the runtime's hands: the next call must not see it again */
    return sg_fail(context, error == cudaErrorMemoryAllocation ? SG_ERROR_OUT_OF_MEMORY : SG_ERROR_BACKEND,
                   "%.*s failed: %s (%s:%d)", (int)strcspn(call, "("), call, cudaGetErrorString(error), base_name(file),
                   line);
}

static const char *cufft_text(cufftResult result) {
    switch (result) {
    case CUFFT_INVALID_PLAN:
        return "invalid plan";
    case CUFFT_ALLOC_FAILED:
        return "out of memory";
    case CUFFT_INVALID_VALUE:
        return "invalid value";
    case CUFFT_INTERNAL_ERROR:
        return "internal error";
    case CUFFT_EXEC_FAILED:
        return "execution failed";
    case CUFFT_SETUP_FAILED:
        return "set-up failed";
    case CUFFT_INVALID_SIZE:
        return "invalid size";
    default:
        return "cuFFT error";
    }
}

sg_status sg_cufft_status(sg_context *context, cufftResult result, const char *call, const char *file, int line) {
    if (result == CUFFT_SUCCESS)
        return SG_OK;
    cudaGetLastError();
    return sg_fail(context, result == CUFFT_ALLOC_FAILED ? SG_ERROR_OUT_OF_MEMORY : SG_ERROR_BACKEND,
                   "%.*s failed: %s, %d (%s:%d)", (int)strcspn(call, "("), call, cufft_text(result), (int)result,
                   base_name(file), line);
}

sg_status sg_cuda_count_devices(sg_context *context, uint32_t *count) {
    int found = 0;
    cudaError_t error = cudaGetDeviceCount(&found); /* leaves the count unwritten when it fails */
    if (error != cudaSuccess) {
        cudaGetLastError();
        return sg_fail(context, SG_ERROR_BACKEND, "no CUDA device can be used: %s (cudaGetDeviceCount)",
                       cudaGetErrorString(error));
    }
    if (found <= 0)
        return sg_fail(context, SG_ERROR_BACKEND, "no CUDA device can be used: the driver reports none");
    *count = (uint32_t)found;
    return SG_OK;
}

sg_status sg_cuda_describe(sg_context *context, uint32_t index, sg_device_info *info) {
    struct cudaDeviceProp properties;
    size_t free_bytes, total_bytes;
    int previous;
    sg_status status;
    SG_TRY(SG_CUDA(context, cudaGetDevice(&previous)));
    SG_TRY(SG_CUDA(context, cudaGetDeviceProperties(&properties, (int)index)));
    SG_TRY(SG_CUDA(context, cudaSetDevice((int)index)));
    status = SG_CUDA(context, cudaMemGetInfo(&free_bytes, &total_bytes));
    SG_TRY(sg_first_failure(status, SG_CUDA(context, cudaSetDevice(previous))));
    if (properties.major < LEAST_CAPABILITY_MAJOR)
        SG_TRY(sg_fail(context, SG_ERROR_BACKEND,
                       "device %u (%s) has compute capability %d.%d; %d.0 or later is needed", index, properties.name,
                       properties.major, properties.minor, LEAST_CAPABILITY_MAJOR));
    *info = (sg_device_info){
        .struct_size = sizeof *info,
        .memory_bytes = total_bytes,
        .free_bytes = free_bytes,
        .capability_major = (uint32_t)properties.major,
        .capability_minor = (uint32_t)properties.minor,
        .processors = (uint32_t)properties.multiProcessorCount,
    };
    snprintf(info->name, sizeof info->name, "%.*s", (int)sizeof info->name - 1, properties.name);
cleanup:
    return status;
}

sg_status sg_cuda_read_limits(sg_context *context, int device, sg_cuda_limits *limits) {
    enum { PROCESSORS, BLOCK_SHARED, SHARED, RESERVED, THREADS, CLOCK_KHZ, MEMORY_KHZ, BUS_BITS, WANTED };
    static const enum cudaDeviceAttr attributes[WANTED] = {
        [PROCESSORS] = cudaDevAttrMultiProcessorCount,
        [BLOCK_SHARED] = cudaDevAttrMaxSharedMemoryPerBlockOptin,
        [SHARED] = cudaDevAttrMaxSharedMemoryPerMultiprocessor,
        [RESERVED] = cudaDevAttrReservedSharedMemoryPerBlock,
        [THREADS] = cudaDevAttrMaxThreadsPerMultiProcessor,
        [CLOCK_KHZ] = cudaDevAttrClockRate,
        [MEMORY_KHZ] = cudaDevAttrMemoryClockRate,
        [BUS_BITS] = cudaDevAttrGlobalMemoryBusWidth,
    };
    int values[WANTED] = {0};
    sg_status status = SG_OK;
    for (unsigned i = 0; i < WANTED; i++)
        SG_TRY(SG_CUDA(context, cudaDeviceGetAttribute(&values[i], attributes[i], device)));
    double clocks = 1e3 * values[CLOCK_KHZ] * values[PROCESSORS];
    *limits = (sg_cuda_limits){
        .shape = {.multiprocessors = (uint32_t)values[PROCESSORS],
                  .shared_bytes = (uint32_t)values[BLOCK_SHARED],
                  .multiprocessor_shared_bytes = (uint32_t)values[SHARED],
                  .reserved_shared_bytes = (uint32_t)values[RESERVED],
                  .multiprocessor_threads = (uint32_t)values[THREADS]},
        .memory_bytes_per_second = 2e3 * values[MEMORY_KHZ] * values[BUS_BITS] / 8, /* two transfers a clock */
        .load_bytes_per_second = 128 * clocks,
        .shared_marks_per_second = 32 * clocks,
        .instructions_per_second = 128 * clocks,
    };
cleanup:
    return status;
}
