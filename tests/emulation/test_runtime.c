/* The emulated runtime: streams, events, copies, memory, errors, devices; and the faults that tests can order. */
#include "device_checks.h"
#include "planted.h"

#include <cufft.h>

enum { COUNT = 1000, BYTES = COUNT * sizeof(uint32_t) };

static const int all_progress[] = {EMU_EAGER, EMU_LAZY, EMU_RANDOM};

static const char *progress_name(size_t i) {
    static const char *const names[] = {"eager", "lazy", "random"};
    return names[i];
}

static uint32_t *new_pinned(uint32_t value) {
    void *array = NULL;
    ASSERT_CUDA(cudaMallocHost(&array, BYTES));
    for (size_t i = 0; i < COUNT; i++)
        ((uint32_t *)array)[i] = value;
    return array;
}

static uint32_t *numbers_on_device(uint32_t value) {
    static uint32_t numbers[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        numbers[i] = value;
    return to_device(numbers, sizeof numbers);
}

static uint32_t first_of(const uint32_t *device) {
    uint32_t value = 0;
    to_host(&value, device, sizeof value);
    return value;
}

/* ---------------------------------------------------------------- streams and events */

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

/* ---------------------------------------------------------------- copies */

SG_TEST(Runtime, APinnedSourceIsReadWhenTheCopyIsDone) {
    emu_reset();
    cudaStream_t stream = new_stream();
    uint32_t *numbers = new_pinned(1), *d_numbers = new_on_device(BYTES);
    EXPECT_CUDA(cudaMemcpyAsync(d_numbers, numbers, BYTES, cudaMemcpyHostToDevice, stream));
    numbers[0] = 2; /* too early */
    EXPECT_CUDA(cudaStreamSynchronize(stream));
    EXPECT_EQ(first_of(d_numbers), 2u);
    emu_reset();
}

SG_TEST(Runtime, APageableSourceIsReadBeforeTheCallReturns) {
    emu_reset();
    cudaStream_t stream = new_stream();
    uint32_t numbers[4] = {1, 1, 1, 1}, *d_numbers = new_on_device(sizeof numbers);
    EXPECT_CUDA(cudaMemcpyAsync(d_numbers, numbers, sizeof numbers, cudaMemcpyHostToDevice, stream));
    numbers[0] = 2;
    EXPECT_CUDA(cudaStreamSynchronize(stream));
    EXPECT_EQ(first_of(d_numbers), 1u);
    EXPECT_CUDA(cudaMemcpyAsync(numbers, d_numbers, sizeof numbers, cudaMemcpyDeviceToHost, stream));
    EXPECT_EQ(numbers[0], 1u); /* back to pageable memory: CUDA waits */
    emu_reset();
}

SG_TEST(Runtime, CopiesKnowWhichSideAPointerIsOn) {
    uint32_t numbers[4] = {0};
    emu_reset();
    uint32_t *d_numbers = to_device(numbers, sizeof numbers), *d_others = to_device(numbers, sizeof numbers);
    EXPECT_CUDA(cudaMemcpy(d_others, d_numbers, sizeof numbers, cudaMemcpyDefault));
    EXPECT_STREQ(emu_last_report(), "");
    EXPECT_EQ(cudaMemcpy(d_numbers, d_others, 16, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT_TRUE(strstr(emu_last_report(), "wrong side") != NULL);
    EXPECT_EQ(cudaMemcpy(numbers, d_others, 16, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemcpy(numbers, d_others, 16, cudaMemcpyHostToHost), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemcpy(d_numbers, numbers, 16, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemcpy(d_numbers, numbers, 17, cudaMemcpyHostToDevice), cudaErrorInvalidValue); /* past the end */
    EXPECT_EQ(cudaMemset(d_numbers + 1, 0, 16), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemset(numbers, 0, 16), cudaErrorInvalidValue);
    EXPECT_CUDA(cudaMemset(d_numbers + 1, 1, 12));
    EXPECT_EQ(first_of(d_numbers), 0u);
    EXPECT_EQ(first_of(d_numbers + 3), 0x01010101u);
    emu_reset();
}

/* ---------------------------------------------------------------- memory */

SG_TEST(Runtime, MemoryThatWasNeverWrittenIsGarbage) {
    emu_reset();
    uint32_t *d_numbers = new_on_device(BYTES), *pinned = NULL;
    EXPECT_EQ(first_of(d_numbers), 0xcdcdcdcdu);
    ASSERT_CUDA(cudaMallocHost((void **)&pinned, BYTES));
    EXPECT_EQ(pinned[3], 0xcdcdcdcdu);
    emu_reset();
}

SG_TEST(Runtime, AllocationsAreAlignedAndEndWhereTheyShould) {
    static const size_t sizes[] = {1, 255, 256, 257, 4095, 4096, 4097, 100000};
    emu_reset();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char *d_bytes = new_on_device(sizes[i]);
        EXPECT_EQ((uintptr_t)d_bytes % 256, 0u);
        EXPECT_TRUE(emu_is_device(d_bytes, sizes[i]));
        EXPECT_TRUE(emu_is_device(d_bytes + sizes[i] - 1, 1));
        EXPECT_FALSE(emu_is_device(d_bytes, sizes[i] + 1));
        EXPECT_FALSE(emu_is_device(d_bytes - 1, 1));
        EXPECT_CUDA(cudaMemset(d_bytes, 1, sizes[i]));
        EXPECT_CUDA(cudaFree(d_bytes));
        EXPECT_FALSE(emu_is_device(d_bytes, 1));
        EXPECT_EQ(cudaFree(d_bytes), cudaErrorInvalidValue);
    }
    EXPECT_CUDA(cudaFree(NULL));
    EXPECT_CUDA(cudaFreeHost(NULL));
    emu_reset();
}

SG_TEST(Runtime, ADeviceHasOnlySoMuchMemory) {
    emu_machine machine = emu_default_machine();
    void *first = NULL, *second = &machine;
    size_t available = 0, total = 0;
    emu_reset();
    machine.memory_bytes = 1 << 20;
    emu_set_machine(&machine);
    EXPECT_CUDA(cudaMalloc(&first, 600 << 10));
    EXPECT_EQ(cudaMalloc(&second, 600 << 10), cudaErrorMemoryAllocation);
    EXPECT_TRUE(second == NULL);
    EXPECT_CUDA(cudaMemGetInfo(&available, &total));
    EXPECT_EQ(total, 1u << 20);
    EXPECT_EQ(available, 424u << 10);
    EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation); /* remembered until it is asked for */
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_CUDA(cudaFree(first));
    EXPECT_CUDA(cudaMalloc(&second, 1 << 20));
    emu_reset();
}

SG_TEST(Runtime, WhatIsAliveIsCounted) {
    emu_resources live;
    cudaEvent_t event = NULL;
    cufftHandle plan = 0;
    emu_reset();
    void *d_bytes = new_on_device(1000), *pinned = new_pinned(0);
    cudaStream_t stream = new_stream();
    EXPECT_CUDA(cudaEventCreate(&event));
    EXPECT_EQ(cufftCreate(&plan), CUFFT_SUCCESS);
    emu_live(&live);
    EXPECT_EQ(live.device_bytes, 1000u);
    EXPECT_EQ(live.pinned_bytes, (size_t)BYTES);
    EXPECT_EQ(live.streams, 1u);
    EXPECT_EQ(live.events, 1u);
    EXPECT_EQ(live.plans, 1u);
    EXPECT_CUDA(cudaFree(d_bytes));
    EXPECT_CUDA(cudaFreeHost(pinned));
    EXPECT_CUDA(cudaStreamDestroy(stream));
    EXPECT_CUDA(cudaEventDestroy(event));
    EXPECT_EQ(cufftDestroy(plan), CUFFT_SUCCESS);
    EXPECT_EQ(cufftCreate(&plan), CUFFT_SUCCESS);
    new_on_device(1);
    emu_reset(); /* frees all */
    emu_live(&live);
    EXPECT_EQ(live.device_bytes + live.pinned_bytes + live.streams + live.events + live.plans, 0u);
}

/* ---------------------------------------------------------------- launches */

SG_TEST(Runtime, LaunchesAreChecked) {
    uint32_t numbers[4] = {0};
    emu_reset();
    uint32_t *d_numbers = new_on_device(1 << 20);
    dim3 one = {1, 1, 1}, none = {0, 1, 1}, most = {1024, 1, 1}, deep = {1, 1, 65}, many = {1025, 1, 1},
         product = {32, 33, 1}, tall = {1, 65536, 1};
    EXPECT_CUDA(planted_visit(NULL, one, most, d_numbers));
    EXPECT_EQ(planted_visit(NULL, none, one, d_numbers), cudaErrorInvalidConfiguration);
    EXPECT_EQ(planted_visit(NULL, one, none, d_numbers), cudaErrorInvalidConfiguration);
    EXPECT_EQ(planted_visit(NULL, one, many, d_numbers), cudaErrorInvalidConfiguration);
    EXPECT_EQ(planted_visit(NULL, one, deep, d_numbers), cudaErrorInvalidConfiguration);
    EXPECT_EQ(planted_visit(NULL, one, product, d_numbers), cudaErrorInvalidConfiguration);
    EXPECT_EQ(planted_visit(NULL, tall, one, d_numbers), cudaErrorInvalidConfiguration);
    EXPECT_EQ(planted_dynamic_shared(NULL, 0, (48 << 10) + 1, d_numbers), cudaErrorInvalidValue);
    EXPECT_EQ(planted_dynamic_shared(NULL, 228 << 10, 1024, d_numbers), cudaErrorInvalidValue); /* not to be had */
    EXPECT_CUDA(planted_dynamic_shared(NULL, 64 << 10, 64 << 10, d_numbers));
    EXPECT_EQ(planted_dynamic_shared(NULL, 0, (64 << 10) + 4, d_numbers), cudaErrorInvalidValue);
    EXPECT_STREQ(emu_last_report(), "");
    EXPECT_EQ(planted_increment(NULL, numbers, 4), cudaErrorInvalidValue); /* memory of the host */
    EXPECT_TRUE(strstr(emu_last_report(), "not into memory of the current device") != NULL);
    EXPECT_CUDA(cudaDeviceSynchronize());
    emu_reset();
}

/* ---------------------------------------------------------------- devices */

SG_TEST(Runtime, StreamsAndMemoryBelongToADevice) {
    emu_machine machine = emu_default_machine();
    cudaEvent_t event = NULL;
    int device = -1, count = 0;
    size_t available = 0, total = 0;
    emu_reset();
    machine.devices = 2;
    emu_set_machine(&machine);
    EXPECT_CUDA(cudaGetDeviceCount(&count));
    EXPECT_EQ(count, 2);
    cudaStream_t stream_0 = new_stream();
    uint32_t *d_on_0 = numbers_on_device(1);
    EXPECT_CUDA(cudaSetDevice(1));
    EXPECT_CUDA(cudaGetDevice(&device));
    EXPECT_EQ(device, 1);
    EXPECT_EQ(cudaSetDevice(2), cudaErrorInvalidDevice);
    EXPECT_CUDA(cudaMemGetInfo(&available, &total));
    EXPECT_EQ(available, total); /* what is allocated is on the other one */
    cudaStream_t stream_1 = new_stream();
    uint32_t *d_on_1 = numbers_on_device(1);
    EXPECT_CUDA(cudaEventCreate(&event));
    EXPECT_CUDA(planted_increment(stream_1, d_on_1, COUNT));
    EXPECT_EQ(planted_increment(stream_0, d_on_1, COUNT), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(planted_increment(stream_1, d_on_0, COUNT), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemsetAsync(d_on_1, 0, 4, stream_0), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaEventRecord(event, stream_0), cudaErrorInvalidResourceHandle);
    EXPECT_CUDA(cudaSetDevice(0));
    EXPECT_EQ(cudaEventRecord(event, stream_0), cudaErrorInvalidResourceHandle); /* the event is of the other one */
    EXPECT_CUDA(planted_increment(stream_0, d_on_0, COUNT));
    EXPECT_CUDA(cudaFree(d_on_1)); /* from any device */
    emu_reset();
}

SG_TEST(Runtime, DevicesSayWhatTheyAre) {
    emu_machine machine = emu_default_machine();
    struct cudaDeviceProp properties;
    int value = 0;
    emu_reset();
    machine.devices = 2;
    machine.major = 8;
    machine.minor = 6;
    machine.multiprocessors = 17;
    machine.shared_bytes_per_block = 99 << 10;
    emu_set_machine(&machine);
    EXPECT_CUDA(cudaGetDeviceProperties(&properties, 1));
    EXPECT_TRUE(strstr(properties.name, "EMU (CPU fibers)") != NULL);
    EXPECT_EQ(properties.major, 8);
    EXPECT_EQ(properties.minor, 6);
    EXPECT_EQ(properties.totalGlobalMem, machine.memory_bytes);
    EXPECT_CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 1));
    EXPECT_EQ(value, 17);
    EXPECT_CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    EXPECT_EQ(value, 99 << 10);
    EXPECT_EQ(cudaGetDeviceProperties(&properties, 2), cudaErrorInvalidDevice);
    EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, -1), cudaErrorInvalidDevice);
    emu_reset();
}

