// Kernels: what is known of them, and launches, which are checked as CUDA checks them and more.
#include "state.hpp"

#include <algorithm>
#include <climits>

namespace emu {

void register_kernel(const void *kernel, Binder binder) {
    runtime().kernels[kernel] = binder;
}

// Work after which the device is no longer usable stays an error, as in CUDA.
static void run_kernel(const Grid &grid, const std::function<void()> &body) {
    cudaError_t error = run_grid(grid, body);
    if (error != cudaSuccess)
        runtime().sticky = remember(error);
}

static cudaError_t launch(const cudaLaunchConfig_t *config, const void *kernel, void **arguments) {
    Runtime &r = runtime();
    const dim3 &blocks = config->gridDim, &threads = config->blockDim;
    auto known = r.kernels.find(kernel);
    if (known == r.kernels.end())
        return remember(cudaErrorInvalidDeviceFunction);
    auto opted = r.allowed_shared.find(kernel);
    std::size_t shared = opted == r.allowed_shared.end() ? 48 << 10 : std::max<std::size_t>(opted->second, 48 << 10);
    std::uint64_t count = static_cast<std::uint64_t>(threads.x) * threads.y * threads.z;
    if (!blocks.x || !blocks.y || !blocks.z || blocks.x > INT_MAX || blocks.y > 65535 || blocks.z > 65535 || !count ||
        count > MAX_THREADS || threads.z > 64)
        return remember(cudaErrorInvalidConfiguration);
    if (config->dynamicSmemBytes > shared)
        return remember(cudaErrorInvalidValue);
    if (!stream_of(config->stream))
        return remember(cudaErrorInvalidResourceHandle);
    if (r.machine.major < 8)
        return remember(cudaErrorNoKernelImageForDevice);
    if (r.launches_until_drop && --r.launches_until_drop == 0)
        return cudaSuccess;
    BoundKernel bound = known->second(kernel, arguments);
    for (const void *pointer : bound.pointers) {
        const Allocation *allocation = pointer ? find_device(pointer, 0) : nullptr;
        if (pointer && (!allocation || allocation->device != r.current)) {
            report("a kernel was given a pointer that is not into memory of the current device");
            return remember(cudaErrorInvalidValue);
        }
    }
    Grid grid = {blocks, threads, config->dynamicSmemBytes};
    enqueue(config->stream, [grid, body = std::move(bound.body)] { run_kernel(grid, body); });
    return r.sticky;
}

} // namespace emu

using namespace emu;

extern "C" {

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel, void **arguments) {
    EMU_CALL;
    return launch(config, kernel, arguments);
}

cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value) {
    EMU_CALL;
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize)
        return cudaSuccess;
    if (value < 0 || static_cast<std::size_t>(value) > runtime().machine.shared_bytes_per_block)
        return remember(cudaErrorInvalidValue);
    runtime().allowed_shared[kernel] = static_cast<std::size_t>(value);
    return cudaSuccess;
}
}
