/* The part of the start-up self-test that is about nim-values; see self_test.c. */
#ifndef SG_CUDA_NIM_SELF_TEST_H
#define SG_CUDA_NIM_SELF_TEST_H

#include "backend.h"

/* Solves a random game; `random` decides which. SG_ERROR_BACKEND when the device computes wrong. */
sg_status sg_cuda_check_nim(sg_context *context, const sg_device *device, uint64_t random);

#endif
