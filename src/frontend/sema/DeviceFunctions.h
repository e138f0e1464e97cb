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
  /// Of a symbol, the row that it is one of: "sin" of "sinf". Its operands have its types and no
  /// others.
  std::string_view row = {};

  /// The types of this row and of those of its name that follow.
  std::vector<DeviceTypes> overloads() const;
};

/// Null if libdevice has none of that name.
const DeviceFunction *findDeviceFunction(std::string_view name);
/// A function for one combination of types, as libdevice itself calls it: "sinf", "fadd_rn",
/// "umulhi". Null if there is none of that name.
const DeviceFunction *findDeviceSymbol(std::string_view name);
std::vector<std::string> deviceSymbolNames();
/// For suggestions.
std::vector<std::string> deviceFunctionNames();

} // namespace nereid::sema
