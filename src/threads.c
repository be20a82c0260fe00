#include "threads.h"

#include <omp.h>

sg_status sg_threads_resolve(sg_context *context, const sg_solve_options *options, uint32_t *threads) {
    uint32_t wanted = options ? options->threads : 0;
    if (wanted > SG_MAX_THREADS)
        return sg_fail(context, SG_ERROR_INVALID_ARGUMENT, "%u threads are more than the %d supported", wanted,
                       SG_MAX_THREADS);
    int available = omp_get_num_procs();
    *threads = wanted ? wanted : (uint32_t)(available < SG_MAX_THREADS ? available : SG_MAX_THREADS);
    return SG_OK;
}
