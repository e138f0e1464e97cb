// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What came of launches that ran again, for people and for programs.
#pragma once

#include "nereid/replay.h"

#include <optional>
#include <string>
#include <vector>

namespace nereid::command {

struct ReplayedLaunch {
  size_t number; ///< in the recording
  RecordedLaunch recorded;
  /// Of each launch that was timed, or nothing on the check device and where it failed.
  std::optional<Measurement> measured = {};
  double compileMilliseconds = 0;
  std::vector<Remark> remarks = {};
  std::string failure = {};

  /// What all launches like this one of the program would take.
  double totalMilliseconds() const {
    return measured ? measured->median() * static_cast<double>(recorded.calls) : 0;
  }
};

/// As tables of launches show it: 64x1x1.
std::string gridText(Grid grid);
/// Kernels, the heaviest first, and below each its launches.
std::string toTable(const std::vector<ReplayedLaunch> &launches, bool withRemarks);
/// A document: "machine", "device" and "launches".
std::string toDocument(const std::vector<ReplayedLaunch> &launches, const std::string &machine,
                       const std::string &device);

} // namespace nereid::command
