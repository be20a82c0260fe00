// The CUDA runtime API over host memory, with NVIDIA's own prototypes.
//
// A stream is a queue of closures that run when something forces them, so that a missing synchronisation shows as stale
// data; the closures of one stream run in order, those of different streams in any order that events allow. Device
// memory is host memory that nobody may touch except while queued work runs: outside it is protected, and it ends at a
// page that never exists.
#include "runtime.hpp"

#include "sanitizers.hpp"

#include <algorithm>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include <sys/mman.h>

struct CUevent_st {
    int device;
    std::uint64_t recorded = 0, passed = 0; // how often
    CUstream_st *stream = nullptr;          // of the last record
    unsigned asked = 0;                     // since then
    double seconds = 0;
};

struct Work {
    std::function<void()> run;
    CUevent_st *event = nullptr; // to wait for, until it has passed this often
    std::uint64_t times = 0;
};

struct CUstream_st {
    int device;
    std::deque<Work> queue;
};

namespace emu {

namespace {

constexpr std::size_t PAGE_BYTES = 4096;
constexpr int MAX_DEVICES = 4;

struct Allocation {
    std::size_t bytes;
    char *mapping;
    std::size_t mapping_bytes; // without the two guard pages
    int device;
};

struct Fault {
    std::uint64_t nth = 0; // calls until it happens; 0: off
    int error = 0;
    std::string function; // "": any
    std::uint64_t calls = 0;
    const char *failed = nullptr;
};

struct Runtime {
    std::recursive_mutex mutex;
    emu_machine machine = emu_default_machine();
    emu_progress progress = EMU_LAZY;
    int current = 0;
    std::map<char *, Allocation> device_memory;
    std::map<char *, std::size_t> pinned_memory;
    std::set<CUstream_st *> streams; // without the null streams
    std::set<CUevent_st *> events;
    CUstream_st null_stream[MAX_DEVICES] = {{0, {}}, {1, {}}, {2, {}}, {3, {}}};
    std::map<const void *, Binder> kernels;
    std::map<const void *, std::size_t> allowed_shared; // of kernels that opted in
    std::size_t used[MAX_DEVICES] = {};
    bool accessible = false; // device memory, to host code
    std::uint64_t protections = 0;
    cudaError_t last = cudaSuccess, sticky = cudaSuccess;
    Fault fault;
    std::uint64_t launches_until_drop = 0;
    double noise = 0;
};

// Mutations for a whole program, whose tests then must fail: EMU_SKIP_BARRIER=site and EMU_PLAIN_ATOMICS=1.
Runtime *new_runtime() {
    const char *site = getenv("EMU_SKIP_BARRIER"), *plain = getenv("EMU_PLAIN_ATOMICS");
    settings.skipped_barrier = site ? atoi(site) : 0;
    atomics_are_plain = plain && *plain == '1';
    return new Runtime;
}

Runtime &runtime() {
    static Runtime *instance = new_runtime(); // never destroyed: programs may free at exit
    return *instance;
}

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// ---------------------------------------------------------------- who may touch device memory

void set_accessible(bool accessible) {
    Runtime &r = runtime();
    if (r.accessible == accessible)
        return;
    for (auto &[first, allocation] : r.device_memory)
        mprotect(allocation.mapping, allocation.mapping_bytes, accessible ? PROT_READ | PROT_WRITE : PROT_NONE);
    r.accessible = accessible;
}

// Takes device memory out of the reach of host code again. That costs a system call for each allocation, which would be
// most of the time of a long test: after the first ALWAYS_PROTECTED times since emu_reset it is done once in
// PROTECTED_SELDOM calls. Code that touches what it may not does so again and again, and in its first calls as well.
constexpr std::uint64_t ALWAYS_PROTECTED = 200, PROTECTED_SELDOM = 512;

void protect() {
    Runtime &r = runtime();
    if (r.accessible && (++r.protections < ALWAYS_PROTECTED || r.protections % PROTECTED_SELDOM == 0))
        set_accessible(false);
}

#ifndef EMU_ASAN // which reports such accesses itself
// Says who touched what, then dies as without it.
void on_bad_access(int signal, siginfo_t *info, void *) {
    char text[200];
    const char *address = static_cast<const char *>(info->si_addr);
    for (const auto &[first, allocation] : runtime().device_memory) {
        const char *begin = allocation.mapping - PAGE_BYTES;
        if (address < begin || address >= begin + allocation.mapping_bytes + 2 * PAGE_BYTES)
            continue;
        int length = in_kernel() ? snprintf(text, sizeof text,
                                            "emulation: a kernel touched byte %td of an allocation of %zu bytes\n",
                                            address - first, allocation.bytes)
                                 : snprintf(text, sizeof text, "emulation: host code touched device memory\n");
        fwrite(text, 1, static_cast<std::size_t>(length), stderr);
    }
    std::signal(signal, SIG_DFL);
}

struct Watch {
    Watch() {
        struct sigaction action = {};
        action.sa_sigaction = on_bad_access;
        action.sa_flags = SA_SIGINFO;
        sigaction(SIGSEGV, &action, nullptr);
    }
} watch;
#endif

std::size_t size_of(const Allocation &allocation) {
    return allocation.bytes;
}
std::size_t size_of(std::size_t bytes) {
    return bytes;
}

// Of the blocks by their first byte, the one that holds all of the bytes; nullptr: none.
template <class Block>
const Block *find_block(const std::map<char *, Block> &blocks, const void *address, std::size_t bytes) {
    char *first = const_cast<char *>(static_cast<const char *>(address));
    auto at = blocks.upper_bound(first);
    if (at == blocks.begin())
        return nullptr;
    --at;
    return first + bytes <= at->first + size_of(at->second) ? &at->second : nullptr;
}

const Allocation *find_device(const void *address, std::size_t bytes) {
    return find_block(runtime().device_memory, address, bytes);
}

bool is_pinned(const void *address, std::size_t bytes) {
    return find_block(runtime().pinned_memory, address, bytes) != nullptr;
}

// ---------------------------------------------------------------- streams

CUstream_st *stream_of(cudaStream_t stream) { // nullptr: not of the current device, or gone
    Runtime &r = runtime();
    if (!stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread)
        return &r.null_stream[r.current];
    return r.streams.count(stream) && stream->device == r.current ? stream : nullptr;
}

void run_first(CUstream_st *stream);

void run_all(CUstream_st *stream) {
    while (!stream->queue.empty())
        run_first(stream);
}

void run_first(CUstream_st *stream) {
    Work work = std::move(stream->queue.front());
    stream->queue.pop_front();
    while (work.event && work.event->passed < work.times && work.event->stream && !work.event->stream->queue.empty())
        run_first(work.event->stream);
    if (!work.run || runtime().sticky != cudaSuccess)
        return;
    set_accessible(true);
    work.run();
}

void run_device(int device) {
    Runtime &r = runtime();
    run_all(&r.null_stream[device]);
    for (CUstream_st *stream : r.streams)
        if (stream->device == device)
            run_all(stream);
}

void run_everything() {
    for (int device = 0; device < MAX_DEVICES; device++)
        run_device(device);
}

// Until what was recorded last has passed, or the stream is at its end.
void run_until_passed(CUevent_st *event) {
    while (event->passed < event->recorded && event->stream && !event->stream->queue.empty())
        run_first(event->stream);
}

// Between two calls streams may get on by themselves.
void get_on() {
    Runtime &r = runtime();
    for (CUstream_st *stream : r.streams)
        while (!stream->queue.empty() && random_below(3) == 0)
            run_first(stream);
}

bool push(cudaStream_t handle, Work work) {
    Runtime &r = runtime();
    CUstream_st *stream = stream_of(handle);
    if (!stream)
        return false;
    stream->queue.push_back(std::move(work));
    if (r.progress == EMU_EAGER)
        run_all(stream);
    else if (r.progress == EMU_RANDOM)
        get_on();
    return true;
}

} // namespace

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

bool enqueue(cudaStream_t stream, std::function<void()> work) {
    return push(stream, {std::move(work)});
}

void drain(cudaStream_t stream) {
    if (CUstream_st *queue = stream_of(stream))
        run_all(queue);
}

bool is_device_memory(const void *first, std::size_t bytes) {
    return find_device(first, bytes) != nullptr;
}

int current_device() {
    return runtime().current;
}

double fft_noise() {
    return runtime().noise;
}

void enter_thrust(cudaStream_t stream) {
    drain(stream);
    set_accessible(true);
}

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
    push(config->stream, {[grid, body = std::move(bound.body)] { run_kernel(grid, body); }});
    return r.sticky;
}

