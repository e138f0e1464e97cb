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

/// Of an option that is a file's name: what is wrong with the text, if anything. An empty name
/// would be one that is not given, and nothing would be written without a word.
std::string requireFileName(const std::string &text);

} // namespace nereid::command
