// Executes a grid: the blocks one after another, the threads of a block as fibers.
//
// A thread runs until it waits at a barrier or a warp collective, ends, or comes to an atomic and the generator says
// so. Then one of the ready threads goes on, which in shuffled order is most often a lane of the same warp and
// sometimes of another: orders of lanes vary, and so do the distances by which warps run ahead of each other. Ready
// threads are bits of words, one word a warp, and a choice is a rotation and a count of trailing zeros.
//
// A thread gets a fiber when it first runs, and one that ends hands its fiber to the next, so that a kernel without
// barriers needs one fiber and no switch. Under ThreadSanitizer each thread has its own fiber from the start: two
// accesses race unless a barrier, a collective or an atomic orders them, whatever order they ran in here. For this file
// and all others of the emulation ThreadSanitizer is off.
#include "core.hpp"

#include "block.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace emu {

Settings settings;
std::uint64_t random_state = 1;
std::int64_t atomics_until_switch = 0;
bool atomics_are_plain = false;
Block block;

namespace {

constexpr Site no_site = {"", 0};

struct Execution {
    const std::function<void()> *kernel = nullptr;
    Fiber host;
    std::vector<Fiber *> fibers, idle;
    unsigned fiber_rotation = 0;
    cudaError_t error = cudaSuccess;
    bool running = false;
};
Execution execution;

// The barrier that threads of the block wait at.
struct WaitingBarrier {
    unsigned arrived;
    Barrier kind;
    Site site;
    unsigned sum; // of what the threads said, in the way of the kind
    int result;
    unsigned phase;
} barrier;

void complete_barrier();

// ---------------------------------------------------------------- choosing who runs

inline unsigned first_bit_from(std::uint32_t bits, unsigned start) { // in a circle; bits is not 0
    std::uint32_t rotated = bits >> (start & 31) | bits << (-start & 31);
    return (start + static_cast<unsigned>(__builtin_ctz(rotated))) & 31;
}

inline unsigned last_bit(std::uint32_t bits) {
    return 31u - static_cast<unsigned>(__builtin_clz(bits));
}

// Takes a thread out of the ready ones; there is one.
inline unsigned take_ready_thread() {
    unsigned warp, lane;
    if (settings.order == EMU_SHUFFLED) {
        std::uint32_t random = random_bits();
        warp = block.running >> 5;
        if (!block.ready[warp] || (random & 0x7000) == 0)
            warp = first_bit_from(block.ready_warps, random & 31);
        lane = first_bit_from(block.ready[warp], random >> 5 & 31);
    } else if (settings.order == EMU_FORWARD) {
        warp = static_cast<unsigned>(__builtin_ctz(block.ready_warps));
        lane = static_cast<unsigned>(__builtin_ctz(block.ready[warp]));
    } else {
        warp = last_bit(block.ready_warps);
        lane = last_bit(block.ready[warp]);
    }
    block.ready[warp] &= ~(1u << lane);
    if (!block.ready[warp])
        block.ready_warps &= ~(1u << warp);
    return warp * 32 + lane;
}

Fiber *fiber_for(unsigned thread);
void fiber_main();

[[noreturn]] void report_deadlock() {
    unsigned waiting = 0;
    for (unsigned thread = 0; thread < block.threads; thread++)
        if (!(block.exited[thread >> 5] >> (thread & 31) & 1)) {
            waiting++;
            block.running = thread;
        }
    Site site = block.waits_at[block.running];
    fail_kernel(cudaErrorLaunchFailure, "deadlock: %u threads wait for ever, one of them at %s:%d", waiting, site.file,
                site.line);
}

// Another ready thread goes on, or the host when the block is done. Returns when the caller's thread is chosen again;
// with fiber_is_free, when its fiber is wanted for a new thread.
inline void run_another(bool fiber_is_free) {
    if (!block.ready_warps) {
        if (block.alive)
            report_deadlock();
        if (fiber_is_free && !exact_fibers)
            execution.idle.push_back(running_fiber);
        switch_to_fiber(&execution.host);
        return;
    }
    unsigned thread = take_ready_thread();
    Fiber *fiber = block.fiber[thread];
    if (!fiber) {
        if (fiber_is_free && !exact_fibers) {
            fiber = running_fiber;
            fiber_is_free = false;
        } else {
            fiber = fiber_for(thread);
        }
        block.fiber[thread] = fiber;
    }
    if (fiber_is_free && !exact_fibers)
        execution.idle.push_back(running_fiber);
    block.running = thread;
    threadIdx = block.index[thread];
    switch_to_fiber(fiber);
}

Fiber *fiber_for(unsigned thread) {
    if (exact_fibers)
        return execution.fibers[(thread + execution.fiber_rotation) % execution.fibers.size()];
    if (execution.idle.empty()) {
        execution.fibers.push_back(new_fiber(fiber_main));
        return execution.fibers.back();
    }
    Fiber *fiber = execution.idle.back();
    execution.idle.pop_back();
    return fiber;
}

void thread_exit() {
    unsigned warp = block.running >> 5;
    order_release(block.order_points);
    block.alive--;
    block.exited[warp] |= 1u << (block.running & 31);
    if (barrier.arrived && settings.strict)
        fail_kernel(cudaErrorLaunchFailure, "a thread exits while %u threads wait at the barrier %s:%d",
                    barrier.arrived, barrier.site.file, barrier.site.line);
    if (barrier.arrived && barrier.arrived == block.alive)
        complete_barrier();
    if (block.waiting_groups)
        lane_exited(warp);
}

void fiber_main() {
    fiber_entered();
    for (;;) {
        order_acquire(&execution.kernel);
        (*execution.kernel)();
        thread_exit();
        run_another(true);
    }
}

void drop_fibers() {
    for (Fiber *fiber : execution.fibers)
        delete_fiber(fiber);
    execution.fibers.clear();
    execution.idle.clear();
}

struct AtExit {
    ~AtExit() {
        drop_fibers();
    }
} at_exit;

} // namespace

