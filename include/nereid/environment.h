// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The variables of the environment that Nereid reads (docs/reference/environment.md).
#pragma once

#include "nereid/Export.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nereid {

struct EnvironmentVariable {
  /// What it may be set to: one of those that `values` names, yes or no, a whole number from zero,
  /// or any text.
  enum class Kind : uint8_t { OneOf, Switch, Number, Text };
  std::string_view name;
  Kind kind;
  std::string_view values;
  std::string_view fallback; ///< what is so where it is not set
  std::string_view meaning;
};

/// All of them.
NEREID_API std::span<const EnvironmentVariable> environmentVariables();

/// What one of them is set to, in this moment; nothing if it is not. Throws Error(Usage) for
/// others.
NEREID_API std::optional<std::string> environmentVariable(std::string_view name);

/// A line for each that is set to what it cannot mean, with what is accepted: "NEREID_CACHE is
/// 'maybe', and must be one of on, off". An empty text is none.
NEREID_API std::vector<std::string> environmentMistakes();

} // namespace nereid
