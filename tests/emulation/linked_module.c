/* In place of src/cuda_module.c: the CUDA backend is linked in, built for the emulation, and needs no driver. */
#include "cuda_module.h"

const sg_operators *sg_cuda_operators(const char *interface);

bool sg_cuda_module_exists(void) {
    return true;
}

sg_status sg_cuda_driver_check(sg_context *context) {
    (void)context;
    return SG_OK;
}

sg_status sg_cuda_module_open(sg_context *context, const sg_operators **operators) {
    (void)context;
    *operators = sg_cuda_operators(SG_CUDA_INTERFACE);
    return SG_OK;
}