// ---------------------------------------------------------------- what kernels and warp.cpp call

unsigned running_thread() {
    return block.running;
}

std::uint32_t exited_lanes(unsigned warp) {
    return block.exited[warp];
}

void make_ready(unsigned warp, std::uint32_t lanes) {
    block.ready[warp] |= lanes;
    block.ready_warps |= 1u << warp;
}

void wait_at(Site site) {
    block.waits_at[block.running] = site;
    run_another(false);
}

char *warp_order_point(unsigned warp, unsigned sequence) {
    return block.order_points + 3 + warp * 32 + sequence;
}

void yield_thread() {
    atomics_until_switch = settings.order == EMU_SHUFFLED ? 1 + static_cast<std::int64_t>(random_below(32)) : INT64_MAX;
    if (settings.order != EMU_SHUFFLED || !execution.running)
        return;
    make_ready(block.running >> 5, 1u << (block.running & 31));
    run_another(false);
}

bool in_kernel() {
    return execution.running;
}

std::string current_thread_text() {
    uint3 index = block.index[block.running];
    return format("block (%u,%u,%u) thread (%u,%u,%u)", blockIdx.x, blockIdx.y, blockIdx.z, index.x, index.y, index.z);
}

void fail_kernel(cudaError_t error, const char *text, ...) {
    char message[400];
    va_list arguments;
    va_start(arguments, text);
    vsnprintf(message, sizeof message, text, arguments);
    va_end(arguments);
    report(std::string(message) + " [" + current_thread_text() + "]");
    execution.error = error;
    switch_to_fiber(&execution.host);
    abort(); // a kernel that failed is not gone on with
}

// ---------------------------------------------------------------- barriers of a block

namespace {

void complete_barrier() {
    barrier.result = static_cast<int>(barrier.sum);
    barrier.arrived = 0;
    barrier.phase++;
    for (unsigned first = 0; first < block.threads; first += 32) {
        unsigned lanes = std::min(block.threads - first, 32u);
        std::uint32_t all = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
        std::uint32_t waiting = all & ~block.exited[first >> 5];
        if (waiting)
            make_ready(first >> 5, waiting);
    }
}

void join_barrier(Barrier kind, bool predicate, Site site) {
    if (!barrier.arrived) {
        barrier.kind = kind;
        barrier.site = site;
        barrier.sum = kind == Barrier::all;
    } else if (barrier.kind != kind || (settings.strict && !same_place(barrier.site, site))) {
        fail_kernel(cudaErrorLaunchFailure, "divergent barrier: this thread is at %s:%d, others at %s:%d", site.file,
                    site.line, barrier.site.file, barrier.site.line);
    }
    if (kind == Barrier::count)
        barrier.sum += predicate;
    else if (kind == Barrier::any)
        barrier.sum |= static_cast<unsigned>(predicate);
    else if (kind == Barrier::all)
        barrier.sum &= static_cast<unsigned>(predicate);
}

} // namespace

int block_barrier(Barrier kind, bool predicate, Site site) {
    if (is_skipped(site))
        return 0;
    if (settings.strict && block.alive != block.threads)
        fail_kernel(cudaErrorLaunchFailure, "barrier %s:%d after %u threads have exited", site.file, site.line,
                    block.threads - block.alive);
    join_barrier(kind, predicate, site);
    // Two order points in turn: a fast thread that is at the next barrier already must not hand its later writes to a
    // slow one that only now leaves this one.
    char *point = block.order_points + 1 + (barrier.phase & 1);
    order_release(point);
    if (++barrier.arrived == block.alive)
        complete_barrier();
    wait_at(site);
    order_acquire(point);
    return barrier.result;
}

static std::vector<Site> barrier_sites;

void forget_barrier_sites() {
    barrier_sites.clear();
}

