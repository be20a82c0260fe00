/* The emulation notices faults. A suite that runs on it and cannot fail would prove nothing: each kind of fault that it
 * is there to find is planted in a kernel of planted.cu and must be noticed in every seed, and the same kernel without
 * the fault must be right and silent in every seed. What only ThreadSanitizer can see is in race_planted.c. */
#include "device_checks.h"
#include "planted.h"

enum { NUMBERS = 4 * PLANTED_THREADS, SEEDS = 20 };

typedef struct fault_case {
    const char *name;
    planted_fault kind;
} fault_case;

/* These give wrong answers under the shuffled schedule ... */
static const fault_case showing[] = {
    {"barrier_after_load", PLANTED_LOAD},     {"barrier_before_reuse", PLANTED_REUSE},
    {"barrier_after_clear", PLANTED_CLEAR},   {"barrier_before_store", PLANTED_STORE},
    {"barrier_in_reduction", PLANTED_REDUCE}, {"barrier_of_warp", PLANTED_WARP},
};
/* ... and of these only ThreadSanitizer knows. */
static const fault_case hidden[] = {
    {"atomic_in_shared_memory", PLANTED_UPDATE},
    {"atomic_between_blocks", PLANTED_BLOCKS},
};

static const char *showing_name(size_t i) {
    return showing[i].name;
}

static const char *hidden_name(size_t i) {
    return hidden[i].name;
}

/* The right answer, as planted.h says it; returns how many elements it has. */
static size_t right_answer(planted_fault kind, const uint32_t *in, uint32_t *out) {
    size_t counts[] = {[PLANTED_LOAD] = PLANTED_THREADS,
                       [PLANTED_REUSE] = PLANTED_THREADS,
                       [PLANTED_CLEAR] = PLANTED_BINS,
                       [PLANTED_STORE] = PLANTED_BINS,
                       [PLANTED_REDUCE] = 1,
                       [PLANTED_WARP] = PLANTED_THREADS,
                       [PLANTED_UPDATE] = PLANTED_THREADS / 32,
                       [PLANTED_BLOCKS] = PLANTED_THREADS / 32};
    uint32_t sum = 0;
    memset(out, 0, PLANTED_THREADS * sizeof *out);
    for (size_t i = 0; i < NUMBERS; i++) {
        sum += in[i];
        if (kind == PLANTED_CLEAR || kind == PLANTED_STORE)
            out[in[i] % PLANTED_BINS]++;
    }
    for (size_t i = 0; i < PLANTED_THREADS; i++) {
        if (kind == PLANTED_LOAD)
            out[i] = in[PLANTED_THREADS - 1 - i];
        if (kind == PLANTED_REUSE || (kind == PLANTED_REDUCE && i == 0))
            out[i] = sum;
        if (kind == PLANTED_WARP)
            out[i] = in[i] + in[i ^ 1];
        if (kind == PLANTED_UPDATE || kind == PLANTED_BLOCKS)
            out[i / 32] |= (in[i] & 1) << i % 32;
    }
    return counts[kind];
}

/* Whether the kernel's answer is right, in a schedule. */
static bool is_solved(planted_fault kind, bool with_fault, uint64_t seed, emu_thread_order order) {
    uint32_t in[NUMBERS], out[PLANTED_THREADS] = {0}, expected[PLANTED_THREADS];
    uint64_t random = seed * 977 + 1;
    emu_reset();
    emu_seed(seed);
    emu_order(order);
    for (size_t i = 0; i < NUMBERS; i++)
        in[i] = next_number(&random);
    uint32_t *d_in = to_device(in, sizeof in), *d_out = to_device(out, sizeof out);
    EXPECT_CUDA(planted_solve(NULL, kind, with_fault, d_in, d_out));
    to_host(out, d_out, sizeof out);
    size_t count = right_answer(kind, in, expected);
    EXPECT_CUDA(cudaFree(d_in));
    EXPECT_CUDA(cudaFree(d_out));
    return memcmp(out, expected, count * sizeof *out) == 0;
}

static void expect_right_and_silent(planted_fault kind) {
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        SG_TRACE("seed %d", (int)seed);
        EXPECT_TRUE(is_solved(kind, false, seed, EMU_SHUFFLED));
        EXPECT_STREQ(emu_last_report(), "");
    }
    EXPECT_TRUE(is_solved(kind, false, 1, EMU_FORWARD));
    EXPECT_TRUE(is_solved(kind, false, 1, EMU_REVERSE));
    EXPECT_STREQ(emu_last_report(), "");
    emu_reset();
}

SG_TEST_P(Planted, KernelIsRightAndSilentWithoutTheFault, fault_case, showing, showing_name) {
    expect_right_and_silent(param->kind);
}

SG_TEST_P(Planted, KernelIsRightAndSilentWithTheAtomic, fault_case, hidden, hidden_name) {
    expect_right_and_silent(param->kind);
}

