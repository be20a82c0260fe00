// The control functions of emulation.h: they direct schedule, machine and faults, and look at what there is.
#include "state.hpp"

#include <algorithm>

using namespace emu;

extern "C" {

void emu_reset(void) {
    Runtime &r = runtime();
    std::lock_guard<std::recursive_mutex> guard(r.mutex);
    drop_streams();
    drop_memory();
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
