// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values for a kernel's parameters.
#pragma once

#include "nereid/array.h"
#include "nereid/error.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace nereid {

/// An array whose blocks a kernel reads and writes by their offsets (Triton's TensorDescriptor).
/// The array's last stride must be 1.
struct TensorDescriptor {
  Array array;
  std::vector<int64_t> blockShape; ///< as many dimensions as the array
  /// What lies outside the array reads as NaN, not zero. Floats only.
  bool padsWithNan = false;
};

/// A value for a kernel's parameter: an array, a tensor descriptor, a number, a bool, a string or
/// dtype (both constexpr), or None. Whether it is a constexpr is the parameter's matter.
class Argument {
public:
  Argument(Array array) : value(std::move(array)) {}
  Argument(TensorDescriptor descriptor) : value(std::move(descriptor)) {}
  Argument(bool boolean) : value(boolean) {}
  template <typename T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
  Argument(T integer)
      : value(std::is_signed_v<T> ? Number(int64_t(integer)) : Number(uint64_t(integer))) {}
  Argument(double number) : value(number) {}
  Argument(float number) : value(double(number)) {}
  Argument(const char *text) : value(detail::requireText(text)) {}
  Argument(std::string text) : value(std::move(text)) {}
  Argument(DType type) : value(type) {}
  Argument(std::nullptr_t) : value(std::monostate()) {}
  /// Memory becomes an array with Device::borrow. (As a bool it would pass for True.)
  Argument(const void *) = delete;

  using Value = std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string, DType,
                             Array, TensorDescriptor>;
  const Value &get() const { return value; }
  /// The array that is given, by itself or in a descriptor; null if none is.
  const Array *array() const {
    if (const auto *descriptor = std::get_if<TensorDescriptor>(&value))
      return &descriptor->array;
    return std::get_if<Array>(&value);
  }

private:
  using Number = Value;
  Value value;
};

struct NamedArgument {
  std::string name;
  Argument value;
};
using Arguments = std::vector<NamedArgument>;

} // namespace nereid
