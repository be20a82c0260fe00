/* How many threads a call uses. */
#ifndef SG_THREADS_H
#define SG_THREADS_H

#include "status.h"

enum { SG_MAX_THREADS = 1024 };

/* Checks options->threads and fills in the default: one for each processor this process may use. `options` may be NULL.
 */
sg_status sg_threads_resolve(sg_context *context, const sg_solve_options *options, uint32_t *threads);

#endif