SG_TEST(Runtime, WithoutADriverNothingIsAnswered) {
    emu_machine machine = emu_default_machine();
    int count = 77;
    void *array = NULL;
    cufftHandle plan = 0;
    emu_reset();
    machine.driver = false;
    emu_set_machine(&machine);
    EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorInsufficientDriver);
    EXPECT_EQ(count, 77); /* as CUDA leaves it */
    EXPECT_EQ(cudaMalloc(&array, 4), cudaErrorInsufficientDriver);
    EXPECT_EQ(cufftCreate(&plan), CUFFT_INTERNAL_ERROR);
    machine.driver = true;
    machine.devices = 0;
    emu_set_machine(&machine);
    EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorNoDevice);
    machine.devices = 1;
    machine.major = 7;
    emu_set_machine(&machine);
    uint32_t *d_numbers = numbers_on_device(1);
    EXPECT_EQ(planted_increment(NULL, d_numbers, COUNT), cudaErrorNoKernelImageForDevice);
    emu_reset();
}

/* ---------------------------------------------------------------- faults that tests can order */

/* A few calls of all kinds; returns how many failed. All that was made is released. */
static uint32_t make_calls(void) {
    uint32_t failed = 0, *d_numbers = NULL, *pinned = NULL;
    cudaStream_t stream = NULL;
    cudaEvent_t event = NULL;
    cufftHandle plan = 0;
    long long length = 8;
    size_t work_bytes = 0;
    failed += cudaMalloc((void **)&d_numbers, BYTES) != cudaSuccess;
    failed += cudaMallocHost((void **)&pinned, BYTES) != cudaSuccess;
    failed += cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess;
    failed += cudaEventCreate(&event) != cudaSuccess;
    failed += cufftCreate(&plan) != CUFFT_SUCCESS;
    if (d_numbers && pinned && stream && event && plan) {
        failed +=
            cufftMakePlanMany64(plan, 1, &length, NULL, 1, 8, NULL, 1, 8, CUFFT_C2C, 1, &work_bytes) != CUFFT_SUCCESS;
        failed += cudaMemsetAsync(d_numbers, 0, BYTES, stream) != cudaSuccess;
        failed += planted_increment(stream, d_numbers, COUNT) != cudaSuccess;
        failed += cudaMemcpyAsync(pinned, d_numbers, BYTES, cudaMemcpyDeviceToHost, stream) != cudaSuccess;
        failed += cudaEventRecord(event, stream) != cudaSuccess;
        failed += cudaStreamSynchronize(stream) != cudaSuccess;
    }
    if (plan)
        failed += cufftDestroy(plan) != CUFFT_SUCCESS;
    if (event)
        failed += cudaEventDestroy(event) != cudaSuccess;
    if (stream)
        failed += cudaStreamDestroy(stream) != cudaSuccess;
    if (pinned)
        failed += cudaFreeHost(pinned) != cudaSuccess;
    if (d_numbers)
        failed += cudaFree(d_numbers) != cudaSuccess;
    return failed;
}

