/* Transposing bits, by which blocks change between heap order and rows. */
#include "kernels.h"
#include "simd.h"

/* Swaps the blocks of `side` x `side` bits that lie beside the diagonal, in all pairs of rows that are `side` apart. */
static inline __attribute__((always_inline)) void swap_blocks(uint64_t *matrix, unsigned side, uint64_t low_columns) {
    for (unsigned base = 0; base < 64; base += 2 * side)
        for (unsigned r = base; r < base + side; r++) {
            uint64_t differ = (matrix[r] >> side ^ matrix[r + side]) & low_columns;
            matrix[r] ^= differ << side;
            matrix[r + side] ^= differ;
        }
}

static void transpose(uint64_t *matrix) {
    swap_blocks(matrix, 32, 0x00000000ffffffff);
    swap_blocks(matrix, 16, 0x0000ffff0000ffff);
    swap_blocks(matrix, 8, 0x00ff00ff00ff00ff);
    swap_blocks(matrix, 4, 0x0f0f0f0f0f0f0f0f);
    swap_blocks(matrix, 2, 0x3333333333333333);
    swap_blocks(matrix, 1, 0x5555555555555555);
}

extern const sg_transpose_kernels SG_TABLE(sg_transpose_kernels);
const sg_transpose_kernels SG_TABLE(sg_transpose_kernels) = {
    .transpose = transpose,
};
