/* A node of the recursion. For device code too. */
#ifndef SG_NODE_H
#define SG_NODE_H

#include <stdint.h>

/* One contribution of the recursion: source columns first .. first+columns-1, all solved, onto target columns
 * target_first .. target_end-1, which lie within the `columns` columns after the source. */
typedef struct sg_node {
    uint64_t first;
    uint64_t columns;
    uint64_t target_first;
    uint64_t target_end;
} sg_node;

#endif
