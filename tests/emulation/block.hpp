// The block of CUDA threads that runs now. Threads are numbered, 32 to a warp; sets of lanes are bits of words.
#ifndef EMU_BLOCK_HPP
#define EMU_BLOCK_HPP

#include "core.hpp"
#include "fiber.hpp"

namespace emu {

// Under ThreadSanitizer every thread has a fiber of its own, see core.cpp.
#ifdef EMU_TSAN
constexpr bool exact_fibers = true;
#else
constexpr bool exact_fibers = false;
#endif

struct Block {
    std::uint64_t number = 0; // of all blocks so far: shared variables belong to one
    unsigned threads = 0, alive = 0, running = 0;
    unsigned waiting_groups = 0; // warp collectives that wait for lanes
    std::uint32_t ready_warps = 0;
    std::uint32_t ready[MAX_WARPS] = {}, exited[MAX_WARPS] = {};
    Fiber *fiber[MAX_THREADS] = {};
    uint3 index[MAX_THREADS] = {};
    Site waits_at[MAX_THREADS] = {};
    char *order_points = nullptr; // addresses for ThreadSanitizer: end of the block, two barriers, 32 for each warp
};
extern Block block;

// Shared memory (shared_memory.cpp): nothing of an earlier block may be seen.
void begin_shared_memory(std::size_t dynamic_bytes);
void end_shared_memory();

} // namespace emu

#endif
