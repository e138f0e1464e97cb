// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What of Python's own library is known while compiling: the module math, evaluated outside
// kernels.
#pragma once

#include "frontend/sema/Constant.h"

#include <span>
#include <string_view>

namespace nereid::sema {

/// A function of a module of Python's library. Results are Python's.
struct HostFunction {
  std::string_view name; // "math.sqrt"
  size_t fewest, most;   // arguments
  /// Nothing where Python would raise a ValueError, or TypeError.
  std::optional<ConstantValue> (*apply)(std::span<const ConstantValue> arguments);
};

/// `name` is dotted: "math.sqrt". Null if it is not known here.
const HostFunction *findHostFunction(std::string_view name);
/// "math.pi"
std::optional<double> findHostNumber(std::string_view name);

} // namespace nereid::sema
