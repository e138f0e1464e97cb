// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ModuleSettings.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nereid::command {

/// What is launched: the options that run, tune and bench have in common.
struct LaunchSettings {
  std::string kernel, grid, device = "cpu", cpu;
  unsigned threads = 0;
  uint64_t seed = 0;
  std::vector<std::string> arguments;
  ModuleSettings modules;

  void addTo(CLI::App &command);
};

/// For --help: what VALUE and GRID are.
std::string describeValues();

} // namespace nereid::command
