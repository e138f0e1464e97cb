// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/Failure.h"
#include "jit/State.h"

namespace nereid {
using jit::throwFailure;

bool Event::isDone() const { return state->event->isDone(); }

void Event::wait() const { throwFailure(state->event->wait()); }

double Event::millisecondsSince(const Event &earlier) const {
  const detail::EventState &from = *earlier.state;
  if (from.device->device->memoryName() != state->device->device->memoryName())
    throw Error(Error::Kind::Usage, "devices '" + from.device->name + "' and '" +
                                        state->device->name + "' have no clock in common");
  from.event->wait();
  state->event->wait();
  return state->event->millisecondsSince(*from.event);
}

void Stream::synchronize() const { throwFailure(state->stream->synchronize()); }

void *Stream::handle() const { return state->stream->handle(); }

bool Stream::isIdle() const { return state->stream->isIdle(); }

Event Stream::record() const {
  return detail::EventState::wrap({state->device, state->stream->record()});
}

void Stream::wait(const Event &event) const {
  state->stream->wait(detail::EventState::of(event).event);
}

} // namespace nereid
