// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floating-point formats by their definition, and numbers to try functions on.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ostream>
#include <random>
#include <span>
#include <type_traits>
#include <vector>

namespace nereid::test {

/// A floating-point format, read and measured here by its definition alone.
struct Format {
  const char *name;
  int bits, digits, largestExponent;

  int smallestExponent() const { return 1 - largestExponent; }
  bool isNative() const { return digits >= 24; }

  long double value(uint64_t pattern) const;
  template <typename Bits> std::vector<long double> values(std::span<const Bits> patterns) const;

  /// How many steps of the format lie between the two; what overflows is one step above the rest.
  long double steps(long double actual, long double expected) const;

  /// The first result that is further off than promised, has the other sign, or is a number where
  /// none is expected or none where one is; the end if there is none such. `worst` grows to the
  /// most steps that one is off. Here and not where it is called: tests are not optimised.
  template <typename Number, typename Wide>
  size_t firstWrong(const std::vector<Number> &results, const std::vector<Wide> &expected,
                    long double promise, long double &worst) const;
};

/// What gtest calls it where a test fails.
inline void PrintTo(const Format &format, std::ostream *out) { *out << format.name; }

inline constexpr Format formats[] = {
    {"f16", 16, 11, 15}, {"bf16", 16, 8, 127}, {"f32", 32, 24, 127}, {"f64", 64, 53, 1023}};

/// A function of one or two numbers, as one of two in long double.
template <size_t arity, typename Call> constexpr auto referenceOf(Call) {
  return [](long double x, long double y) {
    if constexpr (arity == 1)
      return static_cast<long double>(Call()(x));
    else
      return static_cast<long double>(Call()(x, y));
  };
}

/// Every number of 16 bits, in an order that depends on the seed.
template <typename Bits>
  requires(sizeof(Bits) == 2)
std::vector<Bits> numbersOf(unsigned seed) {
  std::vector<Bits> all;
  for (uint32_t pattern = 0; pattern < 0x10000; ++pattern)
    all.push_back(static_cast<Bits>(pattern));
  std::shuffle(all.begin(), all.end(), std::mt19937_64(seed));
  return all;
}

/// Patterns of bits, numbers of everyday size, and such whose exponentials leave the type.
template <typename Bits> std::vector<Bits> numbersOf(unsigned seed) {
  using Number = std::conditional_t<sizeof(Bits) == 4, float, double>;
  std::vector<Bits> all;
  for (double special : {0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e-40, 1e-310})
    all.push_back(std::bit_cast<Bits>(static_cast<Number>(special)));
  for (Number special :
       {std::numeric_limits<Number>::infinity(), -std::numeric_limits<Number>::infinity(),
        std::numeric_limits<Number>::quiet_NaN()})
    all.push_back(std::bit_cast<Bits>(special));
  std::mt19937_64 random(seed);
  auto between = [&](double low, double high) {
    return std::bit_cast<Bits>(
        static_cast<Number>(std::uniform_real_distribution<double>(low, high)(random)));
  };
  while (all.size() < 8192)
    all.push_back(all.size() % 3 == 0   ? static_cast<Bits>(random())
                  : all.size() % 3 == 1 ? between(-20, 20)
                                        : between(-800, 800));
  std::shuffle(all.begin(), all.end(), random);
  return all;
}

} // namespace nereid::test
