// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/Boundary.h"
#include "jit/State.h"

namespace nereid {
namespace {

/// Throws what failed, if something did.
void report(const runtime::FailurePtr &failure) {
  if (!failure)
    return;
  std::string note = failure->work.empty() ? "" : "\nnote: " + failure->work;
  try {
    jit::launchAtBoundary([&] { std::rethrow_exception(failure->cause); });
  } catch (const Error &error) {
    throw Error(error.kind(), error.what() + note, error.findings());
  } catch (const std::exception &error) {
    std::throw_with_nested(
        Error(Error::Kind::Usage, std::string("the print sink threw: ") + error.what() + note));
  } catch (...) {
    std::throw_with_nested(Error(Error::Kind::Usage, "the print sink threw" + note));
  }
}

} // namespace

bool Event::isDone() const { return state->event->isDone(); }

void Event::wait() const { report(state->event->wait()); }

double Event::millisecondsSince(const Event &earlier) const {
  const detail::EventState &from = *earlier.state;
  if (from.device->device->memoryName() != state->device->device->memoryName())
    throw Error(Error::Kind::Usage, "devices '" + from.device->name + "' and '" +
                                        state->device->name + "' have no clock in common");
  from.event->wait();
  state->event->wait();
  return state->event->millisecondsSince(*from.event);
}

void Stream::synchronize() const { report(state->stream->synchronize()); }

void *Stream::handle() const { return state->stream->handle(); }

bool Stream::isIdle() const { return state->stream->isIdle(); }

Event Stream::record() const {
  return detail::EventState::wrap({state->device, state->stream->record()});
}

void Stream::wait(const Event &event) const {
  state->stream->wait(detail::EventState::of(event).event);
}

} // namespace nereid
