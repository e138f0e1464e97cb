// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of libdevice's functions, which kernels import from triton.language.extra.
#pragma once

#include "nereid/DType.h"

#include <string>
#include <string_view>
#include <vector>

namespace nereid::sema {

struct DeviceFunction;

/// One combination of types that a function is defined for.
struct DeviceTypes {
  const DeviceFunction *row; // that says how it is computed
  std::vector<DType> operands;
  DType result;
};

/// A row of the table. Rows that follow each other under one name are one function.
struct DeviceFunction {
  std::string_view name;
  std::string_view types;
  /// The function of src/library/libdevice*.py that computes it; empty for an operation.
  std::string_view written;
  /// What that function is told of rounding; empty for those that are not told.
  std::string_view rounding;
  /// Why there is none; empty for those that there are.
  std::string_view refusal;

  /// The types of this row and of those of its name that follow.
  std::vector<DeviceTypes> overloads() const;
};

/// Null if libdevice has none of that name.
const DeviceFunction *findDeviceFunction(std::string_view name);
/// For suggestions.
std::vector<std::string> deviceFunctionNames();

} // namespace nereid::sema
