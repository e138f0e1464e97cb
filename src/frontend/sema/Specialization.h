// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel is compiled for: the type of each run-time argument and the value of each
// constexpr.
#pragma once

#include "frontend/sema/Constant.h"
#include "frontend/sema/Type.h"

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace nereid::sema {

/// A parameter that stays an argument of the compiled kernel. Always a scalar or a pointer.
struct RuntimeParameter {
  ScalarType type;
  /// The launch guarantees a multiple of 16: an integer's value, a pointer's address in bytes.
  bool isDivisibleBy16 = false;

  bool operator==(const RuntimeParameter &) const = default;
};

/// One entry for each parameter of the function, in order. A ConstantValue fixes the parameter at
/// compile time, which also happens to integer arguments equal to 1 (strides, mostly).
struct Specialization {
  std::vector<std::variant<RuntimeParameter, ConstantValue>> parameters;
  /// No two pointer arguments reach the same memory.
  bool isNoAlias = false;

  /// Text that is equal for equal specializations and no others.
  std::string key() const;
  /// Floats are equal where their bits are: -0.0 and 0.0 make two kernels, two equal NaNs one.
  bool operator==(const Specialization &other) const;
  size_t hash() const;
};

} // namespace nereid::sema
