/* Room for the width that the planner foresees is reserved at once, and values are widened in place, from the last to
 * the first: the untouched part of the room costs no real memory, and widening needs no second copy. */
#include "values.h"

sg_status sg_values_open(sg_values *values, uint64_t count, unsigned reserved_bytes, sg_memory *memory) {
    *values = (sg_values){.count = count, .bytes = 1, .reserved_bytes = reserved_bytes};
    values->data = sg_memory_take(memory, count * reserved_bytes);
    return values->data ? SG_OK : memory->status;
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
