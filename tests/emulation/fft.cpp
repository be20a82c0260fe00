// The cuFFT API, with NVIDIA's own prototypes, over FFTW.
//
// Plans hold their parameters; FFTW's plans, which depend on whether a transform is in place, are made when first
// needed and kept. Each execution writes garbage all over the work area, so that whoever keeps something there loses
// it.
#include "runtime.hpp"

#include <cufft.h>
#include <fftw3.h>

#include <cstring>
#include <map>
#include <memory>
#include <vector>

namespace emu {

std::size_t live_plans = 0;

namespace {

struct Layout { // as in cufftMakePlanMany
    std::vector<int> embed;
    int stride = 1, distance = 0;
};

struct Plan {
    std::vector<int> lengths; // empty: not made yet
    Layout in, out;
    bool packed = true; // no embed arrays were given
    int batch = 0;
    cufftType type = CUFFT_C2C;
    bool allocates = true; // its own work area
    void *work_area = nullptr;
    std::size_t work_bytes = 0;
    int device = 0;
    cudaStream_t stream = nullptr;
    fftwf_plan in_float[2][2] = {}; // [in place][inverse]
    fftw_plan in_double[2][2] = {};

    ~Plan() {
        for (int i = 0; i < 4; i++) {
            fftwf_destroy_plan(in_float[i / 2][i % 2]);
            fftw_destroy_plan(in_double[i / 2][i % 2]);
        }
    }
};

std::map<cufftHandle, std::shared_ptr<Plan>> plans;
cufftHandle next_handle = 1;

std::shared_ptr<Plan> find(cufftHandle handle) {
    auto at = plans.find(handle);
    return at == plans.end() ? nullptr : at->second;
}

bool is_double(cufftType type) {
    return type == CUFFT_D2Z || type == CUFFT_Z2D || type == CUFFT_Z2Z;
}
bool is_complex(cufftType type) {
    return type == CUFFT_C2C || type == CUFFT_Z2Z;
}
bool is_real_input(cufftType type) {
    return type == CUFFT_R2C || type == CUFFT_D2Z;
}

template <class Int> bool fits_int(Int value) {
    return value >= 0 && static_cast<long long>(value) <= 0x7fffffffLL;
}

template <class Int>
cufftResult make_plan(cufftHandle handle, int rank, const Int *lengths, const Int *in_embed, Int in_stride,
                      Int in_distance, const Int *out_embed, Int out_stride, Int out_distance, cufftType type,
                      Int batch, std::size_t *work_bytes) {
    std::shared_ptr<Plan> plan = find(handle);
    if (!plan || !plan->lengths.empty())
        return CUFFT_INVALID_PLAN;
    if (rank < 1 || rank > 3 || !lengths || !work_bytes || batch < 1)
        return CUFFT_INVALID_VALUE;
    std::size_t volume = 1;
    for (int i = 0; i < rank; i++) {
        if (lengths[i] < 1 || !fits_int(lengths[i])) // what FFTW's plain interface takes, and more than tests need
            return CUFFT_INVALID_SIZE;
        volume *= static_cast<std::size_t>(lengths[i]);
    }
    plan->lengths.assign(lengths, lengths + rank);
    plan->packed = !in_embed || !out_embed;
    if (!plan->packed) {
        plan->in = {std::vector<int>(in_embed, in_embed + rank), static_cast<int>(in_stride),
                    static_cast<int>(in_distance)};
        plan->out = {std::vector<int>(out_embed, out_embed + rank), static_cast<int>(out_stride),
                     static_cast<int>(out_distance)};
    }
    plan->batch = static_cast<int>(batch);
    plan->type = type;
    *work_bytes = plan->work_bytes = volume * static_cast<std::size_t>(batch) * (is_double(type) ? 16 : 8);
    return CUFFT_SUCCESS;
}

// Without embed arrays data is packed; a real array that is transformed in place is padded to 2 * (n/2 + 1).
void find_layouts(const Plan &plan, bool in_place, Layout &in, Layout &out) {
    in = plan.in;
    out = plan.out;
    if (!plan.packed)
        return;
    std::vector<int> reals = plan.lengths, numbers = plan.lengths;
    if (!is_complex(plan.type))
        numbers.back() = numbers.back() / 2 + 1;
    if (in_place && !is_complex(plan.type))
        reals.back() = 2 * numbers.back();
    in.embed = is_real_input(plan.type) ? reals : numbers;
    out.embed = is_complex(plan.type) || is_real_input(plan.type) ? numbers : reals;
    for (Layout *layout : {&in, &out}) {
        layout->stride = layout->distance = 1;
        for (int length : layout->embed)
            layout->distance *= length;
    }
}

// From the first to the last element that a transform of this layout touches.
std::size_t touched_bytes(const Plan &plan, const Layout &layout, bool real) {
    std::size_t last = 0;
    for (std::size_t i = 0; i < plan.lengths.size(); i++) {
        std::size_t length = static_cast<std::size_t>(plan.lengths[i]);
        if (i + 1 == plan.lengths.size() && !real && !is_complex(plan.type))
            length = length / 2 + 1;
        last = last * (i ? static_cast<std::size_t>(layout.embed[i]) : 1) + length - 1;
    }
    std::size_t elements = last * static_cast<std::size_t>(layout.stride) +
                           static_cast<std::size_t>(plan.batch - 1) * static_cast<std::size_t>(layout.distance) + 1;
    return elements * (real ? 4 : 8) * (is_double(plan.type) ? 2 : 1);
}

// C2R transforms may destroy their input, as cuFFT's may.
constexpr unsigned FLAGS = FFTW_ESTIMATE | FFTW_UNALIGNED;

void execute(Plan &plan, void *in, void *out, bool inverse) {
    Layout from, to;
    bool in_place = in == out;
    find_layouts(plan, in_place, from, to);
    int rank = static_cast<int>(plan.lengths.size());
    const int *lengths = plan.lengths.data(), *in_embed = from.embed.data(), *out_embed = to.embed.data();
    fftwf_plan &single = plan.in_float[in_place][inverse];
    fftw_plan &wide = plan.in_double[in_place][inverse];
    int sign = inverse ? FFTW_BACKWARD : FFTW_FORWARD;
    if (plan.work_area)
        std::memset(plan.work_area, 0xa5, plan.work_bytes);
#define EMU_MANY(prefix, kind, In, Out, ...)                                                                           \
    prefix##_plan_many_##kind(rank, lengths, plan.batch, static_cast<In *>(in), in_embed, from.stride, from.distance,  \
                              static_cast<Out *>(out), out_embed, to.stride, to.distance, __VA_ARGS__)
    switch (plan.type) {
    case CUFFT_C2C:
        if (!single)
            single = EMU_MANY(fftwf, dft, fftwf_complex, fftwf_complex, sign, FLAGS);
        fftwf_execute_dft(single, static_cast<fftwf_complex *>(in), static_cast<fftwf_complex *>(out));
        break;
    case CUFFT_R2C:
        if (!single)
            single = EMU_MANY(fftwf, dft_r2c, float, fftwf_complex, FLAGS);
        fftwf_execute_dft_r2c(single, static_cast<float *>(in), static_cast<fftwf_complex *>(out));
        break;
    case CUFFT_C2R:
        if (!single)
            single = EMU_MANY(fftwf, dft_c2r, fftwf_complex, float, FLAGS);
        fftwf_execute_dft_c2r(single, static_cast<fftwf_complex *>(in), static_cast<float *>(out));
        break;
    case CUFFT_Z2Z:
        if (!wide)
            wide = EMU_MANY(fftw, dft, fftw_complex, fftw_complex, sign, FLAGS);
        fftw_execute_dft(wide, static_cast<fftw_complex *>(in), static_cast<fftw_complex *>(out));
        break;
    case CUFFT_D2Z:
        if (!wide)
            wide = EMU_MANY(fftw, dft_r2c, double, fftw_complex, FLAGS);
        fftw_execute_dft_r2c(wide, static_cast<double *>(in), static_cast<fftw_complex *>(out));
        break;
    case CUFFT_Z2D:
        if (!wide)
            wide = EMU_MANY(fftw, dft_c2r, fftw_complex, double, FLAGS);
        fftw_execute_dft_c2r(wide, static_cast<fftw_complex *>(in), static_cast<double *>(out));
        break;
    default:
        break;
    }
#undef EMU_MANY
}

void add_noise(const Plan &plan, void *out, std::size_t bytes) {
    float *values = static_cast<float *>(out);
    if (fft_noise() == 0 || is_double(plan.type))
        return;
    for (std::size_t i = 0; i < bytes / sizeof *values; i++)
        values[i] += static_cast<float>(fft_noise() * (random_bits() / 2147483648.0 - 1));
}

cufftResult enqueue_transform(cufftHandle handle, cufftType type, void *in, void *out, bool inverse) {
    std::shared_ptr<Plan> plan = find(handle);
    if (!plan || plan->lengths.empty() || plan->type != type)
        return CUFFT_INVALID_PLAN;
    if (!plan->allocates && !plan->work_area)
        return CUFFT_INVALID_VALUE;
    if (plan->device != current_device()) {
        report("a plan of another device is executed");
        return CUFFT_EXEC_FAILED;
    }
    Layout from, to;
    find_layouts(*plan, in == out, from, to);
    std::size_t out_bytes = touched_bytes(*plan, to, type == CUFFT_C2R || type == CUFFT_Z2D);
    if (!is_device_memory(in, touched_bytes(*plan, from, is_real_input(type))) || !is_device_memory(out, out_bytes)) {
        report("a transform of memory that is not on the device, or past the end of its allocation");
        return CUFFT_EXEC_FAILED;
    }
    bool queued = enqueue(plan->stream, [=] {
        execute(*plan, in, out, inverse);
        add_noise(*plan, out, out_bytes);
    });
    return queued ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED;
}

cufftResult as_cufft(cudaError_t error) {
    return error == cudaErrorMemoryAllocation ? CUFFT_ALLOC_FAILED : CUFFT_INTERNAL_ERROR;
}

} // namespace

