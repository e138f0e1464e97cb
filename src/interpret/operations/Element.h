// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the elements of tiles are held, and the choice of code by element type.
#pragma once

#include "support/Check.h"
#include "support/NarrowFloat.h"
#include "support/UnsignedOf.h"

#include "mlir/IR/Types.h"

#include <bit>
#include <cstdint>
#include <utility>

namespace nereid::interpret {

/// The table's types, and pointers. Integers of tiles have no sign: they are held as the signed
/// ones.
enum class ElementKind : uint8_t {
#define DTYPE(enumerator, name, shortName, signature, bits, kind, numpy) enumerator,
#include "nereid/dtypes.def"
  Pointer
};

/// The kind of a scalar type, or of the elements of a tile.
ElementKind kindOf(mlir::Type type);
/// Bytes an element takes, in a tile and in memory alike.
unsigned bytesOf(ElementKind kind);

/// An integer of `bits` bits in the smallest unsigned type that holds it; upper bits are zero.
template <unsigned bits> struct IntegerElement {
  using Storage = UnsignedOf<bits>;
  static constexpr unsigned width = bits;
  static uint64_t zeroExtend(Storage value) { return value; }
  static int64_t signExtend(Storage value) {
    return int64_t(uint64_t(value) << (64 - bits)) >> (64 - bits);
  }
  static Storage wrap(uint64_t value) { return bits == 1 ? Storage(value & 1) : Storage(value); }
};

/// Calls `f` with the IntegerElement of `kind`. Pointers are no integers.
template <typename F> decltype(auto) visitInteger(ElementKind kind, F &&f) {
  switch (kind) {
#define INTEGER_DTYPE(enumerator, name, shortName, signature, bits, kind, numpy)                   \
  case ElementKind::enumerator:                                                                    \
    return f(IntegerElement<bits>());
#define FLOAT_DTYPE(enumerator, name, shortName, signature, exponentBits, mantissaBits, bias,      \
                    specials, overflow, numpy)
#include "nereid/dtypes.def"
  default:
    NEREID_UNREACHABLE("not an integer element");
  }
}

inline bool isFloat(ElementKind kind) {
  return kind != ElementKind::Pointer && isFloat(static_cast<DType>(kind));
}

/// Calls `f` with the FloatElement of `kind`. Arithmetic on a narrow float is done in float and
/// rounded after every operation.
template <typename F> decltype(auto) visitFloat(ElementKind kind, F &&f) {
  NEREID_CHECK(isFloat(kind), "not a float element");
  return nereid::visitFloat(static_cast<DType>(kind), std::forward<F>(f));
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
