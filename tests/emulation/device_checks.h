/* What the tests of the emulation share: checked calls, arrays on the device, and processes that should not survive. */
#ifndef EMU_DEVICE_CHECKS_H
#define EMU_DEVICE_CHECKS_H

#include "emulation.h"
#include "sgtest.h"

#include <cuda_runtime_api.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__)
#define EMU_UNDER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define EMU_UNDER_TSAN 1
#endif
#endif
#ifndef EMU_UNDER_TSAN
#define EMU_UNDER_TSAN 0
#endif

#if defined(__SANITIZE_ADDRESS__)
#define EMU_UNDER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EMU_UNDER_ASAN 1
#endif
#endif
#ifndef EMU_UNDER_ASAN
#define EMU_UNDER_ASAN 0
#endif

#define EXPECT_CUDA(call) EXPECT_STREQ(cudaGetErrorName(call), "cudaSuccess")
#define ASSERT_CUDA(call) ASSERT_STREQ(cudaGetErrorName(call), "cudaSuccess")

static inline void *new_on_device(size_t bytes) {
    void *array = NULL;
    ASSERT_CUDA(cudaMalloc(&array, bytes));
    return array;
}

static inline void *to_device(const void *host, size_t bytes) {
    void *array = new_on_device(bytes);
    ASSERT_CUDA(cudaMemcpy(array, host, bytes, cudaMemcpyHostToDevice));
    return array;
}

static inline void to_host(void *host, const void *device, size_t bytes) {
    ASSERT_CUDA(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
}

static inline cudaStream_t new_stream(void) {
    cudaStream_t stream = NULL;
    ASSERT_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

static inline uint32_t next_number(uint64_t *state) { /* xorshift */
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 16);
}

/* Whether body survives in a process of its own; what that writes to stderr goes to text. */
static inline bool survives(void (*body)(void), char *text, size_t size) {
    int ends[2] = {0}, status = 0;
    size_t length = 0;
    ASSERT_EQ(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        body();
        _exit(0);
    }
    close(ends[1]);
    for (ssize_t got = 1; got > 0 && length + 1 < size; length += got > 0 ? (size_t)got : 0)
        got = read(ends[0], text + length, size - 1 - length);
    text[length] = 0;
    close(ends[0]);
    ASSERT_EQ(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

#endif
