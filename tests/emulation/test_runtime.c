/* The emulated runtime: launches and devices. */
#include "number_arrays.h"
#include "planted.h"

#include <cufft.h>

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

SG_TEST(Runtime, PointersInStructuresAreCheckedLikeOthers) {
    emu_machine machine = emu_default_machine();
    uint32_t numbers[4] = {1, 2, 3, 4};
    emu_reset();
    machine.devices = 2;
    emu_set_machine(&machine);
    EXPECT_CUDA(cudaSetDevice(1));
    uint32_t *d_elsewhere = to_device(numbers, sizeof numbers);
    EXPECT_CUDA(cudaSetDevice(0));
    uint32_t *d_in = to_device(numbers, sizeof numbers), *d_out = new_on_device(sizeof numbers);
    EXPECT_CUDA(planted_do_job(NULL, (planted_job){5, {d_in, 4, d_out}}));
    EXPECT_EQ(first_of(d_out + 3), 9u);
    EXPECT_CUDA(planted_do_job(NULL, (planted_job){5, {NULL, 0, d_out + 4}})); /* never read */
    EXPECT_STREQ(emu_last_report(), "");
    const planted_job wrong[] = {
        {5, {numbers, 4, d_out}}, {5, {d_in, 4, numbers}}, {5, {d_elsewhere, 4, d_out}}, {5, {d_in, 4, d_elsewhere}}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        EXPECT_EQ(planted_do_job(NULL, wrong[i]), cudaErrorInvalidValue);
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