static cudaError_t copy(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream,
                        bool wait) {
    bool to_device = is_device_memory(to, bytes), from_device = is_device_memory(from, bytes);
    if (kind == cudaMemcpyDefault)
        kind = static_cast<cudaMemcpyKind>((from_device ? 2 : 0) + (to_device ? 1 : 0));
    if (kind < 0 || kind > 3 || to_device != ((kind & 1) != 0) || from_device != ((kind & 2) != 0)) {
        report("a copy whose pointers are on the wrong side, or past the end of their allocation");
        return remember(cudaErrorInvalidValue);
    }
    if (!stream_of(stream))
        return remember(cudaErrorInvalidResourceHandle);
    bool host_is_pinned = is_pinned(to_device ? from : to, bytes);
    if (!wait && kind == cudaMemcpyHostToDevice && !host_is_pinned) { // pageable memory is read before the call returns
        auto staged = std::make_shared<std::string>(static_cast<const char *>(from), bytes);
        push(stream, {[=] { std::memcpy(to, staged->data(), bytes); }});
        return runtime().sticky;
    }
    push(stream, {[=] { std::memmove(to, from, bytes); }});
    if (wait || (kind == cudaMemcpyDeviceToHost && !host_is_pinned))
        drain(stream);
    return runtime().sticky;
}

