/* Correct OpenMP code of the kinds this library uses. Built and run under ThreadSanitizer only, where it must be
 * silent: that shows that the sanitizer sees the synchronisation of the OpenMP runtime, and so that a report from
 * another test is a real race. */
#include <stdint.h>
#include <stdio.h>

enum { COUNT = 100000, THREADS = 2 };
static uint32_t values[COUNT];

int main(void) {
    uint64_t sum = 0;
    uint64_t blocks = 0;
    for (int round = 0; round < 3; round++) {
#pragma omp parallel for num_threads(THREADS) schedule(dynamic, 64)
        for (int i = 0; i < COUNT; i++)
            values[i] += (uint32_t)i;
#pragma omp parallel for num_threads(THREADS) reduction(+ : sum) /* reads what other threads wrote */
        for (int i = 0; i < COUNT; i++)
            sum += values[COUNT - 1 - i];
#pragma omp parallel num_threads(THREADS)
        {
#pragma omp for
            for (int i = 0; i < COUNT; i++)
                values[i] ^= 1;
#pragma omp for /* the barrier before it orders both loops */
            for (int i = 0; i < COUNT; i++)
                values[COUNT - 1 - i] ^= 1;
#pragma omp critical
            values[0] ^= 1;
#pragma omp atomic
            blocks += 1;
        }
#pragma omp parallel num_threads(THREADS)
#pragma omp single
        for (int task = 0; task < 8; task++) {
#pragma omp task depend(inout : values[1])
            values[1] += (uint32_t)task;
        }
    }
    printf("%llu %llu\n", (unsigned long long)sum, (unsigned long long)blocks);
    return 0;
}
