/* The schedule of the emulation: repeatable, and hostile in each of the ways it promises. Other tests find faults
 * because of it, so it must not become tame unseen. */
#include "device_checks.h"
#include "planted.h"

#include <cufft.h>

/* ---------------------------------------------------------------- threads */

enum { THREADS = 256, WARPS = THREADS / 32 };

/* ticket[t]: how many threads of the block came before thread t. */
static void take_tickets(emu_thread_order order, uint64_t seed, uint32_t *ticket) {
    uint32_t counted[THREADS + 1] = {0};
    emu_reset();
    emu_order(order);
    emu_seed(seed);
    uint32_t *d_counted = to_device(counted, sizeof counted);
    ASSERT_CUDA(planted_tickets(NULL, THREADS, d_counted));
    to_host(counted, d_counted, sizeof counted);
    ASSERT_EQ(counted[THREADS], (uint32_t)THREADS);
    memcpy(ticket, counted, THREADS * sizeof *ticket);
    emu_reset();
}

SG_TEST(Schedule, ThreadsRunForwardOrInReverseOnRequest) {
    uint32_t forward[THREADS], reverse[THREADS], wrong = 0;
    take_tickets(EMU_FORWARD, 1, forward);
    take_tickets(EMU_REVERSE, 1, reverse);
    for (uint32_t t = 0; t < THREADS; t++)
        wrong += (forward[t] != t) + (reverse[t] != THREADS - 1 - t);
    EXPECT_EQ(wrong, 0u);
}

SG_TEST(Schedule, DependsOnTheSeedAndNotOnWhatRanBefore) {
    uint32_t first[THREADS], again[THREADS], other[THREADS];
    for (uint64_t seed = 1; seed <= 20; seed++) {
        SG_TRACE("seed %d", (int)seed);
        take_tickets(EMU_SHUFFLED, seed, first);
        take_tickets(EMU_SHUFFLED, seed + 1, other);
        take_tickets(EMU_SHUFFLED, seed, again);
        EXPECT_MEMEQ(first, again, sizeof first);
        EXPECT_TRUE(memcmp(first, other, sizeof first) != 0);
    }
}

SG_TEST(Schedule, ShufflesTheLanesOfAWarpAndTheWarpsOfABlock) {
    uint32_t ticket[THREADS], thread[THREADS], descents = 0, switches = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        take_tickets(EMU_SHUFFLED, seed, ticket);
        for (uint32_t t = 0; t < THREADS; t++)
            thread[ticket[t]] = t;
        for (uint32_t i = 1; i < THREADS; i++) {
            descents += thread[i] / 32 == thread[i - 1] / 32 && thread[i] < thread[i - 1];
            switches += thread[i] / 32 != thread[i - 1] / 32;
        }
    }
    EXPECT_LT(20u * THREADS / 8, descents);     /* one in a warp after it has wrapped around would be 20 * 8 */
    EXPECT_LT(20u * 2 * (WARPS - 1), switches); /* warps one after another would be 20 * 7 */
}

/* Lanes past the end of the block do not exist: nobody waits for them, and nothing comes from them. */
static const unsigned partial_blocks[] = {1, 31, 33, 255, 257};

SG_TEST_P(Schedule, WarpsMayBePartial, unsigned, partial_blocks, NULL) {
    uint32_t values[257];
    planted_collectives got[257];
    uint64_t random = 1;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        emu_reset();
        emu_seed(seed);
        for (unsigned i = 0; i < *param; i++)
            values[i] = next_number(&random);
        uint32_t *d_values = to_device(values, sizeof values), wrong = 0;
        planted_collectives *d_got = new_on_device(sizeof got);
        ASSERT_CUDA(planted_collectives_launch(NULL, *param, UINT32_MAX, d_values, d_got));
        to_host(got, d_got, sizeof got);
        EXPECT_STREQ(emu_last_report(), "");
        for (unsigned t = 0; t < *param; t++) {
            uint32_t ballot = 0, sum = 0;
            for (unsigned i = t / 32 * 32; i < *param && i < t / 32 * 32 + 32; i++) {
                ballot |= (values[i] & 1) << i % 32;
                sum += values[i];
            }
            wrong += got[t].ballot != ballot || got[t].sum != sum;
        }
        EXPECT_EQ(wrong, 0u);
        unsigned last = *param - 1; /* the lane 7 further on is not there, or outside the warp */
        EXPECT_EQ(got[last].down_7, last % 32 + 7 > 31 ? values[last] : 0xdeadbeefu);
    }
    emu_reset();
}

/* ---------------------------------------------------------------- streams */

static const int all_progress[] = {EMU_EAGER, EMU_LAZY, EMU_RANDOM};