void drop_plans() {
    plans.clear();
    live_plans = 0;
}

} // namespace emu

using namespace emu;

#define API                                                                                                            \
    ApiCall call(__func__);                                                                                            \
    if (call.fails != cudaSuccess)                                                                                     \
    return as_cufft(call.fails)

extern "C" {

cufftResult cufftCreate(cufftHandle *handle) {
    API;
    *handle = next_handle++;
    plans[*handle] = std::make_shared<Plan>();
    plans[*handle]->device = current_device();
    live_plans = plans.size();
    return CUFFT_SUCCESS;
}

cufftResult cufftDestroy(cufftHandle handle) {
    ApiCall call(__func__);
    std::shared_ptr<Plan> plan = find(handle);
    if (!plan)
        return CUFFT_INVALID_PLAN;
    drain(plan->stream);
    plans.erase(handle);
    live_plans = plans.size();
    return call.fails == cudaSuccess ? CUFFT_SUCCESS : as_cufft(call.fails);
}

cufftResult cufftMakePlanMany(cufftHandle handle, int rank, int *lengths, int *in_embed, int in_stride, int in_distance,
                              int *out_embed, int out_stride, int out_distance, cufftType type, int batch,
                              size_t *work_bytes) {
    API;
    return make_plan<int>(handle, rank, lengths, in_embed, in_stride, in_distance, out_embed, out_stride, out_distance,
                          type, batch, work_bytes);
}

cufftResult cufftMakePlanMany64(cufftHandle handle, int rank, long long *lengths, long long *in_embed,
                                long long in_stride, long long in_distance, long long *out_embed, long long out_stride,
                                long long out_distance, cufftType type, long long batch, size_t *work_bytes) {
    API;
    return make_plan<long long>(handle, rank, lengths, in_embed, in_stride, in_distance, out_embed, out_stride,
                                out_distance, type, batch, work_bytes);
}

cufftResult cufftSetAutoAllocation(cufftHandle handle, int allocates) {
    API;
    std::shared_ptr<Plan> plan = find(handle);
    if (!plan)
        return CUFFT_INVALID_PLAN;
    plan->allocates = allocates != 0;
    return CUFFT_SUCCESS;
}

cufftResult cufftSetWorkArea(cufftHandle handle, void *work_area) {
    API;
    std::shared_ptr<Plan> plan = find(handle);
    if (!plan)
        return CUFFT_INVALID_PLAN;
    if (!is_device_memory(work_area, plan->work_bytes))
        return CUFFT_INVALID_VALUE;
    plan->work_area = work_area;
    return CUFFT_SUCCESS;
}

cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream) {
    API;
    std::shared_ptr<Plan> plan = find(handle);
    if (!plan)
        return CUFFT_INVALID_PLAN;
    plan->stream = stream;
    return CUFFT_SUCCESS;
}

