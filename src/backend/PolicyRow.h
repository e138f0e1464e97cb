// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <string_view>

namespace nereid::backend {

/// A choice of a back end that whoever tries others may set: CompileOptions::policy.
struct PolicyRow {
  std::string_view name;
  unsigned value, least, most;
  std::string_view unit, why;
};

/// Why no choice of this name can be this number; empty if one can.
std::string whyNoChoice(llvm::ArrayRef<PolicyRow> rows, std::string_view name, unsigned number);

} // namespace nereid::backend
