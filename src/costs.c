#include "costs.h"
#include "backend.h"

#include <string.h>

static const struct {
    const char *name;
    const char *meaning;
} descriptions[] = {
#define DESCRIPTION(name, avx512, avx2, portable, meaning) {#name, meaning},
    SG_COST_TABLE(DESCRIPTION)
#undef DESCRIPTION
};

_Static_assert(sizeof descriptions / sizeof *descriptions == SG_COST_COUNT, "costs are an array of numbers");

#define AVX512_COST(name, avx512, avx2, portable, meaning)   .name = (avx512),
#define AVX2_COST(name, avx512, avx2, portable, meaning)     .name = (avx2),
#define PORTABLE_COST(name, avx512, avx2, portable, meaning) .name = (portable),

static const sg_costs avx512_costs = {SG_COST_TABLE(AVX512_COST)};
static const sg_costs avx2_costs = {SG_COST_TABLE(AVX2_COST)};
static const sg_costs portable_costs = {SG_COST_TABLE(PORTABLE_COST)};

const char *sg_cost_name(size_t index) {
    return descriptions[index].name;
}

const sg_costs *sg_costs_default(const char *instruction_set) {
    return strcmp(instruction_set, "avx512") == 0 ? &avx512_costs
           : strcmp(instruction_set, "avx2") == 0 ? &avx2_costs
                                                  : &portable_costs;
}

sg_status sg_costs_in_force(sg_context *context, const sg_costs **costs) {
    const char *name;
    sg_status status = sg_instruction_set_name(context, &name);
    if (status == SG_OK)
        *costs = context->costs_for && strcmp(context->costs_for, name) == 0 ? &context->costs : sg_costs_default(name);
    return status;
}

sg_status sg_costs_put(sg_context *context, const sg_costs *costs) {
    sg_status status = sg_instruction_set_name(context, &context->costs_for);
    if (status == SG_OK)
        context->costs = *costs;
    return status;
}

bool sg_profile_cost(sg_context *context, size_t index, sg_cost_info *cost) {
    const sg_costs *costs;
    const char *name;
    if (!context || !cost || index >= SG_COST_COUNT || sg_costs_in_force(context, &costs) != SG_OK ||
        sg_instruction_set_name(context, &name) != SG_OK)
        return false;
    sg_cost_info info = {.name = descriptions[index].name,
                         .meaning = descriptions[index].meaning,
                         .default_ns = sg_costs_values(sg_costs_default(name))[index],
                         .ns = sg_costs_values(costs)[index]};
    return sg_struct_give(cost, &info, sizeof info);
}
