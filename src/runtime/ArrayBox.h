// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a launch makes tensor maps from, for the copy engine (TMA) of an NVIDIA GPU.
#pragma once

#include "nereid/DType.h"
#include "support/KernelArguments.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace nereid::runtime {

/// A run-time parameter that is a signed integer: its number and width.
struct IntegerParameter {
  uint16_t number = 0;
  uint8_t bytes = 4;

  int64_t valueIn(std::span<const ArgumentSlot> arguments) const;
  bool operator==(const IntegerParameter &) const = default;
};

/// A sum of products of parameters, each times a constant.
struct ParameterSum {
  struct Term {
    int64_t factor = 0;
    std::vector<IntegerParameter> parameters;
    bool operator==(const Term &) const = default;
  };
  std::vector<Term> terms;

  /// Nothing if it leaves 64 bits.
  std::optional<int64_t> valueIn(std::span<const ArgumentSlot> arguments) const;
  bool operator==(const ParameterSum &) const = default;
};

/// An array from which a kernel copies boxes. The element at coordinates (c0, c1, ...) is offset +
/// c0 + c1 * stride1 + ... elements behind the parameter's address, and zero beyond the extents.
struct ArrayBox {
  struct Dimension {
    ParameterSum extent, stride; // in elements; the first stride is 1
    uint32_t copied = 1;         // elements that one copy moves
    uint32_t step = 1;           // how far apart they are, 1 to 8
    bool operator==(const Dimension &) const = default;
  };
  DType type = DType::Float16;
  uint16_t parameter = 0;
  ParameterSum offset;
  std::vector<Dimension> dimensions; // 1 to 5, from the innermost
  uint32_t swizzleBytes = 0;         // 0, 32, 64 or 128
  bool operator==(const ArrayBox &) const = default;
};

/// As many as a kernel may have beside its other parameters.
inline constexpr size_t mostBoxes = 8;

/// That a parameter is positive and a multiple of the divisor.
struct MultipleCondition {
  IntegerParameter parameter;
  int64_t divisor = 1;

  bool holdsFor(std::span<const ArgumentSlot> arguments) const;
  bool operator==(const MultipleCondition &) const = default;
};

} // namespace nereid::runtime
