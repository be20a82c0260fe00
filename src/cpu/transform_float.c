/* Transforms in single precision. */
#define REAL            float
#define REAL_BYTES      4
#define TRANSFORM_TABLE sg_transform_float
#include "transform_passes.h"
