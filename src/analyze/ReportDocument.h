// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nereid/analyze.h"

#include <nlohmann/json.hpp>
#include <string>

namespace nereid::analyzer {

/// As docs/analyze.md says.
nlohmann::ordered_json documentOf(const Analysis &analysis);
/// In ASCII, whatever names and texts hold.
std::string written(const nlohmann::ordered_json &document);

} // namespace nereid::analyzer
