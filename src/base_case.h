/* The bottom of the recursion: a block whose hot marks from everything before it are complete is solved directly. */
#ifndef SG_BASE_CASE_H
#define SG_BASE_CASE_H

#include "cpu/kernels.h"
#include "members.h"

typedef struct sg_base_case {
    const sg_kernels *kernels;
    uint64_t block_pos; /* heap sizes of the largest block */
    uint32_t *list;     /* members below block_pos, ascending; NULL when they are held as bits */
    uint64_t list_count;
    uint8_t *bits;  /* bit s for a member s < block_pos, between guards; NULL when they are listed */
    uint32_t *cold; /* with bits: the cold positions of the segment in hand */
} sg_base_case;

sg_status sg_base_case_build(sg_base_case *base, const sg_members *members, uint64_t block_pos, sg_memory *memory);
void sg_base_case_free(sg_base_case *base, sg_memory *memory);
uint64_t sg_base_case_bytes(uint64_t member_count, uint64_t block_pos);

/* Finds the cold positions among `count` <= block_pos consecutive heap sizes. `hot` holds the marks (bit i for the
 * i-th), and is completed; `cold` receives the cold positions; bits past `count` of the last word must be hot. Returns
 * their number. Cost: cold positions times members below `count`, or times count / 512 vector operations, whichever is
 * less. */
uint64_t sg_base_case_solve(const sg_base_case *base, uint64_t count, uint64_t *hot, uint64_t *cold);

#endif
