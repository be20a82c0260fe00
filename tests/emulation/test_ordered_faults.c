/* Faults that tests can order: they happen where and as often as ordered. */
#include "number_arrays.h"
#include "planted.h"

#include <cufft.h>

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
