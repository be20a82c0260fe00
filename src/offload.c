#include "offload.h"
#include "tuning.h"

#include <stdio.h>

sg_status sg_request_take_device(sg_request *request, sg_backend backend, uint32_t index) {
    sg_status status = sg_backend_find(request->context, backend, index, &request->device);
    if (status != SG_OK)
        return status;
    uint64_t free_bytes = request->device.info.free_bytes, asked = request->asked_limit_bytes;
    if (request->device.operators->backend == SG_BACKEND_CPU)
        request->device_limit_bytes = UINT64_MAX;
    else
        request->device_limit_bytes = asked && asked < free_bytes ? asked : free_bytes;
    return SG_OK;
}

/* Only recursions and tiles run on a device, and opening one takes a while. It may also have the memory that the host
 * lacks. */
static bool is_worth_a_device(const sg_request *request, const sg_plan *plan) {
    sg_engine asked = request->engine;
    bool has_work = asked == SG_ENGINE_AUTO || asked == SG_ENGINE_TILE || sg_engine_is_recursive(asked);
    if (!has_work || request->mode == SG_MODE_REMOTENESS)
        return false;
    if (plan->is_hopeless || !sg_need_fits(request, plan->need))
        return true;
    if (plan->engine == SG_ENGINE_TILE)
        return plan->seconds >= SG_DEVICE_LEAST_SECONDS;
    return sg_engine_is_recursive(plan->engine) && request->n >= SG_DEVICE_LEAST_POS;
}

void sg_offload(sg_request *request, sg_plan *plan, uint32_t index, char *reason, size_t size) {
    sg_context scratch = {0}; /* what fails here is no failure of the caller's */
    sg_request moved = *request;
    sg_plan moved_plan;
    moved.context = &scratch;
    if (!sg_backend_cuda_is_offered())
        return;
    sg_status status = sg_backend_probe_cuda(&scratch);
    if (status == SG_OK && !is_worth_a_device(request, plan))
        return;
    if (status == SG_OK)
        status = sg_request_take_device(&moved, SG_BACKEND_CUDA, index);
    if (status == SG_OK)
        status = sg_plan_make(&moved, &moved_plan);
    if (status == SG_OK && !sg_need_fits(&moved, moved_plan.need))
        status = sg_fail(&scratch, SG_ERROR_MEMORY_LIMIT, "the device has too little memory for it");
    if (status != SG_OK) {
        snprintf(reason, size, "%s", sg_last_error(&scratch));
        return;
    }
    moved.context = request->context;
    *request = moved;
    *plan = moved_plan;
}