SG_TEST_P(Planted, MissingBarrierShowsInEverySeed, fault_case, showing, showing_name) {
    if (EMU_UNDER_TSAN)
        SG_SKIP("ThreadSanitizer would end the program at the first fault, see race_planted.c");
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        SG_TRACE("seed %d", (int)seed);
        EXPECT_FALSE(is_solved(param->kind, true, seed, EMU_SHUFFLED));
    }
    emu_reset();
}

/* ---------------------------------------------------------------- threads that do not keep together */

typedef struct misuse_case {
    const char *name;
    planted_misuse kind;
    const char *says;
} misuse_case;

static const misuse_case misuse_cases[] = {
    {"divergent_barrier", PLANTED_DIVERGENT_BARRIER, "divergent barrier"},
    {"outside_mask", PLANTED_OUTSIDE_MASK, "not in its own mask"},
    {"different_collectives", PLANTED_DIFFERENT_COLLECTIVES, "lanes of this mask wait at"},
    {"deadlock", PLANTED_DEADLOCK, "deadlock"},
    {"trap", PLANTED_TRAP, "__trap"},
};

static const char *misuse_name(size_t i) {
    return misuse_cases[i].name;
}

SG_TEST_P(Planted, MisuseEndsTheKernelInEveryOrder, misuse_case, misuse_cases, misuse_name) {
    if (EMU_UNDER_TSAN)
        SG_SKIP("the kernel is left in the middle, which ThreadSanitizer may report");
    for (uint64_t seed = 1; seed <= SEEDS + 2; seed++) {
        SG_TRACE("seed %d", (int)seed);
        emu_reset();
        emu_seed(seed);
        emu_order(seed > SEEDS ? (emu_thread_order)(seed - SEEDS - 1) : EMU_SHUFFLED);
        uint32_t *d_out = new_on_device(64 * sizeof *d_out);
        EXPECT_CUDA(planted_misuse_launch(NULL, param->kind, d_out));
        EXPECT_STREQ(emu_last_report(), ""); /* nothing has run so far */
        EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
        EXPECT_TRUE(strstr(emu_last_report(), param->says) != NULL);
        EXPECT_TRUE(strstr(emu_last_report(), "planted.cu") != NULL);
        EXPECT_EQ(cudaMemset(d_out, 0, 4), cudaErrorLaunchFailure); /* the device is lost until it is reset */
        EXPECT_EQ(planted_increment(NULL, d_out, 1), cudaErrorLaunchFailure);
    }
    emu_reset();
    uint32_t one = 1, *d_one = to_device(&one, sizeof one);
    EXPECT_CUDA(planted_increment(NULL, d_one, 1));
    to_host(&one, d_one, sizeof one);
    EXPECT_EQ(one, 2u);
    emu_reset();
}

/* One thread leaves before the others come together: in forward order the first thread leaves before any other has
 * come and the last one when all others wait, in reverse order the other way round. */
typedef struct meeting_case {
    const char *name;
    planted_meeting where;
    const char *when_gone, *when_going; /* the report when it has left before the first other comes, or leaves last */
} meeting_case;

static const meeting_case meeting_cases[] = {
    {"barrier", PLANTED_AT_BARRIER, "after 1 threads have exited", "a thread exits while 127 threads wait"},
    {"ballot", PLANTED_AT_BALLOT, "of the mask ffffffff have exited", "a lane exits while others wait"},
    {"shuffle", PLANTED_AT_SHUFFLE, "of the mask ffffffff have exited", "a lane exits while others wait"},
    {"syncwarp", PLANTED_AT_SYNC, "of the mask ffffffff have exited", "a lane exits while others wait"},
};

static const unsigned leavers[] = {0, 37, PLANTED_THREADS - 1};

static const char *meeting_name(size_t i) {
    return meeting_cases[i].name;
}

/* out is filled with 7 before. */
static cudaError_t leave(const meeting_case *meeting, unsigned leaver, uint32_t *out) {
    for (size_t i = 0; i < PLANTED_THREADS; i++)
        out[i] = 7;
    uint32_t *d_out = to_device(out, PLANTED_THREADS * sizeof *out);
    EXPECT_CUDA(planted_leave(NULL, meeting->where, leaver, d_out));
    cudaError_t error = cudaDeviceSynchronize();
    if (error == cudaSuccess)
        to_host(out, d_out, PLANTED_THREADS * sizeof *out);
    return error;
}

static void expect_left_in(emu_thread_order order, uint64_t seed, const meeting_case *meeting, unsigned leaver,
                           const char *says) {
    uint32_t out[PLANTED_THREADS];
    SG_TRACE("order %d, seed %d, thread %u leaves", (int)order, (int)seed, leaver);
    emu_reset();
    emu_seed(seed);
    emu_order(order);
    EXPECT_EQ(leave(meeting, leaver, out), cudaErrorLaunchFailure);
    EXPECT_TRUE(strstr(emu_last_report(), says) != NULL);
    EXPECT_TRUE(strstr(emu_last_report(), "planted.cu:") != NULL);
}