static cudaError_t allocate(void **place, std::size_t bytes) {
    Runtime &r = runtime();
    *place = nullptr;
    if (!bytes)
        return cudaSuccess;
    if (bytes > r.machine.memory_bytes - r.used[r.current])
        return remember(cudaErrorMemoryAllocation);
    // CUDA aligns to 256 bytes. The end of the allocation, so rounded, touches the guard page behind it.
    std::size_t rounded = (bytes + 255) / 256 * 256, pages = (rounded + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    void *mapped = mmap(nullptr, pages + 2 * PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED)
        return remember(cudaErrorMemoryAllocation);
    char *mapping = static_cast<char *>(mapped) + PAGE_BYTES, *first = mapping + (pages - rounded);
    mprotect(mapping, pages, PROT_READ | PROT_WRITE);
    std::memset(mapping, 0xcd, pages); // so that memory that was never written shows
    forbid_access(mapping, static_cast<unsigned long>(first - mapping));
    forbid_access(first + bytes, rounded - bytes);
    mprotect(mapping, pages, r.accessible ? PROT_READ | PROT_WRITE : PROT_NONE);
    r.device_memory[first] = {bytes, mapping, pages, r.current};
    r.used[r.current] += bytes;
    *place = first;
    return cudaSuccess;
}

static cudaError_t release(void *address) {
    Runtime &r = runtime();
    auto at = r.device_memory.find(static_cast<char *>(address));
    if (at == r.device_memory.end())
        return remember(cudaErrorInvalidValue);
    run_everything(); // cudaFree waits
    Allocation allocation = at->second;
    allow_access(allocation.mapping, allocation.mapping_bytes);
    munmap(allocation.mapping - PAGE_BYTES, allocation.mapping_bytes + 2 * PAGE_BYTES);
    r.used[allocation.device] -= allocation.bytes;
    r.device_memory.erase(at);
    return cudaSuccess;
}

} // namespace emu

using namespace emu;

#define API                                                                                                            \
    ApiCall call(__func__);                                                                                            \
    if (call.fails != cudaSuccess)                                                                                     \
    return call.fails

