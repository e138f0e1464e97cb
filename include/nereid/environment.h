// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The variables of the environment that Nereid reads (docs/reference/environment.md).
#pragma once

#include "nereid/Export.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace nereid {

struct EnvironmentVariable {
  std::string_view name, values;
  std::string_view fallback; ///< what is so where it is not set
  std::string_view meaning;
};

/// All of them.
NEREID_API std::span<const EnvironmentVariable> environmentVariables();

/// What one of them is set to, in this moment; nothing if it is not. Throws Error(Usage) for
/// others.
NEREID_API std::optional<std::string> environmentVariable(std::string_view name);

} // namespace nereid
