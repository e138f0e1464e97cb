// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the elements of tiles are held, and the choice of code by element type.
#pragma once

#include "support/Check.h"
#include "support/FloatFormat.h"

#include "mlir/IR/Types.h"

#include <bit>
#include <cstdint>
#include <type_traits>

namespace nereid::interpret {

enum class ElementKind : uint8_t { I1, I8, I16, I32, I64, F16, BF16, F32, F64, Pointer };

/// The kind of a scalar type, or of the elements of a tile. `index` is held as I64.
ElementKind kindOf(mlir::Type type);
/// Bytes an element takes, in a tile and in memory alike.
unsigned bytesOf(ElementKind kind);

/// An integer of `bits` bits in the smallest unsigned type that holds it; upper bits are zero.
template <unsigned bits> struct IntegerElement {
  using Storage = std::conditional_t<
      bits <= 8, uint8_t,
      std::conditional_t<bits == 16, uint16_t, std::conditional_t<bits == 32, uint32_t, uint64_t>>>;
  static constexpr unsigned width = bits;
  static uint64_t zeroExtend(Storage value) { return value; }
  static int64_t signExtend(Storage value) {
    return int64_t(uint64_t(value) << (64 - bits)) >> (64 - bits);
  }
  static Storage wrap(uint64_t value) { return bits == 1 ? Storage(value & 1) : Storage(value); }
};

/// A 16-bit float; arithmetic is done in float and rounded after every operation.
template <typename Format> struct Float16Element : SmallFloat<Format> {
  using Compute = float;
};

template <typename T> struct FloatElement : NativeFloat<T> {
  using Compute = T;
};

/// Calls `f` with the IntegerElement of `kind`. Pointers are no integers.
template <typename F> decltype(auto) visitInteger(ElementKind kind, F &&f) {
  switch (kind) {
  case ElementKind::I1:
    return f(IntegerElement<1>());
  case ElementKind::I8:
    return f(IntegerElement<8>());
  case ElementKind::I16:
    return f(IntegerElement<16>());
  case ElementKind::I32:
    return f(IntegerElement<32>());
  case ElementKind::I64:
    return f(IntegerElement<64>());
  default:
    NEREID_UNREACHABLE("not an integer element");
  }
}

template <typename F> decltype(auto) visitFloat(ElementKind kind, F &&f) {
  switch (kind) {
  case ElementKind::F16:
    return f(Float16Element<Half>());
  case ElementKind::BF16:
    return f(Float16Element<BFloat>());
  case ElementKind::F32:
    return f(FloatElement<float>());
  case ElementKind::F64:
    return f(FloatElement<double>());
  default:
    NEREID_UNREACHABLE("not a float element");
  }
}

inline bool isFloat(ElementKind kind) {
  return kind >= ElementKind::F16 && kind <= ElementKind::F64;
}

/// Calls `f` with a zero of the unsigned type as wide as an element: for code that only moves bits.
template <typename F> decltype(auto) visitBits(ElementKind kind, F &&f) {
  switch (bytesOf(kind)) {
  case 1:
    return f(uint8_t());
  case 2:
    return f(uint16_t());
  case 4:
    return f(uint32_t());
  case 8:
    return f(uint64_t());
  default:
    NEREID_UNREACHABLE("element of unknown size");
  }
}

} // namespace nereid::interpret