extern "C" {

// ---------------------------------------------------------------- devices

cudaError_t cudaGetDeviceCount(int *count) {
    API;
    *count = runtime().machine.devices;
    return *count ? cudaSuccess : remember(cudaErrorNoDevice);
}

cudaError_t cudaSetDevice(int device) {
    API;
    if (device < 0 || device >= runtime().machine.devices)
        return remember(cudaErrorInvalidDevice);
    runtime().current = device;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device) {
    API;
    *device = runtime().current;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version) {
    API;
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version) {
    API;
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device) {
    API;
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
    API;
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
    API;
    *total = runtime().machine.memory_bytes;
    *available = *total - runtime().used[runtime().current];
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void) {
    API;
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

// ---------------------------------------------------------------- memory

cudaError_t cudaMalloc(void **place, size_t bytes) {
    API;
    return allocate(place, bytes);
}

cudaError_t cudaFree(void *address) {
    ApiCall call(__func__);
    cudaError_t error = address ? release(address) : cudaSuccess;
    return call.fails != cudaSuccess ? call.fails : error != cudaSuccess ? error : runtime().sticky;
}

static cudaError_t allocate_pinned(void **place, size_t bytes) {
    *place = std::malloc(bytes ? bytes : 1);
    if (!*place)
        return remember(cudaErrorMemoryAllocation);
    std::memset(*place, 0xcd, bytes);
    runtime().pinned_memory[static_cast<char *>(*place)] = bytes;
    return cudaSuccess;
}

cudaError_t cudaMallocHost(void **place, size_t bytes) {
    API;
    return allocate_pinned(place, bytes);
}

cudaError_t cudaHostAlloc(void **place, size_t bytes, unsigned) {
    API;
    return allocate_pinned(place, bytes);
}

cudaError_t cudaFreeHost(void *address) {
    ApiCall call(__func__);
    if (!address)
        return call.fails;
    if (!runtime().pinned_memory.erase(static_cast<char *>(address)))
        return remember(cudaErrorInvalidValue);
    run_everything();
    std::free(address);
    return call.fails;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
    API;
    return copy(to, from, bytes, kind, nullptr, true);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    API;
    return copy(to, from, bytes, kind, stream, false);
}

cudaError_t cudaMemset(void *address, int value, size_t bytes) {
    API;
    if (!is_device_memory(address, bytes))
        return remember(cudaErrorInvalidValue);
    push(nullptr, {[=] { std::memset(address, value, bytes); }}); // CUDA does not wait either
    return runtime().sticky;
}

cudaError_t cudaMemsetAsync(void *address, int value, size_t bytes, cudaStream_t stream) {
    API;
    if (!is_device_memory(address, bytes))
        return remember(cudaErrorInvalidValue);
    if (!push(stream, {[=] { std::memset(address, value, bytes); }}))
        return remember(cudaErrorInvalidResourceHandle);
    return runtime().sticky;
}

// ---------------------------------------------------------------- streams and events

static cudaError_t create_stream(cudaStream_t *stream) {
    *stream = new CUstream_st{runtime().current, {}};
    runtime().streams.insert(*stream);
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned) {
    API;
    return create_stream(stream);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
    API;
    return create_stream(stream);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    ApiCall call(__func__);
    if (!runtime().streams.count(stream))
        return remember(cudaErrorInvalidResourceHandle);
    run_all(stream);
    for (CUevent_st *event : runtime().events)
        if (event->stream == stream)
            event->stream = nullptr;
    runtime().streams.erase(stream);
    delete stream;
    return call.fails;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    API;
    if (!stream_of(stream))
        return remember(cudaErrorInvalidResourceHandle);
    drain(stream);
    return runtime().sticky;
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
    API;
    CUstream_st *queue = stream_of(stream);
    if (!queue)
        return remember(cudaErrorInvalidResourceHandle);
    if (queue->queue.empty())
        return runtime().sticky;
    run_first(queue); // so that a loop that asks comes to an end
    return cudaErrorNotReady;
}

static cudaError_t create_event(cudaEvent_t *event) {
    *event = new CUevent_st{runtime().current};
    runtime().events.insert(*event);
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned) {
    API;
    return create_event(event);
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
    API;
    return create_event(event);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    ApiCall call(__func__);
    if (!runtime().events.count(event))
        return remember(cudaErrorInvalidResourceHandle);
    run_everything(); // queued work may still record it or wait for it
    runtime().events.erase(event);
    delete event;
    return call.fails;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    API;
    CUstream_st *queue = stream_of(stream);
    if (!queue || !runtime().events.count(event) || event->device != runtime().current)
        return remember(cudaErrorInvalidResourceHandle);
    if (event->stream != queue)
        run_until_passed(event); // so that `passed` only grows
    std::uint64_t times = ++event->recorded;
    event->stream = queue;
    event->asked = 0;
    push(stream, {[=] {
             event->passed = times;
             event->seconds = now();
         }});
    return runtime().sticky;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    API;
    if (!runtime().events.count(event))
        return remember(cudaErrorInvalidResourceHandle);
    run_until_passed(event);
    return runtime().sticky;
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    API;
    if (!runtime().events.count(event))
        return remember(cudaErrorInvalidResourceHandle);
    if (event->passed == event->recorded)
        return runtime().sticky;
    if (++event->asked > 2 && event->stream && !event->stream->queue.empty())
        run_first(event->stream); // so that a loop that asks comes to an end
    return cudaErrorNotReady;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin, cudaEvent_t end) {
    API;
    if (!runtime().events.count(begin) || !runtime().events.count(end) || !begin->recorded || !end->recorded)
        return remember(cudaErrorInvalidResourceHandle);
    if (begin->passed < begin->recorded || end->passed < end->recorded)
        return cudaErrorNotReady;
    *milliseconds = static_cast<float>((end->seconds - begin->seconds) * 1e3);
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    API;
    if (!runtime().events.count(event) || !push(stream, {nullptr, event, event->recorded}))
        return remember(cudaErrorInvalidResourceHandle);
    return runtime().sticky;
}

// ---------------------------------------------------------------- kernels

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel, void **arguments) {
    API;
    return launch(config, kernel, arguments);
}

cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value) {
    API;
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize)
        return cudaSuccess;
    if (value < 0 || static_cast<std::size_t>(value) > runtime().machine.shared_bytes_per_block)
        return remember(cudaErrorInvalidValue);
    runtime().allowed_shared[kernel] = static_cast<std::size_t>(value);
    return cudaSuccess;
}

