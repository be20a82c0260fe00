// Collectives of a warp: lanes wait until all lanes of their mask have come, then the last one computes for all. Lanes
// of one mask that wait at different places, or for different operations, are an error, as is a lane outside its own
// mask: CUDA leaves both undefined. A lane of the mask that has left the kernel is one as well, unless emu_strict is
// off: then, as CUDA has it, nobody waits for it, and nothing comes from it.
#include "block.hpp"

#include <cstring>

namespace emu {

namespace {

struct Group {
    std::uint32_t mask, here;
    Collective kind;
    Site site;
    unsigned sequence;
};

struct Warp {
    Group groups[32];
    unsigned count, sequence;
    std::uint32_t lanes; // that exist
    std::uint64_t value[32], result[32];
    unsigned source[32];
};
Warp warps[MAX_WARPS];

std::uint64_t combine(Collective kind, std::uint64_t sum, std::uint64_t value, unsigned lane, bool first) {
    std::uint32_t a = static_cast<std::uint32_t>(sum), b = static_cast<std::uint32_t>(value);
    switch (kind) {
    case Collective::ballot:
        return sum | static_cast<std::uint64_t>(value != 0) << lane;
    case Collective::any:
        return sum | (value != 0);
    case Collective::all:
        return first ? value != 0 : sum & (value != 0);
    case Collective::add:
        return static_cast<std::uint32_t>(a + b);
    case Collective::min:
        return first || b < a ? b : a;
    case Collective::max:
        return first || b > a ? b : a;
    case Collective::min_signed:
        return first || static_cast<std::int32_t>(b) < static_cast<std::int32_t>(a) ? b : a;
    case Collective::max_signed:
        return first || static_cast<std::int32_t>(b) > static_cast<std::int32_t>(a) ? b : a;
    case Collective::bit_and:
        return first ? b : a & b;
    case Collective::bit_or:
        return a | b;
    case Collective::bit_xor:
        return a ^ b;
    case Collective::sync:
    case Collective::shuffle:
    case Collective::match:
        break;
    }
    return sum;
}

std::uint64_t matching_lanes(const Warp &warp, std::uint32_t here, std::uint64_t value) {
    std::uint64_t lanes = 0;
    for (unsigned lane = 0; lane < 32; lane++)
        lanes |= static_cast<std::uint64_t>((here >> lane & 1) && warp.value[lane] == value) << lane;
    return lanes;
}

void compute(Warp &warp, const Group &group) {
    std::uint64_t sum = 0;
    bool first = true;
    for (std::uint32_t rest = group.here; rest; rest &= rest - 1, first = false) {
        unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
        sum = combine(group.kind, sum, warp.value[lane], lane, first);
    }
    for (std::uint32_t rest = group.here; rest; rest &= rest - 1) {
        unsigned lane = static_cast<unsigned>(__builtin_ctz(rest)), source = warp.source[lane];
        warp.result[lane] = sum;
        if (group.kind == Collective::shuffle) // from a lane that is not there: undefined in CUDA, garbage here
            warp.result[lane] = group.here >> source & 1 ? warp.value[source] : 0xdeadbeefdeadbeefu;
        if (group.kind == Collective::match)
            warp.result[lane] = matching_lanes(warp, group.here, warp.value[lane]);
    }
}

// Lets the lanes of a group go on when all that can come have come.
void complete_if_all_are_here(unsigned number, unsigned at) {
    Warp &warp = warps[number];
    Group group = warp.groups[at];
    if (group.here != (group.mask & warp.lanes & ~exited_lanes(number)))
        return;
    warp.groups[at] = warp.groups[--warp.count];
    block.waiting_groups--;
    compute(warp, group);
    make_ready(number, group.here);
}

// The group that this lane joins: a waiting one, or a new one.
unsigned group_for(Warp &warp, Collective kind, std::uint32_t mask, Site site) {
    for (unsigned i = 0; i < warp.count; i++) {
        const Group &group = warp.groups[i];
        if (group.mask == mask && group.kind == kind && (!settings.strict || same_place(group.site, site)))
            return i;
        if (group.mask & mask)
            fail_kernel(cudaErrorLaunchFailure, "%s:%d (mask %08x): lanes of this mask wait at %s:%d (mask %08x)",
                        site.file, site.line, mask, group.site.file, group.site.line, group.mask);
    }
    warp.groups[warp.count] = {mask, 0, kind, site, warp.sequence++ % 32};
    block.waiting_groups++;
    return warp.count++;
}

} // namespace

void begin_warps(unsigned count) {
    for (unsigned number = 0; number < count; number++) {
        unsigned first = number * 32, lanes = block.threads - first < 32 ? block.threads - first : 32;
        warps[number].count = warps[number].sequence = 0;
        warps[number].lanes = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
    }
}

void lane_exited(unsigned number) {
    for (unsigned i = warps[number].count; i-- > 0;) {
        const Group &group = warps[number].groups[i];
        if (settings.strict && (group.mask & exited_lanes(number)))
            fail_kernel(cudaErrorLaunchFailure, "a lane exits while others wait for it at %s:%d (mask %08x)",
                        group.site.file, group.site.line, group.mask);
        complete_if_all_are_here(number, i);
    }
}

unsigned lane() {
    return running_thread() & 31;
}

std::uint64_t warp_collective(Collective kind, unsigned mask, std::uint64_t value, unsigned source_lane, Site site) {
    unsigned number = running_thread() >> 5, self = running_thread() & 31;
    Warp &warp = warps[number];
    if (kind == Collective::sync && is_skipped(site))
        return 0;
    if (!(mask >> self & 1))
        fail_kernel(cudaErrorLaunchFailure, "%s:%d: lane %u is not in its own mask %08x", site.file, site.line, self,
                    mask);
    if (settings.strict && (mask & exited_lanes(number)))
        fail_kernel(cudaErrorLaunchFailure, "%s:%d: lanes %08x of the mask %08x have exited", site.file, site.line,
                    mask & exited_lanes(number), mask);
    unsigned at = group_for(warp, kind, mask, site);
    warp.groups[at].here |= 1u << self;
    warp.value[self] = value;
    warp.source[self] = source_lane;
    char *point = warp_order_point(number, warp.groups[at].sequence);
    order_release(point);
    complete_if_all_are_here(number, at);
    wait_at(site);
    order_acquire(point);
    return warp.result[self];
}

} // namespace emu
