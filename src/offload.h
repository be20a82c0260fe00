/* Where a solve runs: the device of a request, and whether backend auto moves a solve from the CPU to a device. */
#ifndef SG_OFFLOAD_H
#define SG_OFFLOAD_H

#include "plan.h"

/* Fills in request->device and request->device_limit_bytes: the device's free memory, or the limit that was asked for
 * when that is less. */
sg_status sg_request_take_device(sg_request *request, sg_backend backend, uint32_t index);

/* For backend auto, given the CPU's request and plan: when a device would serve and the game is large enough for one,
 * both become the device's. Otherwise they stay, and `reason` (of `size` bytes) says why when a CUDA module is there
 * that cannot be used; it stays empty when there was nothing to gain. */
void sg_offload(sg_request *request, sg_plan *plan, uint32_t index, char *reason, size_t size);

#endif
