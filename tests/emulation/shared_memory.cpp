// Shared memory: fresh for each block, full of garbage, and exactly as large as declared: where AddressSanitizer does
// not look at its end, a trap of known bytes lies behind it, which is looked at when the block has ended.
#include "block.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace emu {

static SharedVariable *variables = nullptr; // all that were ever used
static SharedVariable dynamic_variable;

constexpr std::size_t TRAP_BYTES = exact_heap_blocks ? 0 : 64;
constexpr unsigned char TRAP = 0xe5;

static void release(SharedVariable &variable) {
    std::free(variable.memory);
    variable.memory = nullptr;
    variable.capacity = 0;
}

static void make_fresh(SharedVariable &variable, std::size_t bytes) {
    if (!variable.memory || variable.capacity < bytes) {
        release(variable);
        variable.capacity = bytes ? bytes : 1;
        variable.memory = std::malloc(variable.capacity + TRAP_BYTES); // so that sanitizers know its end
    }
    std::memset(variable.memory, static_cast<int>(random_bits() | 1), bytes);
    std::memset(static_cast<char *>(variable.memory) + bytes, TRAP, TRAP_BYTES);
    variable.bytes = bytes;
    variable.block = block.number;
    order_release(variable.memory);
}

void *shared_memory(SharedVariable &variable, std::size_t bytes) {
    if (variable.block != block.number) {
        if (!variable.bytes) {
            variable.next = variables;
            variables = &variable;
        }
        make_fresh(variable, bytes);
    }
    order_acquire(variable.memory); // the block's first user allocated it
    return variable.memory;
}

void *dynamic_shared_memory() {
    order_acquire(dynamic_variable.memory);
    return dynamic_variable.memory;
}

void begin_shared_memory(std::size_t dynamic_bytes) {
    make_fresh(dynamic_variable, dynamic_bytes);
}

static bool is_in_bounds(const SharedVariable &variable) {
    const unsigned char *trap = static_cast<const unsigned char *>(variable.memory) + variable.bytes;
    return variable.block != block.number ||
           std::all_of(trap, trap + TRAP_BYTES, [](unsigned char byte) { return byte == TRAP; });
}

bool end_shared_memory() {
    bool in_bounds = is_in_bounds(dynamic_variable);
    for (SharedVariable *variable = variables; variable; variable = variable->next)
        in_bounds = in_bounds && is_in_bounds(*variable);
    if (!exact_heap_blocks)
        return in_bounds;
    release(dynamic_variable);
    for (SharedVariable *variable = variables; variable; variable = variable->next)
        release(*variable);
    return in_bounds;
}

static struct AtExit {
    ~AtExit() {
        release(dynamic_variable);
        for (SharedVariable *variable = variables; variable; variable = variable->next)
            release(*variable);
    }
} at_exit;

} // namespace emu
