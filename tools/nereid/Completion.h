// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What shells offer for an option's value, where it is one of a few. What CLI::IsMember checks is
// known without a word here.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class Option;
}

namespace nereid::command {

/// `values` is asked when a script is made, not when a command is defined.
CLI::Option *offer(CLI::Option *option, std::function<std::vector<std::string>()> values);

/// What --device offers.
std::vector<std::string> deviceNames();
/// What --target offers where it is a GPU.
std::vector<std::string> gpuNames();

} // namespace nereid::command
