/* Blocks carry their size in front, so that giving one back needs no table. calloc hands out untouched zero pages for
 * large blocks; huge pages are asked for because the operators' accesses are far apart and would miss the TLB
 * otherwise. */
#include "memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALIGNMENT_BYTES = 64 };
#define HUGE_PAGE_BYTES ((uintptr_t)2 << 20)

typedef struct block_header {
    void *raw;
    uint64_t bytes;
} block_header;

static block_header *header_of(void *block) {
    return (block_header *)(void *)((char *)block - sizeof(block_header));
}

uint64_t sg_add_saturating(uint64_t a, uint64_t b) {
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

uint64_t sg_multiply_saturating(uint64_t a, uint64_t b) {
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

void sg_memory_init(sg_memory *memory, sg_context *context, uint64_t limit_bytes) {
    *memory = (sg_memory){.context = context, .limit_bytes = limit_bytes ? limit_bytes : sg_memory_available_bytes()};
}

static void ask_for_huge_pages(char *begin, uint64_t bytes) {
#ifdef MADV_HUGEPAGE
    uintptr_t first = ((uintptr_t)begin + HUGE_PAGE_BYTES - 1) & ~(HUGE_PAGE_BYTES - 1);
    uintptr_t end = ((uintptr_t)begin + bytes) & ~(HUGE_PAGE_BYTES - 1);
    if (end > first)
        madvise((void *)first, end - first, MADV_HUGEPAGE);
#else
    (void)begin, (void)bytes;
#endif
}

static void *refuse(sg_memory *memory, sg_status status, uint64_t bytes) {
    memory->status = status;
    if (status == SG_ERROR_MEMORY_LIMIT)
        sg_fail(memory->context, status,
                "%" PRIu64 " bytes more are needed, %" PRIu64 " of at most %" PRIu64 " are in use", bytes,
                memory->held_bytes, memory->limit_bytes);
    else
        sg_fail(memory->context, status, "the system would not give %" PRIu64 " bytes (%" PRIu64 " in use)", bytes,
                memory->held_bytes);
    return NULL;
}

void *sg_memory_take(sg_memory *memory, uint64_t bytes) {
    if (bytes > memory->limit_bytes || memory->held_bytes > memory->limit_bytes - bytes)
        return refuse(memory, SG_ERROR_MEMORY_LIMIT, bytes);
    uint64_t padded = sg_add_saturating(bytes, sizeof(block_header) + ALIGNMENT_BYTES);
    char *raw = padded <= SIZE_MAX ? calloc(1, (size_t)padded) : NULL;
    if (!raw)
        return refuse(memory, SG_ERROR_OUT_OF_MEMORY, bytes);
    char *block = raw + sizeof(block_header);
    block += (ALIGNMENT_BYTES - (uintptr_t)block % ALIGNMENT_BYTES) % ALIGNMENT_BYTES;
    ask_for_huge_pages(block, bytes);
    *header_of(block) = (block_header){raw, bytes};
    sg_memory_hold(memory, bytes);
    return block;
}

void sg_memory_hold(sg_memory *memory, uint64_t bytes) {
    memory->held_bytes += bytes;
    if (memory->held_bytes > memory->peak_bytes)
        memory->peak_bytes = memory->held_bytes;
}

void sg_memory_release(sg_memory *memory, uint64_t bytes) {
    memory->held_bytes -= bytes;
}

void *sg_memory_grow(sg_memory *memory, void *block, uint64_t bytes) {
    uint64_t old_bytes = block ? header_of(block)->bytes : 0;
    void *larger = sg_memory_take(memory, bytes);
    if (!larger)
        return NULL;
    if (block)
        memcpy(larger, block, (size_t)(old_bytes < bytes ? old_bytes : bytes));
    sg_memory_give(memory, block);
    return larger;
}

void sg_memory_give(sg_memory *memory, void *block) {
    if (!block)
        return;
    block_header header = *header_of(block);
    if (memory)
        memory->held_bytes -= header.bytes;
    free(header.raw);
}

/* The value in bytes of a line such as "MemAvailable:  123 kB", or of a file holding one number; UINT64_MAX if absent.
 */
static uint64_t read_bytes(const char *path, const char *key, uint64_t unit_bytes) {
    uint64_t value = UINT64_MAX;
    char line[256];
    FILE *file = fopen(path, "r");
    if (!file)
        return value;
    size_t key_length = strlen(key);
    while (fgets(line, sizeof line, file)) {
        char *end;
        if (strncmp(line, key, key_length) != 0)
            continue;
        unsigned long long number = strtoull(line + key_length, &end, 10);
        if (end != line + key_length)
            value = sg_multiply_saturating(number, unit_bytes);
        break;
    }
    fclose(file);
    return value;
}

uint64_t sg_memory_available_bytes(void) {
    uint64_t available = read_bytes("/proc/meminfo", "MemAvailable:", 1024);
    if (available == UINT64_MAX)
        available = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t limit = read_bytes("/sys/fs/cgroup/memory.max", "", 1);
    uint64_t used = read_bytes("/sys/fs/cgroup/memory.current", "", 1);
    if (limit != UINT64_MAX && used != UINT64_MAX) {
        uint64_t left = limit > used ? limit - used : 0;
        if (left < available)
            available = left;
    }
    return available;
}
