/* Nim-values on a device: the field in hand, and the store that is left of it. */
#ifndef SG_CUDA_NIM_FIELD_H
#define SG_CUDA_NIM_FIELD_H

#include "clock.h"
#include "nim_backend.h"
#include "nim_kernels.h"
#include "taken.h"

/* The operators; contracts in nim_backend.h. */
extern const sg_nim_operators sg_cuda_nim_operators;

/* Makes a store of finished values, which it then owns. */
sg_status sg_cuda_value_store_make(sg_context *context, int device, sg_cuda_shape shape, sg_nim_table table, uint64_t n,
                                   sg_value_store **store);

#endif
