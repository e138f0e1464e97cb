// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers inside the interpreter remember the kernel argument that they were derived from.
#pragma once

#include "support/KernelArguments.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace nereid::interpret {

/// Translates between real addresses and the interpreter's pointers. Such a pointer has the number
/// of its argument (from 1) in the upper 16 bits and a position in the lower 48. The array starts
/// in the middle of the positions, moved by the low bits of the real address so that alignment
/// shows. Number 0 is for addresses that lie in no argument's array; their position is the address
/// itself.
class AddressSpace {
public:
  struct Array {
    std::byte *base = nullptr;
    uint64_t extentBytes = 0;
    uint64_t origin = 0; // the pointer to the first byte
    uint64_t elementBytes = 0;
    std::string name;
    uint64_t below = 0; // bytes that come before element 0: views may go backwards

    /// The number of the element that holds a byte, counted as the kernel does.
    int64_t indexOf(uint64_t offset) const {
      int64_t byte = int64_t(offset) - int64_t(below), size = int64_t(elementBytes);
      return byte / size - (byte % size < 0);
    }
  };

  /// As RunSettings has `bytesBelow`.
  AddressSpace(mlir::func::FuncOp kernel, std::span<const ArgumentSlot> arguments,
               std::span<const uint64_t> bytesBelow = {});

  /// Adds memory that is none of the arguments'; gives its number.
  uint64_t add(std::byte *base, uint64_t extentBytes, uint64_t elementBytes, std::string name);
  /// The pointer to its first element.
  uint64_t pointer(uint64_t number) const { return arrays[number].origin; }

  static uint64_t numberOf(uint64_t pointer) { return pointer >> positionBits; }
  /// Moves by `elements` of `bytes` each. Stops at the end of the positions: however far it goes, a
  /// pointer never turns into one of another array.
  static uint64_t advance(uint64_t pointer, int64_t elements, int64_t bytes) {
    int64_t limit = int64_t(1) << positionBits;
    int64_t distance, position = int64_t(pointer & (limit - 1));
    if (__builtin_mul_overflow(elements, bytes, &distance))
      distance = elements < 0 ? -limit : limit;
    distance = std::clamp(distance, -limit, limit);
    return (pointer & ~uint64_t(limit - 1)) |
           uint64_t(std::clamp<int64_t>(position + distance, 0, limit - 1));
  }

  /// Arrays are numbered from 1 to here; 0 stands for none.
  uint64_t count() const { return arrays.size(); }
  const Array &array(uint64_t number) const {
    return number < arrays.size() ? arrays[number] : arrays[0];
  }
  /// The pointer for argument `index`; a null argument stays null.
  uint64_t argument(size_t index) const {
    return arrays[index + 1].origin + arrays[index + 1].below;
  }
  /// A pointer for what an integer or an element of memory holds: a real address, or one of ours.
  uint64_t fromAddress(uint64_t address) const;
  uint64_t toAddress(uint64_t pointer) const;

private:
  static constexpr unsigned positionBits = 48;
  std::vector<Array> arrays; // the first stands for no array
};

} // namespace nereid::interpret
