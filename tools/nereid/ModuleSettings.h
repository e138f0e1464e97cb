// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nereid/nereid.h"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace nereid::command {

/// --path and --define: what the text of a module does not say.
struct ModuleSettings {
  std::vector<std::string> paths, definitions;

  void addTo(CLI::App &command);
  ModuleOptions read() const;
};

} // namespace nereid::command
