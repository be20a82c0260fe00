/* The emulated runtime: streams and events. */
#include "number_arrays.h"
#include "planted.h"

static const int all_progress[] = {EMU_EAGER, EMU_LAZY, EMU_RANDOM};

static const char *progress_name(size_t i) {
    static const char *const names[] = {"eager", "lazy", "random"};
    return names[i];
}

SG_TEST_P(Runtime, WorkOfAStreamIsDoneInOrder, int, all_progress, progress_name) {
    for (uint64_t seed = 1; seed <= 5; seed++) {
        emu_reset();
        emu_seed(seed);
        emu_async((emu_progress)*param);
        cudaStream_t stream = new_stream();
        uint32_t *numbers = new_pinned(7), *d_first = new_on_device(BYTES), *d_second = new_on_device(BYTES);
        EXPECT_CUDA(cudaMemcpyAsync(d_first, numbers, BYTES, cudaMemcpyHostToDevice, stream));
        EXPECT_CUDA(planted_increment(stream, d_first, COUNT));
        EXPECT_CUDA(cudaMemcpyAsync(d_second, d_first, BYTES, cudaMemcpyDeviceToDevice, stream));
        EXPECT_CUDA(planted_increment(stream, d_second, COUNT));
        EXPECT_CUDA(cudaMemsetAsync(d_first, 0, BYTES, stream));
        EXPECT_CUDA(cudaMemcpyAsync(numbers, d_second, BYTES, cudaMemcpyDeviceToHost, stream));
        EXPECT_CUDA(cudaStreamSynchronize(stream));
        EXPECT_EQ(numbers[0], 9u);
        EXPECT_EQ(numbers[COUNT - 1], 9u);
        EXPECT_EQ(first_of(d_first), 0u);
    }
    emu_reset();
}

SG_TEST(Runtime, AMissingSynchronisationShowsAsStaleData) {
    emu_reset();
    cudaStream_t stream = new_stream();
    uint32_t *numbers = new_pinned(0), *d_numbers = numbers_on_device(5);
    EXPECT_CUDA(planted_increment(stream, d_numbers, COUNT));
    EXPECT_CUDA(cudaMemcpyAsync(numbers, d_numbers, BYTES, cudaMemcpyDeviceToHost, stream));
    EXPECT_EQ(numbers[0], 0u);
    EXPECT_CUDA(cudaStreamSynchronize(stream));
    EXPECT_EQ(numbers[0], 6u);
    emu_reset();
}

SG_TEST(Runtime, RandomProgressDoesSomeWorkEarly) {
    uint32_t early = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        emu_reset();
        emu_seed(seed);
        emu_async(EMU_RANDOM);
        cudaStream_t stream = new_stream();
        uint32_t *numbers = new_pinned(0), *d_numbers = numbers_on_device(5);
        EXPECT_CUDA(cudaMemcpyAsync(numbers, d_numbers, BYTES, cudaMemcpyDeviceToHost, stream));
        early += numbers[0] == 5;
        EXPECT_CUDA(cudaStreamSynchronize(stream));
        EXPECT_EQ(numbers[0], 5u);
    }
    EXPECT_LT(0u, early);
    EXPECT_LT(early, 40u);
    emu_reset();
}

/* A copy on another stream than the kernel before it; in_order: with an event between them. */
static uint32_t copied_on_another_stream(bool in_order) {
    cudaStream_t first = new_stream(), second = new_stream();
    cudaEvent_t event = NULL;
    uint32_t *numbers = new_pinned(0), *d_numbers = numbers_on_device(5);
    EXPECT_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    EXPECT_CUDA(planted_increment(first, d_numbers, COUNT));
    EXPECT_CUDA(cudaEventRecord(event, first));
    if (in_order)
        EXPECT_CUDA(cudaStreamWaitEvent(second, event, 0));
    EXPECT_CUDA(cudaMemcpyAsync(numbers, d_numbers, BYTES, cudaMemcpyDeviceToHost, second));
    EXPECT_CUDA(cudaStreamSynchronize(second));
    uint32_t value = numbers[0];
    EXPECT_CUDA(cudaStreamSynchronize(first));
    return value;
}

SG_TEST_P(Runtime, AnEventOrdersStreams, int, all_progress, progress_name) {
    for (uint64_t seed = 1; seed <= 10; seed++) {
        emu_reset();
        emu_seed(seed);
        emu_async((emu_progress)*param);
        EXPECT_EQ(copied_on_another_stream(true), 6u);
    }
    emu_reset();
}

SG_TEST(Runtime, AMissingEventShowsAsStaleData) {
    emu_reset();
    EXPECT_EQ(copied_on_another_stream(false), 5u);
    emu_reset();
}

SG_TEST(Runtime, QueriesComeToAnEnd) {
    cudaEvent_t begin = NULL, end = NULL;
    float milliseconds = -1;
    emu_reset();
    cudaStream_t stream = new_stream();
    uint32_t *d_numbers = numbers_on_device(1);
    EXPECT_CUDA(cudaEventCreate(&begin));
    EXPECT_CUDA(cudaEventCreate(&end));
    EXPECT_CUDA(cudaEventQuery(end)); /* never recorded */
    EXPECT_CUDA(cudaEventRecord(begin, stream));
    EXPECT_CUDA(planted_increment(stream, d_numbers, COUNT));
    EXPECT_CUDA(cudaEventRecord(end, stream));
    EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
    EXPECT_EQ(cudaEventElapsedTime(&milliseconds, begin, end), cudaErrorNotReady);
    int queries = 0;
    while (queries < 100 && cudaEventQuery(end) == cudaErrorNotReady)
        queries++;
    EXPECT_LT(queries, 100);
    EXPECT_CUDA(cudaStreamQuery(stream));
    EXPECT_CUDA(cudaEventElapsedTime(&milliseconds, begin, end));
    EXPECT_TRUE(milliseconds >= 0);
    EXPECT_CUDA(cudaEventSynchronize(begin));
    emu_reset();
}

SG_TEST(Runtime, DestroyingWaitsForTheWork) {
    cudaEvent_t event = NULL;
    emu_reset();
    cudaStream_t stream = new_stream();
    uint32_t *numbers = new_pinned(0), *d_numbers = numbers_on_device(5);
    EXPECT_CUDA(cudaEventCreate(&event));
    EXPECT_CUDA(cudaEventRecord(event, stream));
    EXPECT_CUDA(cudaMemcpyAsync(numbers, d_numbers, BYTES, cudaMemcpyDeviceToHost, stream));
    EXPECT_CUDA(cudaEventDestroy(event));
    EXPECT_CUDA(cudaStreamDestroy(stream));
    EXPECT_EQ(numbers[0], 5u);
    EXPECT_EQ(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaEventDestroy(event), cudaErrorInvalidResourceHandle);
    emu_reset();
}
