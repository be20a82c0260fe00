#include "taken.h"

sg_status sg_cuda_take(sg_cuda_taken *taken, void **place, uint64_t bytes) {
    sg_status status = SG_CUDA(taken->context, cudaMalloc(place, bytes ? bytes : 1));
    if (status == SG_OK)
        taken->device_bytes += bytes;
    return status;
}

sg_status sg_cuda_take_pinned(sg_cuda_taken *taken, void **place, uint64_t bytes) {
    sg_status status = SG_CUDA(taken->context, cudaMallocHost(place, bytes));
    if (status == SG_OK) {
        taken->pinned_bytes += bytes;
        sg_memory_hold(taken->memory, bytes);
    }
    return status;
}

sg_status sg_cuda_free_device(sg_context *context, void *const *pieces, size_t count) {
    sg_status status = SG_OK;
    for (size_t i = 0; i < count; i++)
        if (pieces[i])
            status = sg_first_failure(status, SG_CUDA(context, cudaFree(pieces[i])));
    return status;
}

sg_status sg_cuda_free_pinned(sg_cuda_taken *taken, void *const *pieces, size_t count) {
    sg_status status = SG_OK;
    for (size_t i = 0; i < count; i++)
        if (pieces[i])
            status = sg_first_failure(status, SG_CUDA(taken->context, cudaFreeHost(pieces[i])));
    sg_memory_release(taken->memory, taken->pinned_bytes);
    taken->pinned_bytes = 0;
    return status;
}
