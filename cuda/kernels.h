/* What the host asks of the device: the launchers of all kernels, one .cu file each, and the plain structures that they
 * share. Launchers check nothing but the launch; they never wait. A launcher that has nothing to do launches nothing.
 *
 * The unit of device memory is a word of 32 bits; bit i of a row is bit i % 32 of word i / 32. */
#ifndef SG_CUDA_KERNELS_H
#define SG_CUDA_KERNELS_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rows that are read at offsets up to a wide tile and a word before their first and after their last word read zeros:
 * shifted operators need no edge cases. */
enum { SG_CUDA_GUARD_WORDS = 512 };

/* How planes lie. Line level * modulus + r is row r of a level. A plane of lines lies between guards; each row is
 * followed by its guard. */
typedef struct sg_cuda_layout {
    uint64_t n;         /* heap sizes */
    uint64_t columns;   /* of a row */
    uint64_t row_words; /* from one row to the next */
    uint32_t modulus;
    uint32_t levels;
} sg_cuda_layout;

/* The members of S with one residue: as shifts q, sorted by q % 32, then q; or as a row of bits. */
typedef struct sg_cuda_class {
    uint64_t count;
    uint64_t first;     /* entry of the first shift in the list of all; or the line of the row of bits */
    uint32_t group[33]; /* shifts with q % 32 == g are entries first + group[g] .. first + group[g+1] - 1 */
    uint32_t is_dense;  /* held as bits */
} sg_cuda_class;

typedef struct sg_cuda_shifts {
    const sg_cuda_class *classes; /* by residue */
    const uint32_t *words;        /* q / 32 of all listed shifts */
    const uint32_t *bits;         /* lines of the dense classes */
} sg_cuda_shifts;

/* One contribution, on the device. Source rows of level v are rows[ends[v]] .. rows[ends[levels + v] - 1]. */
typedef struct sg_cuda_node {
    uint64_t first; /* columns, as in sg_node */
    uint64_t columns;
    uint64_t target_first;
    uint64_t target_end;
    const uint32_t *rows;
    const uint64_t *ends;
    uint64_t row_count; /* in all */
} sg_cuda_node;

/* The cold positions in columns first .. first+columns-1 of the node's rows, in the order of node->rows. Those of
 * rows[i] are entries starts[i * chunks] .. starts[(i + 1) * chunks] - 1: columns counted from `first`, rising. */
typedef struct sg_cuda_cold_list {
    uint64_t first;
    uint64_t columns;
    uint64_t chunks; /* of SG_CUDA_CHUNK_COLUMNS columns a row */
    uint32_t *starts;
    uint32_t *entries;
} sg_cuda_cold_list;

enum { SG_CUDA_CHUNK_COLUMNS = 1024 };

/* Units of work done, counted on the device where only it knows. */
typedef struct sg_cuda_work {
    unsigned long long shifts; /* of one word by one member or cold position */
    unsigned long long marks;
} sg_cuda_work;

/* What a launcher may use of the device. */
typedef struct sg_cuda_shape {
    uint32_t multiprocessors;
    uint32_t shared_bytes; /* of a block, opted in */
    uint32_t multiprocessor_shared_bytes;
    uint32_t reserved_shared_bytes; /* that the system takes a block */
    uint32_t multiprocessor_threads;
} sg_cuda_shape;

/* --- bits.cu: between heap order and rows --- */

/* Bits of the `count` heap sizes from first_pos on into the lines of the first `levels` levels, `words` words a level.
 */
cudaError_t sg_cuda_store_bits(sg_cuda_layout layout, uint32_t *plane, uint64_t levels, uint64_t first_pos,
                               uint64_t count, uint64_t words, const uint32_t *bits, cudaStream_t stream);

/* The same base case of every level, `words` words a level, out of the hot plane. Bits past `count` are set. */
cudaError_t sg_cuda_gather_bits(sg_cuda_layout layout, const uint32_t *hot, uint64_t first_pos, uint64_t count,
                                uint64_t words, uint32_t *bits, cudaStream_t stream);

/* preset |= the cold positions of all levels. */
cudaError_t sg_cuda_absorb(sg_cuda_layout layout, uint32_t *preset, const uint32_t *cold, cudaStream_t stream);

/* --- cold_lists.cu --- */

/* Fills list->starts and list->entries. `scratch` of SG_CUDA_SCAN_BYTES(row_count * chunks + 1) bytes. */
cudaError_t sg_cuda_list_cold(sg_cuda_layout layout, const uint32_t *cold, const sg_cuda_node *node,
                              const sg_cuda_cold_list *list, void *scratch, uint64_t scratch_bytes,
                              cudaStream_t stream);

/* --- shift_or.cu --- */

/* For the listed classes: target |= cold row << each member. With a list: for the dense classes, target |= class bits
 * << each listed cold position. */
cudaError_t sg_cuda_shift_or(sg_cuda_layout layout, sg_cuda_shape shape, uint32_t *hot, const uint32_t *cold,
                             sg_cuda_shifts shifts, const sg_cuda_node *node, const sg_cuda_cold_list *list,
                             sg_cuda_work *work, cudaStream_t stream);

/* --- scatter.cu --- */

/* For the listed classes: marks listed cold position + each member. */
cudaError_t sg_cuda_scatter(sg_cuda_layout layout, sg_cuda_shape shape, uint32_t *hot, sg_cuda_shifts shifts,
                            const sg_cuda_node *node, const sg_cuda_cold_list *list, sg_cuda_work *work,
                            cudaStream_t stream);
cudaError_t sg_cuda_scatter_prepare(sg_cuda_shape shape);

/* --- expand.cu, product.cu, threshold.cu: the convolution around cuFFT, in either precision --- */

/* Pieces of 2^level columns; see convolver.c. Complex numbers are float2, or double2 when `in_double`. */
typedef struct sg_cuda_pieces {
    uint32_t level;
    bool in_double;
    uint64_t count;      /* pieces a row of the source */
    uint64_t windows;    /* stored transforms a difference of rows */
    uint64_t first_line; /* lines of the group of levels in hand */
    uint64_t line_count;
} sg_cuda_pieces;

/* The twisted bits of source piece j of line l, at numbers + (l * pieces.count + j) * 2^level. */
cudaError_t sg_cuda_expand_sources(sg_cuda_layout layout, sg_cuda_pieces pieces, const uint32_t *cold, uint64_t first,
                                   void *numbers, cudaStream_t stream);

/* The twisted entries base .. base + 2 * 2^level - 1 (base >= -1) of the class of a residue (host_class is its copy in
 * the host's memory), lower half real, upper half imaginary,
 * scaled by 2^-level. */
cudaError_t sg_cuda_expand_class(sg_cuda_layout layout, sg_cuda_shifts shifts, const sg_cuda_class *host_class,
                                 uint64_t residue, uint32_t level, bool in_double, int64_t base, void *numbers,
                                 cudaStream_t stream);

/* sums[target] = over all source rows and pieces: source * stored. */
cudaError_t sg_cuda_multiply(sg_cuda_layout layout, sg_cuda_pieces pieces, sg_cuda_shifts shifts,
                             const sg_cuda_node *node, const void *sources, const void *stored, void *sums,
                             cudaStream_t stream);

/* hot |= (count > 1/2), unless some count is more than 1/4 from an integer: then *doubt becomes 1 and nothing is
 * marked. */
cudaError_t sg_cuda_threshold(sg_cuda_layout layout, sg_cuda_pieces pieces, const sg_cuda_node *node, const void *sums,
                              uint32_t *hot, uint32_t *doubt, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
