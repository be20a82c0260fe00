/* The host's part of the operators on bits, and of base cases; contracts in backend.h. */
#ifndef SG_CUDA_OPERATORS_H
#define SG_CUDA_OPERATORS_H

#include "field.h"

sg_status sg_cuda_preset(sg_field *field, uint64_t first_pos, uint64_t count, const uint64_t *bits);
sg_status sg_cuda_begin(sg_field *field);
sg_status sg_cuda_absorb_levels(sg_field *field);
sg_status sg_cuda_prefetch(sg_field *field, uint64_t first_column);
sg_status sg_cuda_fetch_hot(sg_field *field, uint64_t first_column, uint64_t *bits);
sg_status sg_cuda_store_cold(sg_field *field, uint64_t first_column, const uint64_t *bits);
sg_status sg_cuda_mark_dense(sg_field *field, const sg_node *node, const sg_sources *sources);
sg_status sg_cuda_mark_sparse(sg_field *field, const sg_node *node, const sg_sources *sources);

#endif
