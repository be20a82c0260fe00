/* Which kernels run: asked of the processor, not of the build. */
#include "../backend.h"
#include "kernels.h"

#include <stdlib.h>
#include <string.h>

extern const sg_kernels sg_kernels_portable;
#ifdef SG_KERNELS_X86
extern const sg_kernels sg_kernels_avx2;
extern const sg_kernels sg_kernels_avx512;

static bool runs_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}

static bool runs_avx512(void) {
    return runs_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vbmi2");
}
#endif

static bool runs_always(void) {
    return true;
}

static const struct {
    const sg_kernels *kernels;
    bool (*runs)(void);
} variants[] = {
#ifdef SG_KERNELS_X86
    {&sg_kernels_avx512, runs_avx512},
    {&sg_kernels_avx2, runs_avx2},
#endif
    {&sg_kernels_portable, runs_always},
};

const sg_kernels *sg_kernels_by_name(const char *name) {
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        if (strcmp(variants[i].kernels->name, name) == 0)
            return variants[i].runs() ? variants[i].kernels : NULL;
    return NULL;
}

sg_status sg_kernels_select(sg_context *context, const sg_kernels **kernels) {
    const char *wanted = getenv("SUBGAME_ISA");
    if (wanted && *wanted) {
        *kernels = sg_kernels_by_name(wanted);
        if (!*kernels)
            return sg_fail(context, SG_ERROR_BACKEND,
                           "SUBGAME_ISA='%s' is none of avx512, avx2 and portable, or not in this build or processor",
                           wanted);
        return SG_OK;
    }
    size_t i = 0;
    while (!variants[i].runs())
        i++;
    *kernels = variants[i].kernels;
    return SG_OK;
}

sg_status sg_instruction_set_name(sg_context *context, const char **name) {
    const sg_kernels *kernels;
    sg_status status = sg_kernels_select(context, &kernels);
    if (status == SG_OK)
        *name = kernels->name;
    return status;
}