// ---------------------------------------------------------------- control

void emu_reset(void) {
    Runtime &r = runtime();
    std::lock_guard<std::recursive_mutex> guard(r.mutex);
    for (CUstream_st &stream : r.null_stream)
        stream.queue.clear();
    for (CUstream_st *stream : r.streams)
        delete stream;
    r.streams.clear();
    for (CUevent_st *event : r.events)
        delete event;
    r.events.clear();
    while (!r.device_memory.empty())
        release(r.device_memory.begin()->first);
    for (auto &[first, bytes] : r.pinned_memory)
        std::free(first);
    r.pinned_memory.clear();
    drop_plans();
    r.machine = emu_default_machine();
    r.progress = EMU_LAZY;
    r.current = 0;
    r.last = r.sticky = cudaSuccess;
    r.fault = {};
    r.launches_until_drop = 0;
    r.noise = 0;
    r.protections = 0;
    r.allowed_shared.clear();
    settings = {};
    atomics_are_plain = false;
    random_state = 1;
    forget_barrier_sites();
    forget_report();
}

void emu_seed(uint64_t seed) {
    random_state = seed * 0x9E3779B97F4A7C15u + 1;
}

void emu_order(emu_thread_order order) {
    settings.order = order;
}

void emu_async(emu_progress progress) {
    runtime().progress = progress;
}

void emu_strict(bool strict) {
    settings.strict = strict;
}

emu_machine emu_default_machine(void) {
    emu_machine machine = {true, 1, std::size_t{1} << 30, 9, 0, 227 << 10, 4};
    return machine;
}

void emu_set_machine(const emu_machine *machine) {
    runtime().machine = *machine;
    runtime().machine.devices = std::clamp(machine->devices, 0, MAX_DEVICES);
}

void emu_fail_call(uint64_t nth, int error) {
    emu_fail_function("", nth, error);
}

void emu_fail_function(const char *name, uint64_t nth, int error) {
    runtime().fault = {nth, error, name, 0, nullptr};
}

uint64_t emu_calls(void) {
    return runtime().fault.calls;
}

const char *emu_failed_call(void) {
    return runtime().fault.failed;
}

void emu_drop_launch(uint64_t nth) {
    runtime().launches_until_drop = nth;
}

void emu_noise(double amplitude) {
    runtime().noise = amplitude;
}

void emu_skip_barrier(int site) {
    settings.skipped_barrier = site;
}

int emu_barrier_sites(void) {
    return barrier_site_count();
}

const char *emu_barrier_site(int site) {
    return barrier_site_text(site);
}

void emu_plain_atomics(bool plain) {
    atomics_are_plain = plain;
}

void emu_live(emu_resources *live) {
    const Runtime &r = runtime();
    *live = {0, 0, r.streams.size(), r.events.size(), live_plans};
    for (std::size_t used : r.used)
        live->device_bytes += used;
    for (const auto &[first, bytes] : r.pinned_memory)
        live->pinned_bytes += bytes;
}

const char *emu_last_report(void) {
    return last_report().c_str();
}

bool emu_is_device(const void *first, size_t bytes) {
    return is_device_memory(first, bytes);
}
}
