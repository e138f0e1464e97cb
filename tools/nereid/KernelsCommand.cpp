// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "nereid/nereid.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

namespace nereid::command {

void defineKernelsCommand(CLI::App &command) {
  auto file = std::make_shared<std::string>();
  command.add_option("file", *file, "A text with kernels, or a compiled one")->required();
  command.callback([file] {
    for (const std::string &name : Module::load(*file).kernelNames())
      std::printf("%s\n", name.c_str());
  });
}

} // namespace nereid::command
