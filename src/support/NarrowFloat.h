// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The floating-point formats of 8 and 16 bits, as bit patterns that convert to and from wider
// types.
#pragma once

#include "support/FloatFormat.h"
#include "support/UnsignedOf.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

namespace nereid {

/// A number of the format that `type` names, held as its bits.
template <DType type> struct NarrowFloat {
  static constexpr FloatFormat format = formatOf(type);
  static_assert(format.bits() <= 16);
  using Storage = UnsignedOf<format.bits()>;

  /// The nearest value, ties as the format has them; rounds once. A float widens to double exactly,
  /// so this is correct for both. A NaN keeps the highest bits of its payload where there is room
  /// for one; in 8 bits it becomes the one that NVIDIA's conversions give.
  static constexpr Storage round(double value) {
    uint64_t bits = std::bit_cast<uint64_t>(value);
    auto sign = Storage(bits >> 63 << (format.bits() - 1));
    uint64_t magnitude = bits & ~(uint64_t(1) << 63);
    if constexpr (!format.hasNan())
      magnitude = std::min(magnitude, doubleInfinity);
    if (magnitude <= doubleInfinity) {
      Storage rounded = roundMagnitude(magnitude);
      return rounded == 0 && !format.hasNegativeZero() ? rounded : Storage(sign | rounded);
    }
    if constexpr (format.bits() == 8)
      return Storage(format.lastNan());
    return Storage(sign | format.firstSpecial() | quietBit |
                   magnitude << 12 >> (64 - format.mantissaBits));
  }

  static constexpr float widen(Storage bits) {
    if (!format.hasNegativeZero() && bits == format.signBit())
      return std::bit_cast<float>(uint32_t(0xffc00000));
    uint32_t sign = uint32_t(bits >> (format.bits() - 1)) << 31;
    uint32_t magnitude = bits & (format.signBit() - 1);
    // Infinity and NaN keep their payload, of which the one NaN of a format has none.
    if (magnitude >= format.firstSpecial())
      return std::bit_cast<float>(
          sign | 0x7f800000 |
          (format.specials == FloatFormat::OneNan ? 0x400000 : magnitude << widening));
    if constexpr (format.exponentBits == 8)
      return std::bit_cast<float>(sign | magnitude << widening);
    // As a float, the shifted bits are too small by a power of two; a product restores it exactly,
    // for subnormal numbers too.
    auto scale = std::bit_cast<float>(uint32_t(127 + 127 - format.bias) << 23);
    float scaled = std::bit_cast<float>(magnitude << widening) * scale;
    return std::bit_cast<float>(std::bit_cast<uint32_t>(scaled) | sign);
  }

private:
  static constexpr uint64_t doubleInfinity = uint64_t(0x7ff) << 52;
  static constexpr uint64_t quietBit = uint64_t(1) << (format.mantissaBits - 1);
  static constexpr int widening = 23 - format.mantissaBits;

  static constexpr Storage roundMagnitude(uint64_t magnitude) {
    int exponent = int(magnitude >> 52) - 1023;
    if (exponent > format.bias + 1)
      return Storage(format.beyondLargest());
    bool isSubnormal = exponent < 1 - format.bias;
    int shift = 52 - int(format.mantissaBits) + (isSubnormal ? 1 - format.bias - exponent : 0);
    if (shift > 53)
      return 0;
    uint64_t significand = (magnitude & ((uint64_t(1) << 52) - 1)) | uint64_t(1) << 52;
    uint64_t kept = significand >> shift;
    uint64_t rest = significand & ((uint64_t(1) << shift) - 1), half = uint64_t(1) << (shift - 1);
    bool tiesGoUp = format.overflow == FloatFormat::SaturatesBelow || (kept & 1);
    kept += rest > half || (rest == half && tiesGoUp);
    // A carry out of the mantissa lands in the exponent, which is where it belongs.
    uint64_t base = isSubnormal ? 0 : uint64_t(exponent + format.bias - 1) << format.mantissaBits;
    uint64_t rounded = base + kept;
    return Storage(rounded >= format.beyondLargest() ? format.beyondLargest() : rounded);
  }
};

/// A format that is narrower than float: read as float, which holds every number of it exactly.
template <DType type> struct SmallFloat {
  using Storage = typename NarrowFloat<type>::Storage;
  static float load(Storage bits) { return NarrowFloat<type>::widen(bits); }
  static Storage round(double value) { return NarrowFloat<type>::round(value); }
};

template <typename T> struct NativeFloat {
  using Storage = T;
  static T load(Storage value) { return value; }
  static Storage round(double value) { return static_cast<T>(value); }
};

/// How elements of a float type are read, and how a number is rounded to one (to nearest even): for
/// code that is written once for all formats.
template <DType type>
using FloatElement = std::conditional_t<
    formatOf(type).bits() == 64, NativeFloat<double>,
    std::conditional_t<formatOf(type).bits() == 32, NativeFloat<float>, SmallFloat<type>>>;

/// Calls `f` with the FloatElement of `type`.
template <typename F> decltype(auto) visitFloat(DType type, F &&f) {
  switch (type) {
#define INTEGER_DTYPE(enumerator, name, shortName, signature, bits, kind, numpy)
#define FLOAT_DTYPE(enumerator, name, shortName, signature, exponentBits, mantissaBits, bias,      \
                    specials, overflow, numpy)                                                     \
  case DType::enumerator:                                                                          \
    return f(FloatElement<DType::enumerator>());
#include "nereid/dtypes.def"
  default:
    NEREID_UNREACHABLE("not a float type");
  }
}

} // namespace nereid
