/* The emulated runtime: copies and memory. */
#include "number_arrays.h"

#include <cufft.h>

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
