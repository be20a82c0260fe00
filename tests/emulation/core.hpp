// Between the parts of the emulation: random choices, reports, and the execution of a grid.
#ifndef EMU_CORE_HPP
#define EMU_CORE_HPP

#include "device_code.h"
#include "emulation.h"

#include <cstdarg>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>

namespace emu {

// ---------------------------------------------------------------- settings (see emulation.h)

struct Settings {
    emu_thread_order order = EMU_SHUFFLED;
    bool strict = true;
    int skipped_barrier = 0;
};
extern Settings settings;

// ---------------------------------------------------------------- random choices

// A 64-bit linear congruential generator; its high half is good enough to shuffle with, and costs a nanosecond.
extern std::uint64_t random_state;
inline std::uint32_t random_bits() {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(random_state >> 32);
}
inline std::uint64_t random_below(std::uint64_t end) { // end below 2^32
    return random_bits() * end >> 32;
}

// ---------------------------------------------------------------- reports

// Writes a report to stderr and keeps it for emu_last_report.
void report(const std::string &text);
const std::string &last_report();
void forget_report();
std::string format(const char *text, ...) __attribute__((format(printf, 1, 2)));

// ---------------------------------------------------------------- barrier sites

inline bool same_place(const Site &a, const Site &b) { // the file's name is most often one string
    return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}

void forget_barrier_sites();
int barrier_site_number(Site site); // registers the site when it is new
int barrier_site_count();
const char *barrier_site_text(int number);
bool is_skipped(Site site);

// ---------------------------------------------------------------- grids (core.cpp)

struct Grid {
    dim3 blocks, threads;
    std::size_t shared_bytes;
};
// Executes the kernel for all threads of the grid, on the calling host thread.
cudaError_t run_grid(const Grid &grid, const std::function<void()> &kernel);
// Whether a kernel runs now, and in words which of its threads.
bool in_kernel();
std::string current_thread_text();

// ---------------------------------------------------------------- warps (warp.cpp)

// Lanes as bits of a word; threads of a block as a number, 32 to a warp.
enum { MAX_THREADS = 1024, MAX_WARPS = MAX_THREADS / 32 };

void begin_warps(unsigned warps);
// A lane has left the kernel: a collective that waits for it fails, or may now be complete.
void lane_exited(unsigned warp);

// What warp.cpp needs of the scheduler.
unsigned running_thread();
std::uint32_t exited_lanes(unsigned warp);
void make_ready(unsigned warp, std::uint32_t lanes);
void wait_at(Site site); // returns when the running thread has been made ready and is chosen
char *warp_order_point(unsigned warp, unsigned sequence);

} // namespace emu

#endif
