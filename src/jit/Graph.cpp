// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nereid/graph.h"

#include "jit/Boundary.h"
#include "jit/Failure.h"
#include "jit/State.h"

namespace nereid {

struct Graph::State {
  /// Declared first, so that it goes last.
  std::shared_ptr<detail::DeviceState> device;
  std::shared_ptr<const runtime::Graph> graph;
};

Graph Graph::record(const Stream &stream, const std::function<void()> &work) {
  const detail::StreamState &on = detail::StreamState::of(stream);
  runtime::Recorded recorded = jit::atBoundary([&] { return on.stream->capture(work); });
  jit::throwFailure(recorded.failure);
  if (!recorded.graph)
    throw Error(Error::Kind::Usage, "device '" + on.device->name + "' has no graphs; GPUs have");
  return Graph(std::make_shared<const State>(State{on.device, std::move(recorded.graph)}));
}

void Graph::launch(const Stream &stream) const {
  const detail::StreamState &on = detail::StreamState::of(stream);
  if (on.device->device->memoryName() != state->device->device->memoryName())
    throw Error(Error::Kind::Usage, "a graph of device '" + state->device->name +
                                        "' cannot run on a stream of '" + on.device->name + "'");
  jit::launchAtBoundary([&] { on.stream->launch(state->graph); });
}

} // namespace nereid
