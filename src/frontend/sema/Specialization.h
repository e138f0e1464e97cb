// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel is compiled for: the type of each run-time argument and the value of each
// constexpr.
#pragma once

#include "frontend/sema/Constant.h"
#include "frontend/sema/HostScope.h"
#include "frontend/sema/Type.h"

#include <array>
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
  /// What the compiled kernel takes for the parameter `name`. Of a descriptor: its pointer, its
  /// extents as int32, and all strides but the last, which is 1, as int64. Of an array of a kernel
  /// of threads: its pointer, its extents as int64, and in any order its strides in elements as
  /// int64.
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

/// What a launch chooses of how a GPU runs the kernel; 0: as its tiles ask for.
struct Tuning {
  unsigned warps = 0;          // a power of two up to 32
  unsigned pipelineStages = 0; // up to 16
  unsigned maxRegisters = 0;   // of a thread, up to 255
  bool operator==(const Tuning &) const = default;
};

/// One entry for each parameter of the function, in order. A ConstantValue fixes the parameter at
/// compile time, which also happens to integer arguments equal to 1 (strides, mostly).
struct Specialization {
  std::vector<SpecializedParameter> parameters;
  /// No two pointer arguments reach the same memory.
  bool isNoAlias = false;
  Tuning tuning = {};
  /// How many threads along x, y and z are a block, of a kernel of threads; all 0 for one of tiles.
  std::array<uint32_t, 3> block = {};
  /// Of a kernel of threads, the bytes of a block's memory whose size the text leaves to the
  /// launch.
  uint32_t sharedBytes = 0;
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
