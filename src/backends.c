/* The one file that knows which backends there are. */
#include "backend.h"
#include "cpu/backend.h"
#include "cuda_module.h"

static sg_status find_operators(sg_context *context, sg_backend backend, const sg_operators **operators) {
    switch (backend) {
    case SG_BACKEND_AUTO: /* the caller looks for something better by itself */
    case SG_BACKEND_CPU:
        *operators = sg_cpu_operators();
        return SG_OK;
    case SG_BACKEND_CUDA:
        return sg_cuda_module_open(context, operators);
    }
    return sg_fail(context, SG_ERROR_INVALID_ARGUMENT, "there is no backend number %d", (int)backend);
}

static sg_status describe(sg_context *context, sg_backend backend, uint32_t index, sg_device *device) {
    uint32_t count = 0;
    sg_status status;
    *device = (sg_device){.index = index};
    SG_TRY(find_operators(context, backend, &device->operators));
    SG_TRY(device->operators->count_devices(context, &count));
    if (index >= count)
        SG_TRY(sg_fail(context, SG_ERROR_BACKEND, "there is no device %u: backend '%s' has %u, counted from 0", index,
                       sg_backend_name(device->operators->backend), count));
    SG_TRY(device->operators->describe(context, index, &device->info));
cleanup:
    return status;
}

sg_status sg_backend_find(sg_context *context, sg_backend backend, uint32_t index, sg_device *device) {
    sg_status status = describe(context, backend, index, device);
    uint64_t bit = index < 64 ? (uint64_t)1 << index : 0;
    if (status != SG_OK || device->operators->backend == SG_BACKEND_CPU || context->checked_devices & bit)
        return status;
    status = device->operators->check(context, device);
    if (status == SG_OK)
        context->checked_devices |= bit;
    return status;
}

bool sg_backend_cuda_is_offered(void) {
    return sg_cuda_module_exists();
}

sg_status sg_backend_probe_cuda(sg_context *context) {
    return sg_cuda_driver_check(context);
}

static sg_status check_arguments(sg_context *context, sg_backend backend, const void *place) {
    if (!context || !place)
        return sg_fail(context, SG_ERROR_INVALID_ARGUMENT, "a context and a place for the answer are needed");
    if (backend != SG_BACKEND_CPU && backend != SG_BACKEND_CUDA)
        return sg_fail(context, SG_ERROR_INVALID_ARGUMENT, "backend %d has no devices of its own", (int)backend);
    return SG_OK;
}

sg_status sg_device_count(sg_context *context, sg_backend backend, uint32_t *count) {
    const sg_operators *operators;
    uint32_t counted;
    sg_status status;
    SG_TRY(check_arguments(context, backend, count));
    SG_TRY(find_operators(context, backend, &operators));
    SG_TRY(operators->count_devices(context, &counted));
    *count = counted;
cleanup:
    return status;
}

sg_status sg_device_get_info(sg_context *context, sg_backend backend, uint32_t index, sg_device_info *info) {
    sg_device device;
    sg_status status;
    SG_TRY(check_arguments(context, backend, info));
    if (info->struct_size < sizeof(size_t))
        SG_TRY(sg_fail(context, SG_ERROR_INVALID_ARGUMENT, "sg_device_get_info needs an info with its struct_size"));
    SG_TRY(describe(context, backend, index, &device));
    sg_struct_give(info, &device.info, sizeof device.info);
cleanup:
    return status;
}