cufftResult cufftGetVersion(int *version) {
    API;
    *version = CUFFT_VERSION;
    return CUFFT_SUCCESS;
}

cufftResult cufftExecC2C(cufftHandle handle, cufftComplex *in, cufftComplex *out, int direction) {
    API;
    return enqueue_transform(handle, CUFFT_C2C, in, out, direction == CUFFT_INVERSE);
}

cufftResult cufftExecZ2Z(cufftHandle handle, cufftDoubleComplex *in, cufftDoubleComplex *out, int direction) {
    API;
    return enqueue_transform(handle, CUFFT_Z2Z, in, out, direction == CUFFT_INVERSE);
}

cufftResult cufftExecR2C(cufftHandle handle, cufftReal *in, cufftComplex *out) {
    API;
    return enqueue_transform(handle, CUFFT_R2C, in, out, false);
}

cufftResult cufftExecC2R(cufftHandle handle, cufftComplex *in, cufftReal *out) {
    API;
    return enqueue_transform(handle, CUFFT_C2R, in, out, true);
}

cufftResult cufftExecD2Z(cufftHandle handle, cufftDoubleReal *in, cufftDoubleComplex *out) {
    API;
    return enqueue_transform(handle, CUFFT_D2Z, in, out, false);
}

cufftResult cufftExecZ2D(cufftHandle handle, cufftDoubleComplex *in, cufftDoubleReal *out) {
    API;
    return enqueue_transform(handle, CUFFT_Z2D, in, out, true);
}
}
