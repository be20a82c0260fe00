#include "result.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words and values are copied out as little-endian bytes");

/* Bytes handled at a time where a whole answer is read through: within the first-level cache; or, from a device, long
 * enough to make the way there short. */
enum { CHUNK = 1 << 14, STORE_CHUNK = 1 << 23 };

void sg_result_destroy(sg_result *result) {
    if (!result)
        return;
    sg_memory_give(NULL, result->cold_bits);
    sg_values_close(&result->values, NULL);
    sg_memory_give(NULL, result);
}

static bool has_values(const sg_result *result) {
    return result->info.mode != SG_MODE_COLD;
}

static uint64_t words_of(uint64_t n) {
    return (n + 63) / 64;
}

/* The maximum of values on a device is known; where it is, their first heap sizes say. */
static sg_status locate_largest(sg_context *context, sg_result *result) {
    const sg_value_store *store = result->values.store;
    uint64_t largest = result->values.largest, *heaps = malloc(8 * (largest + 1));
    if (!heaps)
        return sg_fail(context, SG_ERROR_OUT_OF_MEMORY, "no memory for the first heap sizes of values");
    sg_status status = store->operators->first_heaps(context, store, heaps, largest + 1);
    if (status == SG_OK && heaps[largest] >= result->info.n)
        status = sg_fail(context, SG_ERROR_BACKEND, "the device computes wrong: it lost its largest value");
    if (status == SG_OK) {
        result->info.max_value = largest;
        result->info.max_value_at = heaps[largest];
    }
    free(heaps);
    return status;
}

static void find_largest(sg_result *result) {
    sg_result_info *info = &result->info;
    for (uint64_t p = 0; p < info->n; p++) {
        uint32_t value = sg_values_get(&result->values, p);
        info->cold_count += !result->cold_bits && value == 0;
        if (value > info->max_value) {
            info->max_value = value;
            info->max_value_at = p;
        }
    }
}

sg_status sg_result_summarise(sg_context *context, sg_result *result) {
    sg_result_info *info = &result->info;
    for (uint64_t w = 0; result->cold_bits && w < words_of(info->n); w++)
        info->cold_count += (uint64_t)__builtin_popcountll(result->cold_bits[w]);
    if (!has_values(result))
        return SG_OK;
    info->value_bytes = result->values.bytes;
    if (result->values.store)
        return locate_largest(context, result);
    find_largest(result);
    return SG_OK;
}

sg_status sg_result_get_info(const sg_result *result, sg_result_info *info) {
    if (!result || !info || !sg_struct_give(info, &result->info, sizeof *info))
        return SG_ERROR_INVALID_ARGUMENT;
    return SG_OK;
}

bool sg_result_kernel(const sg_result *result, size_t index, sg_kernel_report *report) {
    return result && report && index < result->field_report.kernel_count &&
           sg_struct_give(report, &result->field_report.kernels[index], sizeof *report);
}

static bool in_range(const sg_result *result, uint64_t first, uint64_t count, uint64_t total) {
    return result && first <= total && count <= total - first;
}

static sg_status read_values(const sg_result *result, sg_mode mode, uint64_t first, size_t count, uint32_t *values) {
    if (!result || result->info.mode != mode || !in_range(result, first, count, result->info.n) || (count && !values))
        return SG_ERROR_INVALID_ARGUMENT;
    return sg_values_read(&result->values, first, count, values);
}

sg_status sg_result_nim(const sg_result *result, uint64_t first, size_t count, uint32_t *values) {
    return read_values(result, SG_MODE_NIM, first, count, values);
}

sg_status sg_result_remoteness(const sg_result *result, uint64_t first, size_t count, uint32_t *values) {
    return read_values(result, SG_MODE_REMOTENESS, first, count, values);
}

static bool is_cold(const sg_result *result, uint64_t p) {
    if (result->cold_bits)
        return result->cold_bits[p / 64] >> p % 64 & 1;
    return sg_values_get(&result->values, p) == 0;
}

sg_status sg_result_cold_bits(const sg_result *result, uint64_t first, size_t count, uint8_t *bits) {
    if (!result || !in_range(result, first, count, result->info.n) || (count && !bits))
        return SG_ERROR_INVALID_ARGUMENT;
    if (!count)
        return SG_OK;
    if (result->cold_bits && first % 8 == 0) {
        memcpy(bits, (const uint8_t *)result->cold_bits + first / 8, (count + 7) / 8);
    } else {
        memset(bits, 0, (count + 7) / 8);
        for (size_t i = 0; i < count; i++)
            bits[i / 8] |= (uint8_t)(is_cold(result, first + i) << i % 8);
    }
    if (count % 8)
        bits[count / 8] &= (uint8_t)((1u << count % 8) - 1);
    return SG_OK;
}

bool sg_result_next_cold(const sg_result *result, uint64_t from, uint64_t *heap) {
    if (!result || !heap || from >= result->info.n)
        return false;
    if (!result->cold_bits) {
        uint64_t p = from;
        while (p < result->info.n && !is_cold(result, p))
            p++;
        if (p < result->info.n)
            *heap = p;
        return p < result->info.n;
    }
    uint64_t w = from / 64, rest = result->cold_bits[w] & UINT64_MAX << from % 64;
    while (!rest) {
        if (++w == words_of(result->info.n))
            return false;
        rest = result->cold_bits[w];
    }
    *heap = 64 * w + (uint64_t)__builtin_ctzll(rest);
    return true;
}