SG_TEST(OrderedFault, EveryCallCanBeMadeToFailOnce) {
    emu_resources live;
    emu_reset();
    EXPECT_EQ(make_calls(), 0u);
    uint64_t calls = emu_calls();
    EXPECT_EQ(calls, 16u);
    EXPECT_TRUE(emu_failed_call() == NULL);
    for (uint64_t nth = 1; nth <= calls; nth++) {
        emu_fail_call(nth, 0);
        SG_TRACE("call %d", (int)nth);
        EXPECT_EQ(make_calls(), 1u);
        ASSERT_TRUE(emu_failed_call() != NULL);
        EXPECT_STREQ(emu_failed_call(), nth == 1 ? "cudaMalloc" : nth == 16 ? "cudaFree" : emu_failed_call());
        emu_live(&live);
        EXPECT_EQ(live.device_bytes + live.pinned_bytes + live.streams + live.events + live.plans, 0u);
        EXPECT_EQ(make_calls(), 0u); /* once */
    }
    emu_reset();
}

SG_TEST(OrderedFault, CanBeAimedAtAFunctionWithAnError) {
    void *first = NULL, *second = NULL;
    cufftHandle plan = 0;
    emu_reset();
    emu_fail_function("cudaMalloc", 2, cudaErrorMemoryAllocation);
    EXPECT_CUDA(cudaMalloc(&first, 4));
    EXPECT_CUDA(cudaMemset(first, 0, 4));
    EXPECT_TRUE(emu_failed_call() == NULL);
    EXPECT_EQ(cudaMalloc(&second, 4), cudaErrorMemoryAllocation);
    EXPECT_TRUE(second == NULL);
    EXPECT_STREQ(emu_failed_call(), "cudaMalloc");
    EXPECT_EQ(cudaPeekAtLastError(), cudaErrorMemoryAllocation);
    EXPECT_CUDA(cudaMalloc(&second, 4));
    emu_fail_function("cudaLaunchKernelExC", 1, cudaErrorLaunchOutOfResources);
    EXPECT_EQ(planted_increment(NULL, first, 1), cudaErrorLaunchOutOfResources);
    emu_fail_function("cufftCreate", 1, cudaErrorMemoryAllocation);
    EXPECT_EQ(cufftCreate(&plan), CUFFT_ALLOC_FAILED);
    emu_fail_function("cudaFree", 1, 0);
    EXPECT_NE(cudaFree(first), cudaSuccess);
    EXPECT_FALSE(emu_is_device(first, 4));
    emu_fail_function("cudaMalloc", 1, 0);
    emu_fail_call(0, 0); /* called off */
    EXPECT_CUDA(cudaMalloc(&first, 4));
    emu_reset();
}

