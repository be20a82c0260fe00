/* Room for the width that the planner foresees is reserved at once, and values are widened in place, from the last to
 * the first: the untouched part of the room costs no real memory, and widening needs no second copy. */
#include "values.h"

#include <string.h>

sg_status sg_values_open(sg_values *values, uint64_t count, unsigned reserved_bytes, sg_memory *memory) {
    *values = (sg_values){.count = count, .bytes = 1, .reserved_bytes = reserved_bytes};
    values->data = sg_memory_take(memory, count * reserved_bytes);
    return values->data ? SG_OK : memory->status;
}

void sg_values_close(sg_values *values, sg_memory *memory) {
    sg_memory_give(memory, values->data);
    if (values->store)
        values->store->operators->close(values->store);
    *values = (sg_values){0};
}

sg_status sg_values_widen(sg_values *values, sg_memory *memory) {
    if (values->bytes == 4)
        return sg_fail(memory->context, SG_ERROR_OVERFLOW, "a value is past 2^32 - 1");
    if (2 * values->bytes > values->reserved_bytes) {
        void *larger = sg_memory_grow(memory, values->data, values->count * 2 * values->bytes);
        if (!larger)
            return memory->status;
        values->data = larger;
        values->reserved_bytes = 2 * values->bytes;
    }
    if (values->bytes == 1)
        for (uint64_t i = values->count; i-- > 0;)
            ((uint16_t *)values->data)[i] = ((const uint8_t *)values->data)[i];
    else
        for (uint64_t i = values->count; i-- > 0;)
            ((uint32_t *)values->data)[i] = ((const uint16_t *)values->data)[i];
    values->bytes *= 2;
    return SG_OK;
}

sg_status sg_values_copy(const sg_values *values, uint64_t first, uint64_t count, void *copied) {
    if (values->store)
        return values->store->operators->copy(NULL, values->store, first, count, copied);
    if (count)
        memcpy(copied, (const uint8_t *)values->data + first * values->bytes, count * values->bytes);
    return SG_OK;
}

/* The values are copied to the end of their place and then widened from its beginning on, which never overtakes them.
 */
sg_status sg_values_read(const sg_values *values, uint64_t first, uint64_t count, uint32_t *read) {
    uint8_t *narrow = (uint8_t *)read + (4 - values->bytes) * count;
    sg_status status = sg_values_copy(values, first, count, narrow);
    if (status != SG_OK || values->bytes == 4)
        return status;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t value = 0;
        memcpy(&value, narrow + i * values->bytes, values->bytes); /* little-endian, see result.c */
        read[i] = value;
    }
    return SG_OK;
}

sg_status sg_values_pick(const sg_values *values, const uint64_t *heaps, uint64_t count, uint32_t *picked) {
    if (values->store)
        return values->store->operators->pick(NULL, values->store, heaps, count, picked);
    for (uint64_t i = 0; i < count; i++)
        picked[i] = sg_values_get(values, heaps[i]);
    return SG_OK;
}
