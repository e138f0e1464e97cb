// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpret/operations/Exponential.h"

#include <bit>

namespace nereid::interpret {

/// e^x within two units in the last place, for results that are rounded to float: those are 0 and
/// infinite far inside of the range that is cut off here.
///
/// x = n ln 2 + r with |r| <= ln 2 / 2, and e^r is Taylor's series up to r^13, the rest of which is
/// below 2^-57; its terms are added by pairs, so that few wait for one another.
[[gnu::always_inline]] static inline double exponential(double x) {
  constexpr double largest = 200;
  constexpr double log2OfE = 0x1.71547652b82fep+0;
  constexpr double ln2High = 0x1.62e42fefa0000p-1, ln2Low = 0x1.cf79abc9e3b3ap-40;
  constexpr double shift =
      0x1.8p52; // added to a number, it leaves the nearest integer in the low bits
  x = x < -largest ? -largest : x > largest ? largest : x;
  double shifted = x * log2OfE + shift, n = shifted - shift;
  double r = (x - n * ln2High) - n * ln2Low, r2 = r * r, r4 = r2 * r2;
  double below4 = (1 + r) + (1 / 2.0 + 1 / 6.0 * r) * r2;
  double below8 = (1 / 24.0 + 1 / 120.0 * r) + (1 / 720.0 + 1 / 5040.0 * r) * r2;
  double below12 = (1 / 40320.0 + 1 / 362880.0 * r) + (1 / 3628800.0 + 1 / 39916800.0 * r) * r2;
  double below14 = 1 / 479001600.0 + 1 / 6227020800.0 * r;
  double sum = (below4 + below8 * r4) + (below12 + below14 * r4) * (r4 * r4);
  return sum * std::bit_cast<double>((std::bit_cast<uint64_t>(shifted) + 1023) << 52);
}

[[gnu::always_inline]] static inline void each(const float *x, float *__restrict out,
                                               int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    out[i] = float(exponential(x[i]));
}

#ifdef __x86_64__
[[gnu::target("avx2")]] static void eachInWideRegisters(const float *x, float *out, int64_t count) {
  each(x, out, count);
}
#endif

void exponentials(const float *x, float *out, int64_t count) {
#ifdef __x86_64__
  static const bool hasWideRegisters = __builtin_cpu_supports("avx2");
  if (hasWideRegisters)
    return eachInWideRegisters(x, out, count);
#endif
  each(x, out, count);
}

} // namespace nereid::interpret
