// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The floating-point formats as data, from the table of element types.
#pragma once

#include "nereid/DType.h"
#include "support/Check.h"

#include <cstdint>

namespace nereid {

struct FloatFormat {
  enum Specials { Ieee, OneNan, NanForNegativeZero, Numbers } specials;
  enum Overflow { Infinite, Saturates, SaturatesBelow } overflow;
  unsigned exponentBits, mantissaBits;
  int bias;

  constexpr unsigned bits() const { return 1 + exponentBits + mantissaBits; }
  constexpr uint64_t signBit() const { return uint64_t(1) << (bits() - 1); }
  constexpr bool hasNan() const { return specials != Numbers; }
  constexpr bool hasNegativeZero() const { return specials != NanForNegativeZero; }

  // Codes without the sign bit.
  /// The first one beyond the finite numbers: infinity, if the format has it, else the NaN. It is
  /// beyond all codes where they are all numbers.
  constexpr uint64_t firstSpecial() const {
    return specials == Ieee     ? ((uint64_t(1) << exponentBits) - 1) << mantissaBits
           : specials == OneNan ? signBit() - 1
                                : signBit();
  }
  constexpr uint64_t largest() const { return firstSpecial() - 1; }
  constexpr uint64_t firstNan() const {
    return specials == Ieee ? firstSpecial() + 1 : firstSpecial();
  }
  /// A NaN, the one whose code is the highest; where that is the code of -0, with the sign bit.
  /// Only of formats that have one.
  constexpr uint64_t lastNan() const {
    return specials == NanForNegativeZero ? signBit() : signBit() - 1;
  }
  /// What numbers become that round beyond the largest.
  constexpr uint64_t beyondLargest() const {
    return overflow == Infinite    ? firstSpecial()
           : overflow == Saturates ? largest()
                                   : largest() - 1;
  }
};

/// Of a float type.
constexpr FloatFormat formatOf(DType type) {
  switch (type) {
#define INTEGER_DTYPE(enumerator, name, shortName, signature, bits, kind, numpy)
#define FLOAT_DTYPE(enumerator, name, shortName, signature, exponentBits, mantissaBits, bias,      \
                    specials, overflow, numpy)                                                     \
  case DType::enumerator:                                                                          \
    return {FloatFormat::specials, FloatFormat::overflow, exponentBits, mantissaBits, bias};
#include "nereid/dtypes.def"
  default:
    NEREID_UNREACHABLE("integers have no float format");
  }
}

} // namespace nereid
