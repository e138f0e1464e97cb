// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of a checked run (docs/checking.md).
#pragma once

#include "nereid/nereid.h"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace nereid::command {

struct CheckSettings {
  std::vector<std::string> finds, ignored;
  unsigned mostFindings = 0;
  std::string report = "text";

  void addTo(CLI::App &command);
  bool isJson() const { return report == "json"; }
  /// What the options say; `warn` gets warnings.
  CheckOptions read(uint64_t seed, std::function<void(const Finding &)> warn) const;
};

/// The findings as one JSON document, with its line end.
std::string toJson(const std::vector<Finding> &findings);

} // namespace nereid::command