/* Two events that go around three streams: a wait is for the record before it, wherever the event is recorded next. */
SG_TEST_P(Schedule, EventsMayMoveBetweenStreams, int, all_progress, NULL) {
    enum { STEPS = 30 };
    for (uint64_t seed = 1; seed <= 20; seed++) {
        uint32_t seen[STEPS] = {0}, wrong = 0;
        emu_reset();
        emu_seed(seed);
        emu_async((emu_progress)*param);
        uint32_t *d_number = to_device(seen, sizeof *seen), *d_seen = new_on_device(sizeof seen);
        cudaStream_t streams[3] = {new_stream(), new_stream(), new_stream()};
        cudaEvent_t events[2] = {NULL, NULL};
        EXPECT_CUDA(cudaEventCreate(&events[0]));
        EXPECT_CUDA(cudaEventCreate(&events[1]));
        for (int step = 0; step < STEPS; step++) {
            cudaStream_t now = streams[step % 3], next = streams[(step + 1) % 3];
            EXPECT_CUDA(planted_increment(now, d_number, 1));
            EXPECT_CUDA(cudaMemcpyAsync(d_seen + step, d_number, sizeof *seen, cudaMemcpyDeviceToDevice, now));
            EXPECT_CUDA(cudaEventRecord(events[step % 2], now));
            EXPECT_CUDA(cudaStreamWaitEvent(next, events[step % 2], 0));
        }
        EXPECT_CUDA(cudaStreamSynchronize(streams[STEPS % 3]));
        to_host(seen, d_seen, sizeof seen);
        for (uint32_t step = 0; step < STEPS; step++)
            wrong += seen[step] != step + 1;
        EXPECT_EQ(wrong, 0u);
        EXPECT_CUDA(cudaEventQuery(events[0]));
        EXPECT_CUDA(cudaEventQuery(events[1]));
    }
    emu_reset();
}

SG_TEST(Schedule, EventsThatAreGoneOrNeverRecordedAreRefused) {
    cudaEvent_t first = NULL, last = NULL;
    float milliseconds = 0;
    emu_reset();
    cudaStream_t stream = new_stream();
    EXPECT_CUDA(cudaEventCreate(&first));
    EXPECT_CUDA(cudaEventCreate(&last));
    EXPECT_CUDA(cudaEventRecord(first, stream));
    EXPECT_CUDA(cudaEventSynchronize(first));
    EXPECT_EQ(cudaEventElapsedTime(&milliseconds, first, last), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaEventElapsedTime(&milliseconds, last, first), cudaErrorInvalidResourceHandle);
    EXPECT_CUDA(cudaEventDestroy(last));
    EXPECT_EQ(cudaEventElapsedTime(&milliseconds, first, last), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaEventRecord(last, stream), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaEventQuery(last), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaEventSynchronize(last), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaStreamWaitEvent(stream, last, 0), cudaErrorInvalidResourceHandle);
    emu_reset();
}

/* ---------------------------------------------------------------- devices */

SG_TEST(Schedule, ADeviceIsWaitedForByItself) {
    emu_machine machine = emu_default_machine();
    uint32_t number = 5, *pinned = NULL;
    emu_reset();
    machine.devices = 2;
    emu_set_machine(&machine);
    ASSERT_CUDA(cudaMallocHost((void **)&pinned, sizeof *pinned));
    *pinned = 0;
    uint32_t *d_number = to_device(&number, sizeof number);
    cudaStream_t stream = new_stream();
    EXPECT_CUDA(cudaMemcpyAsync(pinned, d_number, sizeof number, cudaMemcpyDeviceToHost, stream));
    EXPECT_CUDA(cudaSetDevice(1));
    EXPECT_CUDA(cudaDeviceSynchronize());
    EXPECT_EQ(*pinned, 0u);
    EXPECT_CUDA(cudaSetDevice(0));
    EXPECT_CUDA(cudaDeviceSynchronize());
    EXPECT_EQ(*pinned, 5u);
    emu_reset();
}

SG_TEST(Schedule, APlanBelongsToADevice) {
    emu_machine machine = emu_default_machine();
    cufftComplex numbers[8] = {{1, 0}};
    cufftHandle plan = 0;
    int length = 8;
    size_t work_bytes = 0;
    emu_reset();
    machine.devices = 2;
    emu_set_machine(&machine);
    cufftComplex *d_on_0 = to_device(numbers, sizeof numbers);
    EXPECT_CUDA(cudaSetDevice(1));
    cufftComplex *d_on_1 = to_device(numbers, sizeof numbers);
    EXPECT_EQ(cufftCreate(&plan), CUFFT_SUCCESS);
    EXPECT_EQ(cufftMakePlanMany(plan, 1, &length, NULL, 1, 8, NULL, 1, 8, CUFFT_C2C, 1, &work_bytes), CUFFT_SUCCESS);
    EXPECT_CUDA(cudaSetDevice(0));
    EXPECT_EQ(cufftExecC2C(plan, d_on_0, d_on_0, CUFFT_FORWARD), CUFFT_EXEC_FAILED);
    EXPECT_TRUE(strstr(emu_last_report(), "plan of another device") != NULL);
    EXPECT_CUDA(cudaSetDevice(1));
    EXPECT_EQ(cufftExecC2C(plan, d_on_1, d_on_1, CUFFT_FORWARD), CUFFT_SUCCESS);
    EXPECT_CUDA(cudaDeviceSynchronize());
    emu_reset();
}

/* ---------------------------------------------------------------- names */

/* Functions that do the same are still two for emu_fail_function. */
SG_TEST(Schedule, FaultsFindEveryFunctionByItsOwnName) {
    void *pinned = NULL;
    cudaStream_t stream = NULL;
    cudaEvent_t event = NULL;
    emu_reset();
    emu_fail_function("cudaHostAlloc", 1, 0);
    EXPECT_EQ(cudaHostAlloc(&pinned, 4, cudaHostAllocDefault), cudaErrorMemoryAllocation);
    emu_fail_function("cudaStreamCreate", 1, 0);
    EXPECT_EQ(cudaStreamCreate(&stream), cudaErrorUnknown);
    EXPECT_STREQ(emu_failed_call(), "cudaStreamCreate");
    emu_fail_function("cudaEventCreate", 1, 0);
    EXPECT_EQ(cudaEventCreate(&event), cudaErrorUnknown);
    EXPECT_TRUE(pinned == NULL && stream == NULL && event == NULL);
    emu_reset();
}
