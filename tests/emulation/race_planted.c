/* Runs one kernel of planted.cu with its fault, or, with the argument "none", all of them without. Built and run under
 * ThreadSanitizer only, which must find the race that the fault is (ctest expects a failure), and must be silent about
 * the correct kernels: it knows of barriers, warp collectives and atomics, each CUDA thread being a fiber of its own to
 * it. Some of these races no order of running one thread after another can show. */
#include "emulation.h"
#include "planted.h"

#include <stdio.h>
#include <string.h>

enum { NUMBERS = 4 * PLANTED_THREADS, SEEDS = 3 };

static const struct {
    const char *name;
    planted_fault kind;
} faults[] = {{"load", PLANTED_LOAD},     {"reuse", PLANTED_REUSE},   {"clear", PLANTED_CLEAR},
              {"store", PLANTED_STORE},   {"reduce", PLANTED_REDUCE}, {"warp", PLANTED_WARP},
              {"update", PLANTED_UPDATE}, {"blocks", PLANTED_BLOCKS}};

static cudaError_t run(planted_fault kind, bool with_fault) {
    uint32_t numbers[NUMBERS], *d_in = NULL, *d_out = NULL;
    for (size_t i = 0; i < NUMBERS; i++)
        numbers[i] = (uint32_t)(i * 2654435761u >> 7 | 1);
    cudaError_t error = cudaMalloc((void **)&d_in, sizeof numbers);
    if (error == cudaSuccess)
        error = cudaMalloc((void **)&d_out, sizeof numbers);
    if (error == cudaSuccess)
        error = cudaMemcpy(d_in, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    if (error == cudaSuccess)
        error = cudaMemset(d_out, 0, sizeof numbers);
    if (error == cudaSuccess)
        error = planted_solve(NULL, kind, with_fault, d_in, d_out);
    if (error == cudaSuccess)
        error = cudaMemcpy(numbers, d_out, sizeof numbers, cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return error;
}

int main(int argc, char **argv) {
    const char *fault = argc == 2 ? argv[1] : "";
    bool correct = strcmp(fault, "none") == 0, failed = false;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        bool with_fault = strcmp(fault, faults[i].name) == 0;
        for (uint64_t seed = 1; seed <= SEEDS && (with_fault || correct); seed++) {
            emu_seed(seed);
            cudaError_t error = run(faults[i].kind, with_fault);
            failed |= error != cudaSuccess;
            printf("%s: %s\n", faults[i].name, cudaGetErrorName(error));
        }
    }
    return correct && failed; /* a race is for ThreadSanitizer alone to fail */
}
