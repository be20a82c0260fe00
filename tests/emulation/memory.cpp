// Memory and copies.
//
// Device memory is host memory that nobody may touch except while queued work runs: outside it is protected, and it
// ends at a page that never exists.
#include "state.hpp"

#include "sanitizers.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <sys/mman.h>

namespace emu {

constexpr std::size_t PAGE_BYTES = 4096;

// ---------------------------------------------------------------- who may touch device memory

void set_accessible(bool accessible) {
    Runtime &r = runtime();
    if (r.accessible == accessible)
        return;
    for (auto &[first, allocation] : r.device_memory)
        mprotect(allocation.mapping, allocation.mapping_bytes, accessible ? PROT_READ | PROT_WRITE : PROT_NONE);
    r.accessible = accessible;
}

// Protecting costs a system call for each allocation, which would be most of the time of a long test: after the first
// ALWAYS_PROTECTED times since emu_reset it is done once in PROTECTED_SELDOM calls. Code that touches what it may not
// does so again and again, and in its first calls as well.
constexpr std::uint64_t ALWAYS_PROTECTED = 200, PROTECTED_SELDOM = 512;

void protect() {
    Runtime &r = runtime();
    if (r.accessible && (++r.protections < ALWAYS_PROTECTED || r.protections % PROTECTED_SELDOM == 0))
        set_accessible(false);
}

void enter_thrust(cudaStream_t stream) {
    drain(stream);
    set_accessible(true);
}

#ifndef EMU_ASAN // which reports such accesses itself
namespace {

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

} // namespace
#endif

// ---------------------------------------------------------------- what lies where

namespace {

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

bool is_pinned(const void *address, std::size_t bytes) {
    return find_block(runtime().pinned_memory, address, bytes) != nullptr;
}

} // namespace

const Allocation *find_device(const void *address, std::size_t bytes) {
    return find_block(runtime().device_memory, address, bytes);
}

bool is_device_memory(const void *first, std::size_t bytes) {
    return find_device(first, bytes) != nullptr;
}

// ---------------------------------------------------------------- allocating

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

void drop_memory() {
    Runtime &r = runtime();
    while (!r.device_memory.empty())
        release(r.device_memory.begin()->first);
    for (auto &[first, bytes] : r.pinned_memory)
        std::free(first);
    r.pinned_memory.clear();
}

// ---------------------------------------------------------------- copying

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
        enqueue(stream, [=] { std::memcpy(to, staged->data(), bytes); });
        return runtime().sticky;
    }
    enqueue(stream, [=] { std::memmove(to, from, bytes); });
    if (wait || (kind == cudaMemcpyDeviceToHost && !host_is_pinned))
        drain(stream);
    return runtime().sticky;
}

} // namespace emu

using namespace emu;

extern "C" {

cudaError_t cudaMalloc(void **place, size_t bytes) {
    EMU_CALL;
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
    EMU_CALL;
    return allocate_pinned(place, bytes);
}

cudaError_t cudaHostAlloc(void **place, size_t bytes, unsigned) {
    EMU_CALL;
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
    EMU_CALL;
    return copy(to, from, bytes, kind, nullptr, true);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    EMU_CALL;
    return copy(to, from, bytes, kind, stream, false);
}

cudaError_t cudaMemset(void *address, int value, size_t bytes) {
    EMU_CALL;
    if (!is_device_memory(address, bytes))
        return remember(cudaErrorInvalidValue);
    enqueue(nullptr, [=] { std::memset(address, value, bytes); }); // CUDA does not wait either
    return runtime().sticky;
}

cudaError_t cudaMemsetAsync(void *address, int value, size_t bytes, cudaStream_t stream) {
    EMU_CALL;
    if (!is_device_memory(address, bytes))
        return remember(cudaErrorInvalidValue);
    if (!enqueue(stream, [=] { std::memset(address, value, bytes); }))
        return remember(cudaErrorInvalidResourceHandle);
    return runtime().sticky;
}
}
