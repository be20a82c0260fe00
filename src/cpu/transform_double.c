/* Transforms in double precision. */
#define REAL            double
#define REAL_BYTES      8
#define TRANSFORM_TABLE sg_transform_double
#include "transform_passes.h"
