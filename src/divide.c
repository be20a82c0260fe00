#include "divide.h"

uint64_t sg_division_length(const sg_division *division, uint64_t length) {
    uint64_t covered = division->leaf;
    while (covered < length)
        covered *= 2;
    return covered;
}

sg_status sg_divide(const sg_division *division, uint64_t first, uint64_t length, uint64_t depth) {
    uint64_t half = length / 2, upper = first + half, end = first + length;
    sg_status status;
    if (length == division->leaf)
        return division->solve(division->user, first, depth);
    if (end > division->end)
        end = division->end;
    if (upper > end)
        upper = end;
    SG_TRY(sg_divide(division, first, half, depth + 1));
    SG_TRY(division->cross(division->user, &(sg_node){first, half, upper, end}, depth));
    if (upper == end)
        return SG_OK;
    SG_TRY(sg_divide(division, upper, half, depth + 1));
    if (division->join)
        SG_TRY(division->join(division->user, depth));
cleanup:
    return status;
}
