// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace nereid::backend {

/// A choice of a back end that whoever tries others may set: CompileOptions::policy.
struct PolicyRow {
  std::string_view name;
  unsigned value;
  std::string_view unit, why;
};

} // namespace nereid::backend
