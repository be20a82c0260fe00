/* The Eratosthenes-like sieve of the paper's section 4 on one block that fits the cache. Each word is settled from its
 * lowest unmarked bit up: that heap size is cold, since no smaller one can still mark it.
 *
 * Where S has many members, a cold position does not mark by one step a member: S itself is shifted onto the block, a
 * vector at a time. The block is taken in segments. Within its segment a cold position marks at once, since what
 * follows depends on it; the later segments are marked by all cold positions of a finished segment together, whose
 * shifted copies of S are ored in registers. */
#include "base_case.h"
#include "tuning.h"

#include <string.h>

enum { SEGMENT_WORDS = 8 * SG_SEGMENT_VECTORS, SEGMENT_POS = 64 * SEGMENT_WORDS, GUARD_BYTES = 64 };

/* Marking by vectors costs up to block/512 vector operations a cold position, by list one step a member. */
static bool goes_by_list(uint64_t count, uint64_t block_pos) {
    return sg_multiply_saturating(count, SG_VECTORS_PER_MARK) < block_pos / 512;
}

static uint64_t bits_bytes(uint64_t block_pos) {
    return block_pos / 8 + SEGMENT_POS / 8 + 2 * GUARD_BYTES;
}

uint64_t sg_base_case_bytes(uint64_t member_count, uint64_t block_pos) {
    uint64_t most = member_count < block_pos ? member_count : block_pos; /* or fewer: then a list may do */
    uint64_t as_bits = sg_add_saturating(bits_bytes(block_pos), SEGMENT_POS * sizeof(uint32_t));
    return goes_by_list(most, block_pos) ? most * sizeof(uint32_t) : as_bits;
}

sg_status sg_base_case_build(sg_base_case *base, const sg_members *members, uint64_t block_pos, sg_memory *memory) {
    sg_status status;
    uint64_t s, count = 0;
    *base = (sg_base_case){.block_pos = block_pos};
    SG_TRY(sg_kernels_select(memory->context, &base->kernels));
    for (sg_member_walk walk = sg_members_walk(members); sg_member_next(&walk, &s) && s < block_pos;)
        count++;
    if (goes_by_list(count, block_pos)) {
        SG_TAKE(memory, base->list, count * sizeof *base->list);
    } else {
        SG_TAKE(memory, base->bits, bits_bytes(block_pos));
        SG_TAKE(memory, base->cold, SEGMENT_POS * sizeof *base->cold);
    }
    for (sg_member_walk walk = sg_members_walk(members); sg_member_next(&walk, &s) && s < block_pos;) {
        if (base->list)
            base->list[base->list_count++] = (uint32_t)s;
        else
            base->bits[GUARD_BYTES + s / 8] |= (uint8_t)(1u << s % 8);
    }
cleanup:
    return status;
}

void sg_base_case_free(sg_base_case *base, sg_memory *memory) {
    sg_memory_give(memory, base->list);
    sg_memory_give(memory, base->bits);
    sg_memory_give(memory, base->cold);
    *base = (sg_base_case){0};
}

static void mark_list(const sg_base_case *base, uint64_t position, uint64_t end, uint64_t *hot) {
    for (uint64_t i = 0; i < base->list_count && base->list[i] < end - position; i++) {
        uint64_t target = position + base->list[i];
        hot[target / 64] |= (uint64_t)1 << target % 64;
    }
}

/* Marks words first_word .. end_word-1 of the block from the listed cold positions, at most a segment of them. */
static void mark_words(const sg_base_case *base, uint64_t first_word, uint64_t end_word, uint32_t *cold, uint64_t count,
                       uint64_t *hot) {
    unsigned vectors = (unsigned)((end_word - first_word) / 8);
    const uint8_t *members = base->bits + GUARD_BYTES + 8 * first_word;
    if (vectors)
        base->kernels->shift->or_shifted(hot + first_word, vectors, members, cold, count, 0);
    for (uint64_t w = first_word + 8 * vectors; w < end_word; w++)
        for (uint64_t k = 0; k < count; k++) {
            uint64_t window[2], at = 8 * GUARD_BYTES + 64 * w - cold[k]; /* of the members that lead to this word */
            memcpy(window, base->bits + at / 64 * 8, sizeof window);
            hot[w] |= window[0] >> at % 64 | window[1] << 1 << (63 - at % 64);
        }
}

/* Settles the words of one segment, and lists its cold positions. */
static uint64_t solve_segment(const sg_base_case *base, uint64_t first_word, uint64_t end_word, uint64_t *hot,
                              uint64_t *cold) {
    uint64_t listed = 0;
    for (uint64_t w = first_word; w < end_word; w++) {
        uint64_t found = 0;
        for (uint64_t open = ~hot[w]; open;) {
            unsigned bit = (unsigned)__builtin_ctzll(open);
            uint32_t position = (uint32_t)(64 * w + bit);
            found |= (uint64_t)1 << bit;
            base->cold[listed++] = position;
            mark_words(base, w / 8 * 8, end_word, &position, 1, hot);
            open = bit == 63 ? 0 : ~hot[w] & ~(uint64_t)0 << (bit + 1);
        }
        cold[w] = found;
    }
    return listed;
}

static uint64_t solve_by_list(const sg_base_case *base, uint64_t count, uint64_t *hot, uint64_t *cold) {
    uint64_t cold_count = 0;
    for (uint64_t w = 0; w < (count + 63) / 64; w++) {
        uint64_t found = 0;
        for (uint64_t open = ~hot[w]; open;) {
            unsigned bit = (unsigned)__builtin_ctzll(open);
            found |= (uint64_t)1 << bit;
            mark_list(base, 64 * w + bit, count, hot);
            open = bit == 63 ? 0 : ~hot[w] & ~(uint64_t)0 << (bit + 1);
        }
        cold[w] = found;
        cold_count += (uint64_t)__builtin_popcountll(found);
    }
    return cold_count;
}

uint64_t sg_base_case_solve(const sg_base_case *base, uint64_t count, uint64_t *hot, uint64_t *cold) {
    uint64_t words = (count + 63) / 64, cold_count = 0;
    if (!base->bits)
        return solve_by_list(base, count, hot, cold);
    for (uint64_t first = 0; first < words; first += SEGMENT_WORDS) {
        uint64_t end = words - first < SEGMENT_WORDS ? words : first + SEGMENT_WORDS;
        uint64_t listed = solve_segment(base, first, end, hot, cold);
        for (uint64_t later = end; later < words && listed; later += SEGMENT_WORDS)
            mark_words(base, later, words - later < SEGMENT_WORDS ? words : later + SEGMENT_WORDS, base->cold, listed,
                       hot);
        cold_count += listed;
    }
    return cold_count;
}
