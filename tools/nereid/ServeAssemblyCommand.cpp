// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "nereid/devices.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>
#include <unistd.h>

namespace nereid::command {

/// Started by a process that has many kernels to compile, and by nobody else: not in the help.
void defineServeAssemblyCommand(CLI::App &command) {
  auto ordinal = std::make_shared<unsigned>(0);
  command.add_option("ordinal", *ordinal)->required();
  command.callback([ordinal] { std::_Exit(serveAssembly(*ordinal, STDIN_FILENO)); });
}

} // namespace nereid::command
