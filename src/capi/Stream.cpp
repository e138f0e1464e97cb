// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capi/Error.h"
#include "capi/Handles.h"

using namespace nereid;

static const Stream &streamOf(const nereid_stream *stream) {
  return capi::require(stream, "stream")->stream;
}

static const Event &eventOf(const nereid_event *event) {
  return capi::require(event, "event")->event;
}

nereid_status nereid_stream_open(const nereid_device *device, nereid_stream **stream,
                                 nereid_error **error) {
  return capi::guardMaking(stream, error,
                           [&] { return capi::require(device, "device")->device.stream(); });
}

nereid_status nereid_stream_synchronize(const nereid_stream *stream, nereid_error **error) {
  return capi::guard(error, [&] { streamOf(stream).synchronize(); });
}

bool nereid_stream_is_idle(const nereid_stream *stream) {
  bool isIdle = stream != nullptr;
  capi::guard(nullptr, [&] { isIdle = streamOf(stream).isIdle(); });
  return isIdle;
}

nereid_status nereid_stream_record(const nereid_stream *stream, nereid_event **event,
                                   nereid_error **error) {
  return capi::guardMaking(event, error, [&] { return streamOf(stream).record(); });
}

nereid_status nereid_stream_wait(const nereid_stream *stream, const nereid_event *event,
                                 nereid_error **error) {
  return capi::guard(error, [&] { streamOf(stream).wait(eventOf(event)); });
}

void nereid_stream_release(nereid_stream *stream) { delete stream; }

bool nereid_event_is_done(const nereid_event *event) {
  bool isDone = event != nullptr;
  capi::guard(nullptr, [&] { isDone = eventOf(event).isDone(); });
  return isDone;
}

nereid_status nereid_event_wait(const nereid_event *event, nereid_error **error) {
  return capi::guard(error, [&] { eventOf(event).wait(); });
}

nereid_status nereid_event_milliseconds_since(const nereid_event *event,
                                              const nereid_event *earlier, double *milliseconds,
                                              nereid_error **error) {
  return capi::guard(error, [&] {
    capi::require(milliseconds, "place for a number");
    *milliseconds = eventOf(event).millisecondsSince(eventOf(earlier));
  });
}

void nereid_event_release(nereid_event *event) { delete event; }
