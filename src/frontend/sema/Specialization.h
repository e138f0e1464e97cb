// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel is compiled for: the type of each run-time argument and the value of each
// constexpr.
#pragma once

#include "frontend/sema/Constant.h"
#include "frontend/sema/HostScope.h"
#include "frontend/sema/Type.h"
#include "nereid/ArgumentType.h"
#include "nereid/Tuning.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace nereid::sema {

/// An array of a kernel of threads, which knows its extents and strides.
struct ArrayForm {
  /// In which order the elements lie next to one another: with the last index fastest (C), with the
  /// first (Fortran), or as strides say.
  enum class Order : uint8_t { C, Fortran, Any };
  unsigned rank = 1;
  Order order = Order::C;
  bool operator==(const ArrayForm &) const = default;
};

/// A parameter that stays an argument of the compiled kernel: a scalar, a pointer, or a tensor
/// descriptor, which is a pointer and numbers.
struct RuntimeParameter {
  ScalarType type; // of a descriptor, its pointer
  /// The launch guarantees a multiple of 16: an integer's value, a pointer's address in bytes; of a
  /// descriptor, the address and each stride in bytes, as hardware that copies blocks wants them.
  bool isDivisibleBy16 = false;
  /// Of a descriptor, the shape of its blocks; empty for all else.
  Shape block = {};
  bool padsWithNan = false;
  /// Of an array in a kernel of threads; nothing of all else.
  std::optional<ArrayForm> array = {};

  bool isDescriptor() const { return !block.empty(); }
  /// One argument of the compiled kernel.
  struct Part {
    enum class Kind : uint8_t { Value, Shape, Stride };
    Kind kind = Kind::Value;
    unsigned dimension = 0;
    ScalarType type;
  };
  /// What the compiled kernel takes for the parameter, in order. Of a descriptor: its pointer, its
  /// extents as int32, and all strides but the last, which is 1, as int64. Of an array of a kernel
  /// of threads: its pointer, its extents as int64, and in any order its strides in elements as
  /// int64.
  std::vector<Part> parts() const;
  /// The same, with the names that they have for the parameter `name`: "x.shape[0]".
  std::vector<std::pair<std::string, ScalarType>> arguments(const std::string &name) const;
  /// What the strides of a descriptor that is divisible by 16 bytes are multiples of, in elements.
  int64_t strideDivisor() const;

  bool operator==(const RuntimeParameter &) const = default;
};

struct CompoundParameter;
using SpecializedParameter =
    std::variant<RuntimeParameter, ConstantValue, std::shared_ptr<const CompoundParameter>>;

/// What a running host gives besides numbers and pointers. Its run-time parts are parameters of the
/// compiled kernel, in order.
struct CompoundParameter {
  /// A constant that only a host has: a function, a tuple with one in it.
  struct Hosted {
    HostValue value;
  };
  struct Tuple {
    std::vector<SpecializedParameter> elements;
    std::shared_ptr<const HostRecord> record = {}; // whose object it is; null for plain ones
  };
  std::variant<Hosted, Tuple> part;

  /// Equal for equal ones and no others.
  std::string key() const;
};

/// One entry for each parameter of the function, in order. A ConstantValue fixes the parameter at
/// compile time, which also happens to integer arguments equal to 1 (strides, mostly).
struct Specialization {
  std::vector<SpecializedParameter> parameters;
  /// No two pointer arguments reach the same memory.
  bool isNoAlias = false;
  /// What the launch chooses of how a GPU runs the kernel, in bounds (jit/launch/Tuning.h).
  Tuning tuning = {};
  /// The launch is an error where an assertion of the kernel does not hold.
  bool checksAsserts = false;
  /// The GPU, as tl.target_info tells it: "sm_90"; empty for all else. No part of the key:
  /// who keeps kernels keeps those of different machines apart.
  std::string target = {};

  /// Text that is equal for equal specializations and no others.
  std::string key() const;
  /// Floats are equal where their bits are: -0.0 and 0.0 make two kernels, two equal NaNs one.
  bool operator==(const Specialization &other) const;
  size_t hash() const;
};

} // namespace nereid::sema
