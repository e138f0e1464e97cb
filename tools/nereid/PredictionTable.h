// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What recorded launches are predicted to take on a GPU, beside what they took.
#pragma once

#include "nereid/replay.h"

#include <optional>
#include <string>
#include <vector>

namespace nereid::command {

struct PredictedLaunch {
  size_t number; ///< in the recording
  RecordedLaunch recorded;
  std::optional<Analysis> analysis = {}; ///< nothing where it failed
  std::string failure = {};

  /// What it took under Nereid when it was recorded, in seconds; 0 if nobody timed it.
  double measured() const;
};

/// A launch for each line, in the recording's order, and how far predictions are off.
std::string toTable(const std::vector<PredictedLaunch> &launches);
/// A document: "recorded_on" and "launches", each with its whole analysis.
std::string toDocument(const std::vector<PredictedLaunch> &launches, const std::string &machine);

} // namespace nereid::command
