/* A planted data race: `sum` is shared and should have been a reduction. ThreadSanitizer must find it (ctest expects a
 * failure). */
#include <stdint.h>
#include <stdio.h>

int main(void) {
    uint64_t sum = 0;
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 100000; i++)
        sum += (uint64_t)i;
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
