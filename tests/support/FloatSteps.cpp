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

template <typename Bits>
std::vector<long double> Format::values(std::span<const Bits> patterns) const {
  std::vector<long double> numbers;
  numbers.reserve(patterns.size());
  for (Bits pattern : patterns)
    numbers.push_back(value(pattern));
  return numbers;
}

template std::vector<long double> Format::values(std::span<const uint16_t>) const;
template std::vector<long double> Format::values(std::span<const uint32_t>) const;
template std::vector<long double> Format::values(std::span<const uint64_t>) const;

namespace {

/// What std::ldexp(1.0L, power) is, which takes a third of all time of a comparison.
long double powerOfTwo(int power) {
  if (power <= -1022 || power > 1023)
    return std::ldexp(1.0L, power);
  return std::bit_cast<double>(static_cast<uint64_t>(power + 1023) << 52);
}

} // namespace

long double Format::steps(long double actual, long double expected) const {
  if (actual == expected)
    return 0;
  long double limit = powerOfTwo(largestExponent) * 2;
  for (long double *number : {&actual, &expected})
    if (std::fabs(*number) > limit)
      *number = std::copysign(limit, *number);
  int exponent =
      expected == 0 ? smallestExponent() : std::max(std::ilogb(expected), smallestExponent());
  exponent = std::min(exponent, largestExponent);
  return std::fabs(actual - expected) / powerOfTwo(exponent - digits + 1);
}

template <typename Number, typename Wide>
size_t Format::firstWrong(const std::vector<Number> &results, const std::vector<Wide> &expected,
                          long double promise, long double &worst) const {
  for (size_t i = 0; i < expected.size(); ++i) {
    if (std::isnan(results[i]) != std::isnan(expected[i]))
      return i;
    if (std::isnan(expected[i]))
      continue;
    worst = std::max(worst, steps(results[i], expected[i]));
    if (worst > promise || std::signbit(results[i]) != std::signbit(expected[i]))
      return i;
  }
  return expected.size();
}

template size_t Format::firstWrong(const std::vector<float> &, const std::vector<double> &,
                                   long double, long double &) const;
template size_t Format::firstWrong(const std::vector<double> &, const std::vector<long double> &,
                                   long double, long double &) const;
template size_t Format::firstWrong(const std::vector<long double> &,
                                   const std::vector<long double> &, long double,
                                   long double &) const;

} // namespace nereid::test
