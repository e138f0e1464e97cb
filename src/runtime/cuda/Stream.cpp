// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Stream.h"

#include "runtime/cuda/Results.h"

namespace nereid::runtime::cuda {
namespace {

CUstream createStream(Context &context, DefaultStream beside) {
  CUstream stream = nullptr;
  context.call(
      context.driver().streamCreate, &stream,
      unsigned(beside == DefaultStream::Ordered ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING));
  return stream;
}

CUevent createEvent(Context &context, Event::Timing timing) {
  CUevent event = nullptr;
  context.call(context.driver().eventCreate, &event,
               unsigned(timing == Event::Timing::On ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING));
  return event;
}

/// Of a query: whether it is done.
template <typename T> bool ask(Context &context, const DriverFunction<T> &query, T handle) {
  CUresult result = context.attempt(query, handle);
  if (result && result != CUDA_ERROR_NOT_READY)
    context.fail(query.symbol, result);
  return !result;
}

} // namespace

Stream::Stream(const std::shared_ptr<Context> &context, DefaultStream beside)
    : context_(context), stream(createStream(*context, beside)),
      owned(std::in_place, context, stream) {}

Stream::Stream(const std::shared_ptr<Context> &context, CUstream borrowed)
    : context_(context), stream(borrowed) {}

void Stream::synchronize() const {
  uint64_t count = context().launches().count(); // other threads may launch meanwhile
  context().call(context().driver().streamSynchronize, handle());
  context().launches().ended(handle(), count);
}

bool Stream::isDone() const {
  uint64_t count = context().launches().count();
  bool isDone = ask(context(), context().driver().streamQuery, handle());
  if (isDone)
    context().launches().ended(handle(), count);
  return isDone;
}

bool Stream::isCapturing() const {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  context().call(context().driver().streamIsCapturing, handle(), &status);
  return status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

void Stream::wait(const Event &event) const {
  context().call(context().driver().streamWaitEvent, handle(), event.handle(), 0u);
}

Event::Event(const std::shared_ptr<Context> &context, Timing timing)
    : event(context, createEvent(*context, timing)) {}

void Event::record(const Stream &stream) const {
  event.context().call(event.context().driver().eventRecord, handle(), stream.handle());
}

void Event::synchronize() const {
  event.context().call(event.context().driver().eventSynchronize, handle());
}

bool Event::isDone() const {
  return ask(event.context(), event.context().driver().eventQuery, handle());
}

float Event::millisecondsSince(const Event &earlier) const {
  float milliseconds = 0;
  event.context().call(event.context().driver().eventElapsedTime, &milliseconds, earlier.handle(),
                       handle());
  return milliseconds;
}

} // namespace nereid::runtime::cuda