SG_TEST(OrderedFault, ALaunchCanBeDropped) {
    emu_reset();
    uint32_t *d_numbers = numbers_on_device(1);
    emu_drop_launch(2);
    for (int i = 0; i < 3; i++)
        EXPECT_CUDA(planted_increment(NULL, d_numbers, COUNT));
    EXPECT_EQ(first_of(d_numbers), 3u);
    emu_reset();
}

SG_TEST(OrderedFault, ABarrierCanBeTakenAway) {
    uint32_t numbers[4 * PLANTED_THREADS], out[PLANTED_THREADS];
    uint64_t random = 9;
    if (EMU_UNDER_TSAN)
        SG_SKIP("this is a race");
    for (size_t i = 0; i < 4 * PLANTED_THREADS; i++)
        numbers[i] = next_number(&random);
    for (int site = 0; site <= 1; site++) {
        emu_reset();
        emu_skip_barrier(site);
        uint32_t *d_numbers = to_device(numbers, sizeof numbers), *d_out = new_on_device(sizeof out), wrong = 0;
        EXPECT_CUDA(planted_solve(NULL, PLANTED_LOAD, false, d_numbers, d_out));
        to_host(out, d_out, sizeof out);
        EXPECT_EQ(emu_barrier_sites(), 1);
        EXPECT_TRUE(strstr(emu_barrier_site(1), "planted.cu:") != NULL);
        for (size_t i = 0; i < PLANTED_THREADS; i++)
            wrong += out[i] != numbers[PLANTED_THREADS - 1 - i];
        EXPECT_EQ(wrong > 0, site == 1);
        EXPECT_CUDA(planted_solve(NULL, PLANTED_WARP, false, d_numbers, d_out)); /* three barriers of warps */
        EXPECT_CUDA(cudaDeviceSynchronize());
        EXPECT_EQ(emu_barrier_sites(), 4);
    }
    emu_reset();
}

SG_TEST(OrderedFault, AtomicsCanBeMadePlain) {
    enum { THREADS = 256 };
    static uint32_t tickets[THREADS + 1];
    if (EMU_UNDER_TSAN)
        SG_SKIP("these are races");
    for (uint64_t seed = 1; seed <= 20; seed++) {
        emu_reset();
        emu_seed(seed);
        emu_plain_atomics(true);
        memset(tickets, 0, sizeof tickets);
        uint32_t *d_tickets = to_device(tickets, sizeof tickets);
        ASSERT_CUDA(planted_tickets(NULL, THREADS, d_tickets));
        to_host(tickets, d_tickets, sizeof tickets);
        EXPECT_LT(tickets[THREADS], (uint32_t)THREADS);
    }
    emu_reset();
}
