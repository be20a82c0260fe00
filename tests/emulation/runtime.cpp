// The CUDA runtime API over host memory, with NVIDIA's own prototypes: here what every call does, devices and errors;
// stream.cpp, memory.cpp and launch.cpp have the calls of these subjects.
#include "state.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

// Shared memory that the system takes of each block.
static constexpr int kReservedShared = 1 << 10;

namespace emu {

// Mutations for a whole program, whose tests then must fail: EMU_SKIP_BARRIER=site and EMU_PLAIN_ATOMICS=1.
static Runtime *new_runtime() {
    const char *site = getenv("EMU_SKIP_BARRIER"), *plain = getenv("EMU_PLAIN_ATOMICS");
    settings.skipped_barrier = site ? atoi(site) : 0;
    atomics_are_plain = plain && *plain == '1';
    return new Runtime;
}

Runtime &runtime() {
    static Runtime *instance = new_runtime();
    return *instance;
}

// ---------------------------------------------------------------- calls

static cudaError_t injected_error(const char *function) {
    Fault &fault = runtime().fault;
    fault.calls++;
    if (!fault.nth || (!fault.function.empty() && fault.function != function) || --fault.nth)
        return cudaSuccess;
    fault.failed = function;
    if (fault.error)
        return static_cast<cudaError_t>(fault.error);
    return std::strstr(function, "Malloc") || std::strstr(function, "HostAlloc") ? cudaErrorMemoryAllocation
                                                                                 : cudaErrorUnknown;
}

ApiCall::ApiCall(const char *function) {
    Runtime &r = runtime();
    r.mutex.lock();
    protect(); // Thrust may have been let in
    fails = injected_error(function);
    if (fails == cudaSuccess && !r.machine.driver)
        fails = cudaErrorInsufficientDriver;
    if (fails == cudaSuccess)
        fails = r.sticky;
    remember(fails);
}

ApiCall::~ApiCall() {
    protect();
    runtime().mutex.unlock();
}

cudaError_t remember(cudaError_t error) {
    if (error != cudaSuccess)
        runtime().last = error;
    return error;
}

int current_device() {
    return runtime().current;
}

double fft_noise() {
    return runtime().noise;
}

} // namespace emu

using namespace emu;

extern "C" {

// ---------------------------------------------------------------- devices

cudaError_t cudaGetDeviceCount(int *count) {
    EMU_CALL;
    *count = runtime().machine.devices;
    return *count ? cudaSuccess : remember(cudaErrorNoDevice);
}

cudaError_t cudaSetDevice(int device) {
    EMU_CALL;
    if (device < 0 || device >= runtime().machine.devices)
        return remember(cudaErrorInvalidDevice);
    runtime().current = device;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device) {
    EMU_CALL;
    *device = runtime().current;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version) {
    EMU_CALL;
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version) {
    EMU_CALL;
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device) {
    EMU_CALL;
    const emu_machine &machine = runtime().machine;
    if (device < 0 || device >= machine.devices)
        return remember(cudaErrorInvalidDevice);
    std::memset(properties, 0, sizeof *properties);
    if (device)
        snprintf(properties->name, sizeof properties->name, "EMU (CPU fibers) %d", device);
    else
        snprintf(properties->name, sizeof properties->name, "EMU (CPU fibers)");
    properties->major = machine.major;
    properties->minor = machine.minor;
    properties->warpSize = 32;
    properties->maxThreadsPerBlock = MAX_THREADS;
    properties->multiProcessorCount = machine.multiprocessors;
    properties->sharedMemPerBlock = 48 << 10;
    properties->sharedMemPerBlockOptin = machine.shared_bytes_per_block;
    properties->totalGlobalMem = machine.memory_bytes;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device) {
    EMU_CALL;
    const emu_machine &machine = runtime().machine;
    if (device < 0 || device >= machine.devices)
        return remember(cudaErrorInvalidDevice);
    switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
        *value = machine.multiprocessors;
        break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = static_cast<int>(machine.shared_bytes_per_block);
        break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        *value = static_cast<int>(machine.shared_bytes_per_block + kReservedShared);
        break;
    case cudaDevAttrReservedSharedMemoryPerBlock:
        *value = kReservedShared;
        break;
    case cudaDevAttrComputeCapabilityMajor:
        *value = machine.major;
        break;
    case cudaDevAttrComputeCapabilityMinor:
        *value = machine.minor;
        break;
    case cudaDevAttrWarpSize:
        *value = 32;
        break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        *value = 2048;
        break;
    case cudaDevAttrClockRate: // in kHz: a CPU's
    case cudaDevAttrMemoryClockRate:
        *value = 2000000;
        break;
    case cudaDevAttrGlobalMemoryBusWidth:
        *value = 64;
        break;
    default:
        return remember(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
    EMU_CALL;
    *total = runtime().machine.memory_bytes;
    *available = *total - runtime().used[runtime().current];
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void) {
    EMU_CALL;
    run_device(runtime().current);
    return runtime().sticky;
}

// ---------------------------------------------------------------- errors

cudaError_t cudaGetLastError(void) {
    cudaError_t error = runtime().sticky ? runtime().sticky : runtime().last;
    runtime().last = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void) {
    return runtime().sticky ? runtime().sticky : runtime().last;
}

const char *cudaGetErrorName(cudaError_t error) {
    switch (error) {
#define EMU_NAME(name)                                                                                                 \
    case name:                                                                                                         \
        return #name;
        EMU_NAME(cudaSuccess)
        EMU_NAME(cudaErrorInvalidValue)
        EMU_NAME(cudaErrorMemoryAllocation)
        EMU_NAME(cudaErrorInvalidConfiguration)
        EMU_NAME(cudaErrorInvalidDevice)
        EMU_NAME(cudaErrorNotReady)
        EMU_NAME(cudaErrorLaunchFailure)
        EMU_NAME(cudaErrorInvalidDeviceFunction)
        EMU_NAME(cudaErrorInvalidResourceHandle)
        EMU_NAME(cudaErrorNoKernelImageForDevice)
        EMU_NAME(cudaErrorNoDevice)
        EMU_NAME(cudaErrorInsufficientDriver)
        EMU_NAME(cudaErrorUnknown)
#undef EMU_NAME
    default:
        return "unrecognized error code";
    }
}

const char *cudaGetErrorString(cudaError_t error) {
    return cudaGetErrorName(error);
}
}
