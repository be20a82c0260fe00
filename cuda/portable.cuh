// The only differences between nvcc and the host compilers that cuda/ knows of.
//
// Every .cu file here is built twice: by nvcc for the device, and as C++ against tests/emulation, which executes it on
// the CPU in every test run. Both understand the same CUDA C++ except for what follows, so a source file outside this
// one never asks which of the two compiles it.
//
// - Shared memory. `__shared__` belongs to a block, which no variable of C++ does. SG_SHARED declares an array with a
//   constant number of elements, SG_DYN_SHARED names the array that the launch sized; both give a `T *`. The emulation
//   gives every block fresh memory with garbage in it and exact ends.
// - Thrust. `par_nosync.on(stream)` exists only on Thrust's CUDA back end. SG_THRUST(stream, allocator) is the policy
// to
//   pass to an algorithm; the allocator (an lvalue with value_type char, `char *allocate(std::ptrdiff_t)` and
//   `void deallocate(char *, size_t)`) gives Thrust its temporary memory. On the host the stream is waited for and the
//   algorithm runs at once, with memory from the heap.
// - Launches. `kernel<<<...>>>(...)` is no C++, and its error has to be asked for afterwards. sg_launch goes through
// the
//   launch function of the runtime's C++ API, which converts and checks the arguments and returns the error.
// - sg_prefer_shared asks for as much shared memory as a multiprocessor can have: kernels that are to run side by side
//   must agree in this. sg_allow_shared lets a kernel take more dynamic shared memory than the 48 KiB that every kernel
//   may.
#ifndef SG_PORTABLE_CUH
#define SG_PORTABLE_CUH

#include <cuda_runtime.h>

#include <cstddef>
#include <utility>

#ifdef SG_CUDA_EMULATION
#define SG_SHARED(T, name, count)                                                                                      \
    static emu::SharedVariable name##_variable_;                                                                       \
    T *const name = static_cast<T *>(emu::shared_memory(name##_variable_, sizeof(T) * (count)))
#define SG_DYN_SHARED(T, name)       T *const name = static_cast<T *>(emu::dynamic_shared_memory())
#define SG_THRUST(stream, allocator) (static_cast<void>(allocator), emu::enter_thrust(stream), thrust::device)
#else
#define SG_SHARED(T, name, count) __shared__ T name[count]
#define SG_DYN_SHARED(T, name)                                                                                         \
    extern __shared__ __align__(16) unsigned char sg_dynamic_shared_[];                                                \
    T *const name = reinterpret_cast<T *>(sg_dynamic_shared_)
#define SG_THRUST(stream, allocator) thrust::cuda::par_nosync(allocator).on(stream)
#endif

template <class... Parameters, class... Arguments>
inline cudaError_t sg_launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes,
                             cudaStream_t stream, Arguments &&...arguments) {
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
#ifdef SG_CUDA_EMULATION
    emu::declare_kernel(kernel); // the launch API gets the arguments without their types
#endif
    return cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...);
}

template <class... Parameters> inline cudaError_t sg_prefer_shared(void (*kernel)(Parameters...)) {
    return cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel), cudaFuncAttributePreferredSharedMemoryCarveout,
                                cudaSharedmemCarveoutMaxShared);
}

template <class... Parameters>
inline cudaError_t sg_allow_shared(void (*kernel)(Parameters...), std::size_t shared_bytes) {
    return cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                static_cast<int>(shared_bytes));
}

#endif
