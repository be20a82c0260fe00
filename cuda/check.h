/* Every CUDA and cuFFT call becomes a status whose text names the call and where it stands. */
#ifndef SG_CUDA_CHECK_H
#define SG_CUDA_CHECK_H

#include "status.h"

#include <cuda_runtime_api.h>
#include <cufft.h>

sg_status sg_cuda_status(sg_context *context, cudaError_t error, const char *call, const char *file, int line);
sg_status sg_cufft_status(sg_context *context, cufftResult result, const char *call, const char *file, int line);

#define SG_CUDA(context, call)  sg_cuda_status((context), (call), #call, __FILE__, __LINE__)
#define SG_CUFFT(context, call) sg_cufft_status((context), (call), #call, __FILE__, __LINE__)

#endif
