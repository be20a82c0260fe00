// What the parts of the runtime share: runtime.cpp (calls, devices, errors), stream.cpp (streams and events),
// memory.cpp (memory and copies), launch.cpp (kernels) and control.cpp (what tests direct). The rest sees runtime.hpp
// only.
#ifndef EMU_STATE_HPP
#define EMU_STATE_HPP

#include "runtime.hpp"

#include <deque>
#include <map>
#include <mutex>
#include <set>

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
Runtime &runtime(); // never destroyed: programs may free at exit

// ---------------------------------------------------------------- stream.cpp

// The stream behind a handle; nullptr: not of the current device, or gone.
CUstream_st *stream_of(cudaStream_t stream);
// All work of a device, or of all of them, is done.
void run_device(int device);
void run_everything();
// Drops all streams and events, and the work in them.
void drop_streams();

// ---------------------------------------------------------------- memory.cpp

// Whether host code can reach device memory.
void set_accessible(bool accessible);
// Takes device memory out of the reach of host code again, most of the time.
void protect();
// The allocation that holds all of the bytes; nullptr: none.
const Allocation *find_device(const void *address, std::size_t bytes);
// Frees all device and pinned memory; no work is left that uses it.
void drop_memory();

} // namespace emu

// How a call begins that has no effect when it fails.
#define EMU_CALL                                                                                                       \
    ApiCall call(__func__);                                                                                            \
    if (call.fails != cudaSuccess)                                                                                     \
    return call.fails

#endif
