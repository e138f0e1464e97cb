// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/FloatSteps.h"

namespace nereid::test {

long double Format::value(uint64_t pattern) const {
  int fractionBits = digits - 1, exponentBits = bits - digits;
  auto fraction = static_cast<long double>(pattern & ((uint64_t(1) << fractionBits) - 1));
  int exponent = static_cast<int>(pattern >> fractionBits & ((1 << exponentBits) - 1));
  bool isNegative = pattern >> (bits - 1) & 1;
  long double size = exponent == 0 ? std::ldexp(fraction, smallestExponent() - fractionBits)
                                   : std::ldexp(fraction + std::ldexp(1.0L, fractionBits),
                                                exponent - largestExponent - fractionBits);
  if (exponent == (1 << exponentBits) - 1)
    size = fraction == 0 ? INFINITY : NAN;
  return isNegative ? -size : size;
}

long double Format::steps(long double actual, long double expected) const {
  long double limit = std::ldexp(1.0L, largestExponent + 1);
  for (long double *number : {&actual, &expected})
    if (std::fabs(*number) > limit)
      *number = std::copysign(limit, *number);
  int exponent =
      expected == 0 ? smallestExponent() : std::max(std::ilogb(expected), smallestExponent());
  exponent = std::min(exponent, largestExponent);
  return std::fabs(actual - expected) / std::ldexp(1.0L, exponent - digits + 1);
}

} // namespace nereid::test
