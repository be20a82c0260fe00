/* The one file that knows which backends were built. */
#include "backend.h"
#include "cpu/backend.h"

sg_status sg_backend_find(sg_context *context, sg_backend backend, const sg_operators **operators) {
    switch (backend) {
    case SG_BACKEND_AUTO:
    case SG_BACKEND_CPU:
        *operators = sg_cpu_operators();
        return SG_OK;
    case SG_BACKEND_CUDA:
        return sg_fail(context, SG_ERROR_BACKEND, "backend 'cuda' is not part of this build");
    }
    return sg_fail(context, SG_ERROR_INVALID_ARGUMENT, "there is no backend number %d", (int)backend);
}
