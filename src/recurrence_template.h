/* Inner loops over values of one width; included with VALUE uint8_t, uint16_t and uint32_t, and NAME(name) to match. */

/* The nim-value of heap size p by the recurrence: stamps the value of each option with p, then takes the least value
 * without the stamp. stamps[v] != p for all v beforehand unless p = 0 has no options. */
static uint64_t NAME(mex)(const VALUE *values, const sg_members *members, uint64_t p, uint64_t *stamps) {
    uint64_t s, value = 0;
    for (sg_member_walk walk = sg_members_walk(members); sg_member_next(&walk, &s) && s <= p;)
        stamps[values[p - s]] = p;
    while (stamps[value] == p && p)
        value++;
    return value;
}

/* The largest value among the options of heap size p, 0 when it has none. */
static uint64_t NAME(largest_option)(const VALUE *values, const sg_members *members, uint64_t p) {
    uint64_t s, largest = 0;
    for (sg_member_walk walk = sg_members_walk(members); sg_member_next(&walk, &s) && s <= p;)
        if (values[p - s] > largest)
            largest = values[p - s];
    return largest;
}

/* Tells each heap size p + s that it reaches cold p, so that its game can last `length` moves: the least length stays.
 * 0 stands for "no cold option known". */
static void NAME(offer_length)(VALUE *values, const sg_members *members, uint64_t p, uint64_t length) {
    uint64_t s, left = members->limit - p;
    for (sg_member_walk walk = sg_members_walk(members); sg_member_next(&walk, &s) && s < left;)
        if (!values[p + s] || values[p + s] > length)
            values[p + s] = (VALUE)length;
}

/* Marks the values of the options p - members[k], k < count, in a seen-set. */
static void NAME(mark_seen)(const VALUE *values, uint64_t p, const uint64_t *members, size_t count, uint64_t *seen) {
    for (size_t k = 0; k < count; k++) {
        uint64_t value = values[p - members[k]];
        seen[value / 64] |= (uint64_t)1 << value % 64;
    }
}
