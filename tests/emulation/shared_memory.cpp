// Shared memory: fresh for each block, full of garbage, and exactly as large as declared where a sanitizer looks.
#include "block.hpp"

#include <cstdlib>
#include <cstring>

namespace emu {

static SharedVariable *variables = nullptr; // all that were ever used
static SharedVariable dynamic_variable;

static void release(SharedVariable &variable) {
    std::free(variable.memory);
    variable.memory = nullptr;
    variable.capacity = 0;
}

static void make_fresh(SharedVariable &variable, std::size_t bytes) {
    if (!variable.memory || variable.capacity < bytes) {
        release(variable);
        variable.capacity = bytes ? bytes : 1;
        variable.memory = std::malloc(variable.capacity); // so that sanitizers know its end
    }
    std::memset(variable.memory, static_cast<int>(random_bits() | 1), bytes);
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

void end_shared_memory() {
    if (!exact_heap_blocks)
        return;
    release(dynamic_variable);
    for (SharedVariable *variable = variables; variable; variable = variable->next)
        release(*variable);
}

static struct AtExit {
    ~AtExit() {
        release(dynamic_variable);
        for (SharedVariable *variable = variables; variable; variable = variable->next)
            release(*variable);
    }
} at_exit;

} // namespace emu