SG_TEST_P(Planted, LeavingOthersAloneEndsTheKernelInEveryOrder, meeting_case, meeting_cases, meeting_name) {
    if (EMU_UNDER_TSAN)
        SG_SKIP("the kernel is left in the middle, which ThreadSanitizer may report");
    expect_left_in(EMU_FORWARD, 1, param, 0, param->when_gone);
    expect_left_in(EMU_FORWARD, 1, param, PLANTED_THREADS - 1, param->when_going);
    expect_left_in(EMU_REVERSE, 1, param, 0, param->when_going);
    expect_left_in(EMU_REVERSE, 1, param, PLANTED_THREADS - 1, param->when_gone);
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        expect_left_in(EMU_SHUFFLED, seed, param, leavers[seed % 3], "exit");
    emu_reset();
}

/* What planted.h promises; the value of a lane that is not there is garbage. */
static uint32_t found_without(planted_meeting where, unsigned leaver, unsigned thread) {
    bool in_warp = thread / 32 == leaver / 32;
    switch (where) {
    case PLANTED_AT_BARRIER:
        return PLANTED_THREADS - 1;
    case PLANTED_AT_BALLOT:
        return in_warp ? ~(UINT32_C(1) << leaver % 32) : UINT32_MAX;
    case PLANTED_AT_SHUFFLE:
        return in_warp ? 0xdeadbeef : thread / 32 * 32 + leaver % 32;
    case PLANTED_AT_SYNC:
        break;
    }
    return 1;
}

SG_TEST_P(Planted, LeavingOthersAloneIsAllowedOnRequest, meeting_case, meeting_cases, meeting_name) {
    uint32_t out[PLANTED_THREADS];
    for (uint64_t seed = 1; seed <= SEEDS + 2; seed++)
        for (size_t i = 0; i < sizeof leavers / sizeof leavers[0]; i++) {
            SG_TRACE("seed %d, thread %u leaves", (int)seed, leavers[i]);
            emu_reset();
            emu_strict(false);
            emu_seed(seed);
            emu_order(seed > SEEDS ? (emu_thread_order)(seed - SEEDS - 1) : EMU_SHUFFLED);
            ASSERT_CUDA(leave(param, leavers[i], out));
            EXPECT_STREQ(emu_last_report(), "");
            for (unsigned thread = 0; thread < PLANTED_THREADS; thread++)
                EXPECT_EQ(out[thread], thread == leavers[i] ? 7 : found_without(param->where, leavers[i], thread));
        }
    emu_reset();
}

/* ---------------------------------------------------------------- accesses out of bounds */

static void overrun(void) {
    uint32_t *d_out = new_on_device(1024 * sizeof *d_out);
    EXPECT_CUDA(planted_overrun(NULL, d_out, 1024));
    cudaDeviceSynchronize();
}

static void stay_in_bounds(void) {
    uint32_t *d_out = new_on_device(1025 * sizeof *d_out);
    EXPECT_CUDA(planted_overrun(NULL, d_out, 1024));
    cudaDeviceSynchronize();
}

static void use_after_free(void) {
    uint32_t *d_out = new_on_device(1024 * sizeof *d_out);
    uint32_t *d_gone = d_out;
    EXPECT_CUDA(cudaFree(d_out));
    *(volatile uint32_t *)d_gone = 1;
}

static void overrun_shared(void) {
    uint32_t *d_out = new_on_device(PLANTED_THREADS * sizeof *d_out);
    EXPECT_CUDA(planted_shared_overrun(NULL, d_out));
    if (cudaDeviceSynchronize() != cudaSuccess)
        _exit(3);
}

static void read_on_host(void) {
    uint32_t *d_out = new_on_device(1024 * sizeof *d_out);
    EXPECT_CUDA(cudaMemset(d_out, 0, 4096));
    EXPECT_CUDA(cudaDeviceSynchronize());
    if (*(volatile uint32_t *)d_out)
        abort();
}

SG_TEST(Planted, DeviceMemoryEndsWhereItEnds) {
    char text[4096];
    emu_reset();
    EXPECT_TRUE(survives(stay_in_bounds, text, sizeof text));
    EXPECT_FALSE(survives(overrun, text, sizeof text));
    EXPECT_TRUE(strstr(text, "a kernel touched byte 4096 of an allocation of 4096") != NULL ||
                strstr(text, "Sanitizer") != NULL);
    EXPECT_FALSE(survives(use_after_free, text, sizeof text));
}

SG_TEST(Planted, SharedMemoryEndsWhereItEnds) {
    char text[4096];
    if (!EMU_UNDER_ASAN)
        SG_SKIP("AddressSanitizer sees this one");
    emu_reset();
    EXPECT_FALSE(survives(overrun_shared, text, sizeof text));
    EXPECT_TRUE(strstr(text, "heap-buffer-overflow") != NULL);
}

SG_TEST(Planted, HostCodeCannotReadDeviceMemory) {
    char text[4096];
    emu_reset();
    EXPECT_FALSE(survives(read_on_host, text, sizeof text));
    EXPECT_TRUE(strstr(text, "host code touched device memory") != NULL || strstr(text, "Sanitizer") != NULL);
}
