/* The Eratosthenes-like sieve of the paper's section 4 on one block that fits the cache. Each word is settled from its
 * lowest unmarked bit up: that heap size is cold, since no smaller one can still mark it. */
#include "base_case.h"
#include "tuning.h"

#include <string.h>

static uint64_t words_of(uint64_t bits) {
    return bits / 64 + 1;
}

/* Marking by words costs block/64 steps a cold position, by list one step a member. */
static bool is_listed(uint64_t count, uint64_t block_pos) {
    return count < block_pos / SG_LIST_DENSITY_INVERSE + 2;
}

uint64_t sg_base_case_bytes(uint64_t member_count, uint64_t block_pos) {
    uint64_t as_bits = 8 * (words_of(block_pos) + 1);
    uint64_t as_list = sg_multiply_saturating(4, member_count);
    return as_list < as_bits ? as_list : as_bits;
}

sg_status sg_base_case_build(sg_base_case *base, const sg_members *members, uint64_t block_pos, sg_memory *memory) {
    sg_status status = SG_OK;
    uint64_t s, count = 0;
    *base = (sg_base_case){.block_pos = block_pos};
    for (sg_member_walk walk = sg_members_walk(members); sg_member_next(&walk, &s) && s < block_pos;)
        count++;
    if (is_listed(count, block_pos))
        SG_TAKE(memory, base->list, 4 * count);
    else
        SG_TAKE(memory, base->bits, 8 * (words_of(block_pos) + 1));
    for (sg_member_walk walk = sg_members_walk(members); sg_member_next(&walk, &s) && s < block_pos;) {
        if (base->list)
            base->list[base->list_count++] = (uint32_t)s;
        else
            base->bits[1 + s / 64] |= (uint64_t)1 << s % 64;
    }
cleanup:
    return status;
}

void sg_base_case_free(sg_base_case *base, sg_memory *memory) {
    sg_memory_give(memory, base->list);
    sg_memory_give(memory, base->bits);
    *base = (sg_base_case){0};
}

static void mark_list(const sg_base_case *base, uint64_t position, uint64_t count, uint64_t *hot) {
    for (uint64_t i = 0; i < base->list_count && base->list[i] < count - position; i++) {
        uint64_t target = position + base->list[i];
        hot[target / 64] |= (uint64_t)1 << target % 64;
    }
}

static void mark_words(const sg_base_case *base, uint64_t position, uint64_t words, uint64_t *hot) {
    const uint64_t *members = base->bits + 1; /* members[-1] is the zero word */
    uint64_t first = position / 64;
    unsigned shift = (unsigned)(position % 64);
    uint64_t *target = hot + first;
    if (shift == 0)
        for (uint64_t w = 0; w < words - first; w++)
            target[w] |= members[w];
    else
        for (uint64_t w = 0; w < words - first; w++)
            target[w] |= members[w] << shift | members[(int64_t)w - 1] >> (64 - shift);
}

uint64_t sg_base_case_solve(const sg_base_case *base, uint64_t count, uint64_t *hot, uint64_t *cold) {
    uint64_t words = (count + 63) / 64, cold_count = 0;
    for (uint64_t w = 0; w < words; w++) {
        uint64_t found = 0;
        for (uint64_t open = ~hot[w]; open;) {
            unsigned bit = (unsigned)__builtin_ctzll(open);
            found |= (uint64_t)1 << bit;
            if (base->list)
                mark_list(base, 64 * w + bit, count, hot);
            else
                mark_words(base, 64 * w + bit, words, hot);
            open = bit == 63 ? 0 : ~hot[w] & ~(uint64_t)0 << (bit + 1);
        }
        cold[w] = found;
        cold_count += (uint64_t)__builtin_popcountll(found);
    }
    return cold_count;
}
