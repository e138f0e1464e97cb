// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work of a GPU that is recorded once and given to it as a whole, as often as wanted (a CUDA
// graph): one call of the host's, however many launches there are.
//
//   nereid::Graph step = nereid::Graph::record(stream, [&] {
//     scale.run(grid, {.stream = stream});
//     add.run(grid, {.stream = stream});
//   });
//   for (int i = 0; i < 1000; ++i)
//     step.launch(stream);
#pragma once

#include "nereid/Export.h"
#include "nereid/nereid.h"

#include <functional>
#include <memory>

namespace nereid {

/// Handles of one graph share it. It keeps the arrays and kernels that it uses.
class NEREID_API Graph {
public:
  /// Calls `work`, and records the launches and copies that it gives to the stream, which do not
  /// run now; no other thread may use the stream meanwhile, and nobody wait for it. Throws what
  /// `work` throws, what has failed of the stream (until synchronize() tells it, too), and
  /// Error(Usage) for devices without graphs and kernels that print.
  static Graph record(const Stream &stream, const std::function<void()> &work);

  /// Queues all of it, with the arguments of then, on any stream of that device.
  void launch(const Stream &stream) const;

private:
  struct State;
  explicit Graph(std::shared_ptr<const State> state) : state(std::move(state)) {}
  std::shared_ptr<const State> state;
};

} // namespace nereid
