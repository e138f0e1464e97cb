// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays in a device's memory.
#pragma once

#include "nereid/DType.h"
#include "nereid/Export.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace nereid {

namespace detail {
struct ArrayState;
} // namespace detail

class Stream;

namespace detail {
template <typename T> constexpr DType dtypeOf() {
  static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8,
                "array elements are bool, integers of up to 64 bits, float or double");
  if constexpr (std::is_same_v<T, bool>)
    return DType::Int1;
  else if constexpr (std::is_same_v<T, float>)
    return DType::Float32;
  else if constexpr (std::is_same_v<T, double>)
    return DType::Float64;
  else if constexpr (std::is_signed_v<T>)
    return sizeof(T) == 1   ? DType::Int8
           : sizeof(T) == 2 ? DType::Int16
           : sizeof(T) == 4 ? DType::Int32
                            : DType::Int64;
  else
    return sizeof(T) == 1   ? DType::UInt8
           : sizeof(T) == 2 ? DType::UInt16
           : sizeof(T) == 4 ? DType::UInt32
                            : DType::UInt64;
}
} // namespace detail

/// A typed n-dimensional array in a device's memory. Copies of the handle share the memory.
class NEREID_API Array {
public:
  DType dtype() const;
  /// Elements along each dimension; empty for a single element.
  const std::vector<int64_t> &shape() const;
  /// Elements to step over to reach the next index of each dimension.
  const std::vector<int64_t> &strides() const;
  int64_t size() const;
  size_t bytes() const;
  /// The first element, in the device's address space. On the cpu and check devices the host may
  /// use it; the check device then takes all elements to be written.
  void *data() const;
  /// Whether both handles are of the same memory, from the first element on.
  bool sharesMemoryWith(const Array &other) const;
  /// Says that nobody has written what the array holds, as of one that is empty: on the check
  /// device, a kernel that reads an element before one is written is reported.
  void countAsUnwritten() const;

  /// Copies `bytes()` bytes from or to the host, in row-major order. The array must be contiguous.
  /// (const: the handle stays what it is, the elements change.)
  void copyFrom(const void *host) const;
  void copyTo(void *host) const;
  /// The same in the order of a stream's work: returns at once, and the host's bytes must stay
  /// until the copy is done.
  void copyFrom(const void *host, const Stream &stream) const;
  void copyTo(void *host, const Stream &stream) const;
  /// The elements in row-major order; T must match the element type exactly.
  template <typename T> std::vector<T> toVector() const {
    requireElements(detail::dtypeOf<T>());
    auto count = static_cast<size_t>(size());
    if constexpr (std::is_same_v<T, bool>) { // a std::vector<bool> holds no bools to copy to
      auto values = std::make_unique<bool[]>(count);
      copyTo(values.get());
      return std::vector<bool>(values.get(), values.get() + count);
    } else {
      std::vector<T> values(count);
      copyTo(values.data());
      return values;
    }
  }
  /// The elements in row-major order, whatever their type, as double.
  std::vector<double> toDoubles() const;

private:
  friend struct detail::ArrayState;
  explicit Array(std::shared_ptr<detail::ArrayState> state) : state(std::move(state)) {}
  void requireElements(DType type) const;

  std::shared_ptr<detail::ArrayState> state;
};

} // namespace nereid