sg_status sg_result_histogram(const sg_result *result, uint64_t *counts, size_t capacity) {
    if (!result || !has_values(result) || (capacity && !counts))
        return SG_ERROR_INVALID_ARGUMENT;
    if (result->values.store)
        return result->values.store->operators->histogram(NULL, result->values.store, counts, capacity);
    for (size_t v = 0; v < capacity; v++)
        counts[v] = 0;
    for (uint64_t p = 0; p < result->info.n; p++) {
        uint32_t value = sg_values_get(&result->values, p);
        if (value < capacity)
            counts[value]++;
    }
    return SG_OK;
}

sg_status sg_result_first_heaps(const sg_result *result, uint64_t *heaps, size_t capacity) {
    if (!result || !has_values(result) || (capacity && !heaps))
        return SG_ERROR_INVALID_ARGUMENT;
    if (result->values.store)
        return result->values.store->operators->first_heaps(NULL, result->values.store, heaps, capacity);
    for (size_t v = 0; v < capacity; v++)
        heaps[v] = UINT64_MAX;
    for (uint64_t p = 0; p < result->info.n; p++) {
        uint32_t value = sg_values_get(&result->values, p);
        if (value < capacity && heaps[value] == UINT64_MAX)
            heaps[value] = p;
    }
    return SG_OK;
}

uint32_t sg_result_raw_value_bytes(const sg_result *result) {
    if (!result || !has_values(result))
        return 0;
    return result->info.max_value > UINT16_MAX ? 4 : 2;
}

uint64_t sg_result_raw_bytes(const sg_result *result) {
    if (!result)
        return 0;
    uint32_t value_bytes = sg_result_raw_value_bytes(result);
    return value_bytes ? result->info.n * value_bytes : (result->info.n + 7) / 8;
}

/* Some bytes of one value, `width` of which make one in the raw format. */
static sg_status raw_part(const sg_result *result, uint32_t width, uint64_t offset, size_t count, uint8_t *out) {
    uint32_t value;
    sg_status status = sg_values_read(&result->values, offset / width, 1, &value);
    for (size_t i = 0; i < count && status == SG_OK; i++)
        out[i] = (uint8_t)(value >> 8 * (offset % width + i));
    return status;
}

/* `count` values from `first` on, in the width of the raw format. */
static sg_status raw_values(const sg_result *result, uint32_t width, uint64_t first, size_t count, uint8_t *out) {
    enum { PART = 1024 };
    uint32_t part[PART];
    if (width == result->values.bytes)
        return sg_values_copy(&result->values, first, count, out);
    sg_status status = SG_OK;
    for (size_t done = 0; done < count && status == SG_OK; done += PART) {
        size_t now = count - done < PART ? count - done : PART;
        status = sg_values_read(&result->values, first + done, now, part);
        for (size_t i = 0; i < now && status == SG_OK; i++)
            memcpy(out + (done + i) * width, &part[i], width);
    }
    return status;
}

sg_status sg_result_raw(const sg_result *result, uint64_t offset, size_t count, void *bytes) {
    uint8_t *out = bytes;
    if (!in_range(result, offset, count, sg_result_raw_bytes(result)) || (count && !bytes))
        return SG_ERROR_INVALID_ARGUMENT;
    uint32_t width = sg_result_raw_value_bytes(result);
    if (!width) {
        if (count)
            memcpy(out, (const uint8_t *)result->cold_bits + offset, count);
        return SG_OK;
    }
    size_t head = (size_t)((width - offset % width) % width);
    if (head > count)
        head = count;
    size_t whole = (count - head) / width, tail = count - head - whole * width;
    sg_status status = SG_OK;
    if (head)
        SG_TRY(raw_part(result, width, offset, head, out));
    SG_TRY(raw_values(result, width, (offset + head) / width, whole, out + head));
    if (tail)
        SG_TRY(raw_part(result, width, offset + count - tail, tail, out + count - tail));
cleanup:
    return status;
}

sg_status sg_result_fingerprint(const sg_result *result, uint64_t *fingerprint) {
    sg_status status = SG_OK;
    if (!result || !fingerprint)
        return SG_ERROR_INVALID_ARGUMENT;
    uint64_t total = sg_result_raw_bytes(result), step = result->values.store ? STORE_CHUNK : CHUNK;
    uint8_t *chunk = malloc(step);
    XXH3_state_t *state = XXH3_createState();
    SG_TRY(chunk && state ? SG_OK : SG_ERROR_OUT_OF_MEMORY);
    XXH3_64bits_reset(state);
    for (uint64_t offset = 0; offset < total; offset += step) {
        size_t count = (size_t)(total - offset < step ? total - offset : step);
        SG_TRY(sg_result_raw(result, offset, count, chunk));
        XXH3_64bits_update(state, chunk, count);
    }
    *fingerprint = XXH3_64bits_digest(state);
cleanup:
    XXH3_freeState(state);
    free(chunk);
    return status;
}