int barrier_site_number(Site site) {
    for (std::size_t i = 0; i < barrier_sites.size(); i++)
        if (same_place(barrier_sites[i], site))
            return static_cast<int>(i) + 1;
    barrier_sites.push_back(site);
    return static_cast<int>(barrier_sites.size());
}

int barrier_site_count() {
    return static_cast<int>(barrier_sites.size());
}

const char *barrier_site_text(int number) {
    static std::string text;
    const Site &site = barrier_sites.at(static_cast<std::size_t>(number - 1));
    text = format("%s:%d", site.file, site.line);
    return text.c_str();
}

bool is_skipped(Site site) {
    return barrier_site_number(site) == settings.skipped_barrier;
}

// ---------------------------------------------------------------- grids

namespace {

// Blocks in the order (i * step + offset) modulo their number, with a step that has no divisor in common with it.
struct BlockOrder {
    std::uint64_t count, step = 1, offset = 0;

    explicit BlockOrder(std::uint64_t blocks) : count(blocks) {
        if (settings.order != EMU_SHUFFLED || blocks < 2)
            return;
        do
            step = 1 + random_below(blocks - 1);
        while (std::gcd(step, blocks) != 1);
        offset = random_below(blocks);
    }
    std::uint64_t at(std::uint64_t i) const {
        return settings.order == EMU_REVERSE ? count - 1 - i : (i * step + offset) % count;
    }
};

void begin_block(const Grid &grid, std::uint64_t id) {
    unsigned threads = block.threads, warps = (threads + 31) / 32;
    std::size_t points = 3 + warps * 32;
    blockIdx =
        make_uint3(static_cast<unsigned>(id % grid.blocks.x), static_cast<unsigned>(id / grid.blocks.x % grid.blocks.y),
                   static_cast<unsigned>(id / (static_cast<std::uint64_t>(grid.blocks.x) * grid.blocks.y)));
    block.number++;
    block.alive = threads;
    block.running = static_cast<unsigned>(random_below(threads)); // whose warp comes first
    block.waiting_groups = 0;
    block.order_points = static_cast<char *>(std::malloc(points)); // new addresses: blocks are not ordered
    for (unsigned warp = 0; warp < warps; warp++) {
        unsigned lanes = std::min(threads - warp * 32, 32u);
        block.exited[warp] = 0;
        block.ready[warp] = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
    }
    block.ready_warps = warps == 32 ? 0xffffffffu : (1u << warps) - 1;
    std::fill_n(block.fiber, threads, nullptr);
    std::fill_n(block.waits_at, threads, no_site);
    barrier = {};
    execution.fiber_rotation = random_bits() % 4096;
    begin_warps(warps);
    begin_shared_memory(grid.shared_bytes);
}

void end_block() {
    order_acquire(block.order_points);
    std::free(block.order_points);
    end_shared_memory();
}

// All allocation happens on the host's own context: ThreadSanitizer sees it as writing.
void begin_grid(const Grid &grid, const std::function<void()> &kernel) {
    gridDim = grid.blocks;
    blockDim = grid.threads;
    block.threads = grid.threads.x * grid.threads.y * grid.threads.z;
    for (unsigned i = 0; i < block.threads; i++)
        block.index[i] = make_uint3(i % blockDim.x, i / blockDim.x % blockDim.y, i / (blockDim.x * blockDim.y));
    execution.kernel = &kernel;
    execution.error = cudaSuccess;
    execution.running = true;
    atomics_until_switch = settings.order == EMU_SHUFFLED ? 1 : INT64_MAX;
    adopt_host(&execution.host);
    order_release(&execution.kernel);
    while (exact_fibers && execution.fibers.size() < block.threads + 61) // more than threads: fibers go round
        execution.fibers.push_back(new_fiber(fiber_main));
    execution.idle.reserve(block.threads);
}

} // namespace

cudaError_t run_grid(const Grid &grid, const std::function<void()> &kernel) {
    BlockOrder order(static_cast<std::uint64_t>(grid.blocks.x) * grid.blocks.y * grid.blocks.z);
    begin_grid(grid, kernel);
    for (std::uint64_t i = 0; i < order.count && execution.error == cudaSuccess; i++) {
        begin_block(grid, order.at(i));
        run_another(false);
        end_block();
    }
    execution.running = false;
    if (execution.error != cudaSuccess)
        drop_fibers(); // they stand in the middle of a kernel
    return execution.error;
}

// ---------------------------------------------------------------- reports

static std::string last_report_text;

void report(const std::string &text) {
    last_report_text = "emulation: " + text;
    fprintf(stderr, "%s\n", last_report_text.c_str());
}

const std::string &last_report() {
    return last_report_text;
}

void forget_report() {
    last_report_text.clear();
}

std::string format(const char *text, ...) {
    char buffer[400];
    va_list arguments;
    va_start(arguments, text);
    vsnprintf(buffer, sizeof buffer, text, arguments);
    va_end(arguments);
    return buffer;
}

} // namespace emu
