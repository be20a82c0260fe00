// Streams and events.
//
// A stream is a queue of closures that run when something forces them, so that a missing synchronisation shows as stale
// data; the closures of one stream run in order, those of different streams in any order that events allow.
#include "state.hpp"

#include <chrono>

namespace emu {

namespace {

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void run_first(CUstream_st *stream);

void run_all(CUstream_st *stream) {
    while (!stream->queue.empty())
        run_first(stream);
}

void run_first(CUstream_st *stream) {
    Work work = std::move(stream->queue.front());
    stream->queue.pop_front();
    while (work.event && work.event->passed < work.times && work.event->stream && !work.event->stream->queue.empty())
        run_first(work.event->stream);
    if (!work.run || runtime().sticky != cudaSuccess)
        return;
    set_accessible(true);
    work.run();
}

// Until what was recorded last has passed, or the stream is at its end.
void run_until_passed(CUevent_st *event) {
    while (event->passed < event->recorded && event->stream && !event->stream->queue.empty())
        run_first(event->stream);
}

// Between two calls streams may get on by themselves.
void get_on() {
    Runtime &r = runtime();
    for (CUstream_st *stream : r.streams)
        while (!stream->queue.empty() && random_below(3) == 0)
            run_first(stream);
}

bool push(cudaStream_t handle, Work work) {
    Runtime &r = runtime();
    CUstream_st *stream = stream_of(handle);
    if (!stream)
        return false;
    stream->queue.push_back(std::move(work));
    if (r.progress == EMU_EAGER)
        run_all(stream);
    else if (r.progress == EMU_RANDOM)
        get_on();
    return true;
}

} // namespace

CUstream_st *stream_of(cudaStream_t stream) {
    Runtime &r = runtime();
    if (!stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread)
        return &r.null_stream[r.current];
    return r.streams.count(stream) && stream->device == r.current ? stream : nullptr;
}

void run_device(int device) {
    Runtime &r = runtime();
    run_all(&r.null_stream[device]);
    for (CUstream_st *stream : r.streams)
        if (stream->device == device)
            run_all(stream);
}

void run_everything() {
    for (int device = 0; device < MAX_DEVICES; device++)
        run_device(device);
}

bool enqueue(cudaStream_t stream, std::function<void()> work) {
    return push(stream, {std::move(work)});
}

void drain(cudaStream_t stream) {
    if (CUstream_st *queue = stream_of(stream))
        run_all(queue);
}

void drop_streams() {
    Runtime &r = runtime();
    for (CUstream_st &stream : r.null_stream)
        stream.queue.clear();
    for (CUstream_st *stream : r.streams)
        delete stream;
    r.streams.clear();
    for (CUevent_st *event : r.events)
        delete event;
    r.events.clear();
}

} // namespace emu

using namespace emu;

extern "C" {

static cudaError_t create_stream(cudaStream_t *stream) {
    *stream = new CUstream_st{runtime().current, {}};
    runtime().streams.insert(*stream);
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned, int) {
    EMU_CALL;
    return create_stream(stream);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    EMU_CALL;
    *least = 0;
    *greatest = -1;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned) {
    EMU_CALL;
    return create_stream(stream);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
    EMU_CALL;
    return create_stream(stream);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    ApiCall call(__func__);
    if (!runtime().streams.count(stream))
        return remember(cudaErrorInvalidResourceHandle);
    run_all(stream);
    for (CUevent_st *event : runtime().events)
        if (event->stream == stream)
            event->stream = nullptr;
    runtime().streams.erase(stream);
    delete stream;
    return call.fails;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    EMU_CALL;
    if (!stream_of(stream))
        return remember(cudaErrorInvalidResourceHandle);
    drain(stream);
    return runtime().sticky;
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
    EMU_CALL;
    CUstream_st *queue = stream_of(stream);
    if (!queue)
        return remember(cudaErrorInvalidResourceHandle);
    if (queue->queue.empty())
        return runtime().sticky;
    run_first(queue); // so that a loop that asks comes to an end
    return cudaErrorNotReady;
}

static cudaError_t create_event(cudaEvent_t *event) {
    *event = new CUevent_st{runtime().current};
    runtime().events.insert(*event);
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned) {
    EMU_CALL;
    return create_event(event);
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
    EMU_CALL;
    return create_event(event);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    ApiCall call(__func__);
    if (!runtime().events.count(event))
        return remember(cudaErrorInvalidResourceHandle);
    run_everything(); // queued work may still record it or wait for it
    runtime().events.erase(event);
    delete event;
    return call.fails;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    EMU_CALL;
    CUstream_st *queue = stream_of(stream);
    if (!queue || !runtime().events.count(event) || event->device != runtime().current)
        return remember(cudaErrorInvalidResourceHandle);
    if (event->stream != queue)
        run_until_passed(event); // so that `passed` only grows
    std::uint64_t times = ++event->recorded;
    event->stream = queue;
    event->asked = 0;
    push(stream, {[=] {
             event->passed = times;
             event->seconds = now();
         }});
    return runtime().sticky;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    EMU_CALL;
    if (!runtime().events.count(event))
        return remember(cudaErrorInvalidResourceHandle);
    run_until_passed(event);
    return runtime().sticky;
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    EMU_CALL;
    if (!runtime().events.count(event))
        return remember(cudaErrorInvalidResourceHandle);
    if (event->passed == event->recorded)
        return runtime().sticky;
    if (++event->asked > 2 && event->stream && !event->stream->queue.empty())
        run_first(event->stream); // so that a loop that asks comes to an end
    return cudaErrorNotReady;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin, cudaEvent_t end) {
    EMU_CALL;
    if (!runtime().events.count(begin) || !runtime().events.count(end) || !begin->recorded || !end->recorded)
        return remember(cudaErrorInvalidResourceHandle);
    if (begin->passed < begin->recorded || end->passed < end->recorded)
        return cudaErrorNotReady;
    *milliseconds = static_cast<float>((end->seconds - begin->seconds) * 1e3);
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    EMU_CALL;
    if (!runtime().events.count(event) || !push(stream, {nullptr, event, event->recorded}))
        return remember(cudaErrorInvalidResourceHandle);
    return runtime().sticky;
}
}
