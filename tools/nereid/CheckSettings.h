// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of a checked run (docs/checking.md).
#pragma once

#include "Prompt.h"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace nereid::command {

struct CheckSettings {
  std::vector<std::string> finds, ignored, breaks;
  unsigned mostFindings = 0;
  std::string report = "text";

  void addTo(CLI::App &command);
  bool isJson() const { return report == "json"; }
  /// Whether any of them is given that says something to the check device.
  bool isAsked() const;
  /// What the options say; `warn` gets warnings, and stopped programs ask at `prompt`.
  CheckOptions read(uint64_t seed, std::function<void(const Finding &)> warn, Prompt &prompt) const;
  std::vector<BreakRequest> breakRequests() const;
};

/// The findings as one JSON document, with its line end.
std::string toJson(const std::vector<Finding> &findings, const std::string &error = "");

} // namespace nereid::command
