// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ModuleSettings.h"

#include "nereid/expression.h"

#include <CLI/CLI.hpp>

namespace nereid::command {

void ModuleSettings::addTo(CLI::App &command) {
  command
      .add_option("--path", paths, "DIR: look for imports there, after the file's own directory")
      ->type_size(1)
      ->allow_extra_args(false);
  command
      .add_option("--define", definitions,
                  "NAME=VALUE: the value of a module's name, an environment variable or an "
                  "expression that only Python could compute")
      ->type_size(1)
      ->allow_extra_args(false);
}

ModuleOptions ModuleSettings::read() const {
  ModuleOptions options{.paths = paths};
  for (const std::string &text : definitions)
    options.definitions.push_back(parseDefinition(text, "--define"));
  return options;
}

} // namespace nereid::command
