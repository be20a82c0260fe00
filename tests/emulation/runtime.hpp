// Between the runtime and the cuFFT stand-in: calls, streams, device memory.
#ifndef EMU_RUNTIME_HPP
#define EMU_RUNTIME_HPP

#include "core.hpp"

#include <cuda_runtime_api.h>

#include <functional>

namespace emu {

// One call of the API. While it lasts, other host threads wait; what host code may not touch is out of reach again when
// it ends. `fails` is the error that the call must return instead of doing its work, or cudaSuccess; calls that free or
// destroy do their work all the same.
class ApiCall {
  public:
    explicit ApiCall(const char *function);
    ~ApiCall();
    ApiCall(const ApiCall &) = delete;
    cudaError_t fails;
};

// The error that calls return after it was remembered for cudaGetLastError.
cudaError_t remember(cudaError_t error);

// Puts work into a stream of the current device; it is done when something waits for it, see emulation.h. False when
// the stream does not belong to the current device.
bool enqueue(cudaStream_t stream, std::function<void()> work);
void drain(cudaStream_t stream);

int current_device();
bool is_device_memory(const void *first, std::size_t bytes);

double fft_noise();
extern std::size_t live_plans;
void drop_plans();

} // namespace emu

#endif
