// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Counters.h"
#include "nereid/nereid.h"

namespace nereid::command {

/// What `nereid profile --counters` says of a kernel on a CPU.
struct CountedLaunches {
  std::string kernel, device;
  Grid grid;
  unsigned threads = 0;
  size_t launches = 0;
  size_t arrayBytes = 0;          ///< of all arrays, each once
  double seconds = 0;             ///< of a launch, in the mean
  std::vector<Count> counts = {}; ///< of a launch, in the mean
  double flops = 0;               ///< of a launch, as its operations say; 0: not known
  /// What `nereid bench` draws: as fast as this machine copies, in bytes a second, and multiplies
  /// and adds, in FLOP a second.
  double copyRate = 0, flopRate = 0;
};

/// Launches for `milliseconds`, after some launches that do not count. `counters` are older than
/// the device's threads.
CountedLaunches countLaunches(Counters &counters, const Launch &launch, Grid grid,
                              double milliseconds);

std::string toText(const CountedLaunches &counted);
std::string toJson(const CountedLaunches &counted);

} // namespace nereid::command
