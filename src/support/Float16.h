// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The two 16-bit floating-point formats, as bit patterns that convert to and from wider types.
#pragma once

#include <bit>
#include <cstdint>

namespace nereid {

/// A binary floating-point format with 16 bits, held as its bits.
template <int exponentBits, int mantissaBits> struct Float16Format {
  static_assert(1 + exponentBits + mantissaBits == 16);
  static constexpr int bias = (1 << (exponentBits - 1)) - 1;
  static constexpr uint16_t infinity = ((1 << exponentBits) - 1) << mantissaBits;

  /// The nearest value, ties to even; rounds once. A float widens to double exactly, so this is
  /// correct for both.
  static uint16_t round(double value) {
    uint64_t bits = std::bit_cast<uint64_t>(value);
    uint16_t sign = uint16_t(bits >> 63 << 15);
    uint64_t magnitude = bits & ~(uint64_t(1) << 63);
    if (magnitude > doubleInfinity)
      return sign | infinity | quietBit | uint16_t(magnitude << 12 >> (64 - mantissaBits));
    return sign | roundMagnitude(magnitude);
  }

  static float widen(uint16_t bits) {
    uint32_t sign = uint32_t(bits >> 15) << 31;
    uint32_t magnitude = bits & 0x7fff;
    if (magnitude >= infinity) // infinity and NaN keep their payload
      return std::bit_cast<float>(sign | 0x7f800000 | (magnitude - infinity) << widening);
    if constexpr (exponentBits == 8)
      return std::bit_cast<float>(sign | magnitude << widening);
    // As a float, the shifted bits are too small by a power of two; a product restores it exactly,
    // for subnormal numbers too.
    float scale = std::bit_cast<float>(uint32_t(127 + 127 - bias) << 23);
    float scaled = std::bit_cast<float>(magnitude << widening) * scale;
    return std::bit_cast<float>(std::bit_cast<uint32_t>(scaled) | sign);
  }

private:
  static constexpr uint64_t doubleInfinity = uint64_t(0x7ff) << 52;
  static constexpr uint16_t quietBit = 1 << (mantissaBits - 1);
  static constexpr int widening = 23 - mantissaBits;

  static uint16_t roundMagnitude(uint64_t magnitude) {
    int exponent = int(magnitude >> 52) - 1023;
    if (exponent > bias)
      return infinity;
    bool isSubnormal = exponent < 1 - bias;
    int shift = 52 - mantissaBits + (isSubnormal ? 1 - bias - exponent : 0);
    if (shift > 53)
      return 0;
    uint64_t significand = (magnitude & ((uint64_t(1) << 52) - 1)) | uint64_t(1) << 52;
    uint64_t kept = significand >> shift;
    uint64_t rest = significand & ((uint64_t(1) << shift) - 1), half = uint64_t(1) << (shift - 1);
    kept += rest > half || (rest == half && (kept & 1));
    // A carry out of the mantissa lands in the exponent, which is where it belongs.
    int64_t base = isSubnormal ? 0 : int64_t(exponent + bias - 1) << mantissaBits;
    return uint16_t(base + int64_t(kept));
  }
};

using Half = Float16Format<5, 10>;
using BFloat = Float16Format<8, 7>;

} // namespace nereid
