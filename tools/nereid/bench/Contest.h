// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels and configurations, timed for each value of a sweep.
#pragma once

#include "Chart.h"
#include "ConfigurationList.h"
#include "LaunchSettings.h"
#include "Sweep.h"

#include <functional>
#include <optional>

namespace nereid::command {

struct ContestSettings : LaunchSettings {
  /// "FILE::KERNEL NAME=VALUE ...": other kernels over the same arguments.
  std::vector<std::string> baselines;
  std::vector<std::string> configurations;
  /// Of the configurations only the fastest is shown, for each value anew.
  bool isBestOnly = false;
  /// Expressions for what a launch moves or computes; one of them at most. Neither: the bytes of
  /// all arrays, each once.
  std::string bytes, flops;
  TimerOptions timer;
};

/// Calls `tell` with what is timed next.
Chart runContest(const Device &device, const ContestSettings &settings, const Sweep &sweep,
                 const std::function<void(const std::string &)> &tell);

} // namespace nereid::command
