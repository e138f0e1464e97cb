// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of the fake driver: streams and events.
#include "State.h"

using namespace nereid::fake_cuda;

namespace nereid::runtime::cuda {

static std::shared_ptr<CUevent_st> findEvent(CUevent event) {
  auto found = state().events.find(event);
  return found == state().events.end() ? nullptr : found->second;
}

/// 2: what the calling thread does is no part of a capture.
static thread_local CUstreamCaptureMode captureMode = {};

} // namespace nereid::runtime::cuda

CUresult nereid::fake_cuda::refuseInCapture() {
  CUresult result = 0;
  if (captureMode != CU_STREAM_CAPTURE_MODE_RELAXED)
    for (const auto &[handle, stream] : state().streams)
      if (CUresult refused = stream->isRelaxed ? 0 : refuseIfCaptured(*stream))
        result = refused;
  return result;
}

namespace nereid::runtime::cuda {

FAKE_CUDA_FUNCTION cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  ENTER(cuThreadExchangeStreamCaptureMode);
  std::swap(*mode, captureMode);
  return 0;
}

FAKE_CUDA_FUNCTION cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus *status) {
  ENTER(cuStreamIsCapturing);
  std::shared_ptr<CUstream_st> stream = findStream(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  *status = stream->capture == CUstream_st::Capture::Active ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                                                            : CU_STREAM_CAPTURE_STATUS_NONE;
  return 0;
}

FAKE_CUDA_FUNCTION cuStreamCreate(CUstream *stream, unsigned flags) {
  ENTER(cuStreamCreate);
  auto made = std::make_shared<CUstream_st>();
  made->isOrdered = flags == CU_STREAM_DEFAULT;
  made->context = currentContext();
  *stream = made.get();
  state().streams.emplace(made.get(), made);
  return 0;
}

FAKE_CUDA_FUNCTION cuStreamDestroy_v2(CUstream handle) {
  std::lock_guard lock(state().mutex);
  CUresult entered = enter("cuStreamDestroy_v2");
  std::shared_ptr<CUstream_st> stream = findStream(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  runUpTo(stream, stream->queued);
  state().streams.erase(handle);
  return entered;
}

FAKE_CUDA_FUNCTION cuStreamSynchronize(CUstream handle) {
  ENTER(cuStreamSynchronize);
  std::shared_ptr<CUstream_st> stream = findStream(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult refused = refuseIfCaptured(*stream))
    return refused;
  return runUpTo(stream, stream->queued);
}

FAKE_CUDA_FUNCTION cuStreamQuery(CUstream handle) {
  ENTER(cuStreamQuery);
  std::shared_ptr<CUstream_st> stream = findStream(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult refused = refuseIfCaptured(*stream))
    return refused;
  return stream->done < stream->queued ? CUDA_ERROR_NOT_READY : 0;
}

FAKE_CUDA_FUNCTION cuStreamWaitEvent(CUstream handle, CUevent eventHandle, unsigned) {
  ENTER(cuStreamWaitEvent);
  std::shared_ptr<CUstream_st> stream = findStream(handle);
  std::shared_ptr<CUevent_st> event = findEvent(eventHandle);
  if (!stream || !event)
    return CUDA_ERROR_INVALID_HANDLE;
  if (std::shared_ptr<CUstream_st> source = event->stream.lock()) {
    stream->add([source, position = event->position] {
      runUpTo(source, position);
      return 0;
    });
  }
  return 0;
}

FAKE_CUDA_FUNCTION cuEventCreate(CUevent *event, unsigned flags) {
  ENTER(cuEventCreate);
  auto made = std::make_shared<CUevent_st>();
  made->context = currentContext();
  made->hasTiming = !(flags & CU_EVENT_DISABLE_TIMING);
  *event = made.get();
  state().events.emplace(made.get(), made);
  return 0;
}

FAKE_CUDA_FUNCTION cuEventDestroy_v2(CUevent event) {
  std::lock_guard lock(state().mutex);
  CUresult entered = enter("cuEventDestroy_v2");
  return state().events.erase(event) ? entered : CUDA_ERROR_INVALID_HANDLE;
}

FAKE_CUDA_FUNCTION cuEventRecord(CUevent eventHandle, CUstream handle) {
  ENTER(cuEventRecord);
  std::shared_ptr<CUstream_st> stream = findStream(handle);
  std::shared_ptr<CUevent_st> event = findEvent(eventHandle);
  if (!stream || !event || stream->context != event->context)
    return CUDA_ERROR_INVALID_HANDLE;
  stream->add([event] {
    event->time = std::chrono::steady_clock::now();
    return 0;
  });
  event->stream = stream;
  event->position = stream->queued;
  return 0;
}

static bool hasHappened(const CUevent_st &event) {
  std::shared_ptr<CUstream_st> stream = event.stream.lock();
  return !stream || stream->done >= event.position;
}

FAKE_CUDA_FUNCTION cuEventSynchronize(CUevent handle) {
  ENTER(cuEventSynchronize);
  std::shared_ptr<CUevent_st> event = findEvent(handle);
  if (!event)
    return CUDA_ERROR_INVALID_HANDLE;
  std::shared_ptr<CUstream_st> stream = event->stream.lock();
  return stream ? runUpTo(stream, event->position) : 0;
}

FAKE_CUDA_FUNCTION cuEventQuery(CUevent handle) {
  ENTER(cuEventQuery);
  if (CUresult refused = refuseInCapture())
    return refused;
  std::shared_ptr<CUevent_st> event = findEvent(handle);
  if (!event)
    return CUDA_ERROR_INVALID_HANDLE;
  return hasHappened(*event) ? 0 : CUDA_ERROR_NOT_READY;
}

FAKE_CUDA_FUNCTION cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to) {
  ENTER(cuEventElapsedTime);
  std::shared_ptr<CUevent_st> begin = findEvent(from), end = findEvent(to);
  if (!begin || !end || !begin->hasTiming || !end->hasTiming)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!hasHappened(*begin) || !hasHappened(*end))
    return CUDA_ERROR_NOT_READY;
  *milliseconds = std::chrono::duration<float, std::milli>(end->time - begin->time).count();
  return 0;
}

} // namespace nereid::runtime::cuda
