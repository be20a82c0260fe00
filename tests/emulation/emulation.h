/* Control of the CUDA emulation, for tests in C.
 *
 * The emulation serves the CUDA runtime and cuFFT calls that cuda/ makes and executes its kernels on the CPU, one
 * thread at a time, so that a test run is repeatable: the schedule depends on the seed and the calls alone. It is
 * hostile where CUDA gives no promise:
 *
 * - CUDA threads of a block run in shuffled order between barriers, blocks in shuffled order;
 * - work in streams is done as late as allowed (emu_async), so a missing synchronisation shows as stale data;
 * - fresh device and shared memory holds garbage; cuFFT's work area is overwritten by each execution;
 * - host code cannot read device memory at all, and device memory ends at an unmapped page: the process dies of
 *   SIGSEGV, after a line on stderr that says who touched what.
 *
 * Misuse that CUDA would not report is written to stderr and kept as emu_last_report; inside kernels it also ends the
 * launch with an error that stays until emu_reset, as CUDA's do.
 *
 * The API may be called from several host threads, one call at a time is served. The functions here are for one thread
 * at a time. */
#ifndef EMU_EMULATION_H
#define EMU_EMULATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Frees all device and pinned memory, streams, events and plans that are still there, drops queued work, forgets errors
 * and reports, and puts back the defaults of everything below. */
void emu_reset(void);

/* ---------------------------------------------------------------- schedule */

typedef enum emu_thread_order { EMU_FORWARD, EMU_REVERSE, EMU_SHUFFLED } emu_thread_order;
typedef enum emu_progress {
    EMU_EAGER, /* work is done when it is put into a stream */
    EMU_LAZY,  /* only when something waits for it */
    EMU_RANDOM /* streams also get on by themselves now and then, in any order between them */
} emu_progress;

/* Restarts the generator behind every random choice. Default seed: 1. */
void emu_seed(uint64_t seed);
/* The order of CUDA threads and blocks. Default: EMU_SHUFFLED. */
void emu_order(emu_thread_order order);
/* When streams get on. Default: EMU_LAZY. */
void emu_async(emu_progress progress);
/* Whether barriers must be reached by all threads of a block and warp collectives by all lanes of their mask, each at
 * one place in the source. Default: true, which is more than CUDA asks for: there, threads that have left the kernel
 * are not waited for, as here when it is false. */
void emu_strict(bool strict);

/* ---------------------------------------------------------------- the machine */

typedef struct emu_machine {
    bool driver;                   /* false: every call fails with cudaErrorInsufficientDriver, as CUDA's do */
    int devices;                   /* 0 to 4, all alike but for their name */
    size_t memory_bytes;           /* of each device */
    int major, minor;              /* compute capability; kernels need 8.0 */
    size_t shared_bytes_per_block; /* what a kernel may opt in to */
    int multiprocessors;
} emu_machine;

/* The default machine: one device of 1 GiB, compute capability 9.0, 227 KiB of shared memory, 4 multiprocessors. */
emu_machine emu_default_machine(void);
/* Replaces the machine; to be called before anything is allocated. */
void emu_set_machine(const emu_machine *machine);

/* ---------------------------------------------------------------- failing calls */

/* The nth call (from 1) from now on of any CUDA runtime or cuFFT function fails once with `error`, a cudaError_t, or
 * with an error that fits the function when `error` is 0; cuFFT functions give the nearest cuFFT error. 0 calls the
 * fault off. A call that frees or destroys does so nevertheless, as CUDA's do when they report an earlier error;
 * every other failing call has no effect. The error does not stay. Functions that cannot fail (cudaGetLastError,
 * cudaPeekAtLastError, the error texts) are no calls in this sense. */
void emu_fail_call(uint64_t nth, int error);
/* The same for calls of one function by its name, such as "cudaMalloc". */
void emu_fail_function(const char *name, uint64_t nth, int error);
/* Calls since emu_fail_call, emu_fail_function or emu_reset. */
uint64_t emu_calls(void);
/* The function that was made to fail, or NULL while none was. */
const char *emu_failed_call(void);

/* ---------------------------------------------------------------- a device that computes wrong */

/* The nth kernel launch (from 1) from now on is accepted and not done. 0 calls it off. */
void emu_drop_launch(uint64_t nth);
/* Adds noise of this amplitude, evenly distributed, to each output of single-precision transforms. Default: 0. */
void emu_noise(double amplitude);

/* ---------------------------------------------------------------- mutations of real kernels */

/* Call sites of __syncthreads and __syncwarp are numbered from 1 in the order of their first execution since emu_reset.
 * The barrier at this site does nothing. 0: all barriers work. */
void emu_skip_barrier(int site);
/* How many sites there were since emu_reset, and "file:line" of one of them (valid until emu_reset). */
int emu_barrier_sites(void);
const char *emu_barrier_site(int site);
/* Atomics become a load, a likely switch to another CUDA thread, and a store. Default: false. */
void emu_plain_atomics(bool plain);

/* ---------------------------------------------------------------- looking at it */

typedef struct emu_resources {
    size_t device_bytes; /* on all devices */
    size_t pinned_bytes;
    size_t streams;
    size_t events;
    size_t plans;
} emu_resources;

/* What is allocated now. */
void emu_live(emu_resources *live);
/* The last report of misuse, "" if there was none since emu_reset. */
const char *emu_last_report(void);
/* Whether all of the bytes lie in one live allocation of device memory. */
bool emu_is_device(const void *first, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
