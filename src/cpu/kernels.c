/* The table of all kernels of one instruction set. */
#include "kernels.h"
#include "simd.h"

extern const sg_shift_kernels SG_TABLE(sg_shift_kernels);
extern const sg_transpose_kernels SG_TABLE(sg_transpose_kernels);
extern const sg_tile_kernels SG_TABLE(sg_tile_kernels);
extern const sg_transform_kernels SG_TABLE(sg_transform_float);
extern const sg_transform_kernels SG_TABLE(sg_transform_double);

extern const sg_kernels SG_TABLE(sg_kernels);
const sg_kernels SG_TABLE(sg_kernels) = {
    .name = SG_TEXT(SG_KERNELS),
    .shift = &SG_TABLE(sg_shift_kernels),
    .transpose = &SG_TABLE(sg_transpose_kernels),
    .tile = &SG_TABLE(sg_tile_kernels),
    .transform_float = &SG_TABLE(sg_transform_float),
    .transform_double = &SG_TABLE(sg_transform_double),
};
