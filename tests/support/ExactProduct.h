// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What products are compared with.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace nereid::test {

/// How the right factor lies: element (l, j) at l * row + j * column.
struct RightFactor {
  int64_t row = 0, column = 1;
};

/// a @ b, of `m` and `n` rows and columns by rows; a lies by rows. In double, which is exact for
/// the small whole numbers that tests multiply, in every order. Optimised, unlike the tests
/// themselves: it is most of what they compute.
std::vector<double> exactProduct(std::span<const double> a, std::span<const double> b, int64_t m,
                                 int64_t n, int64_t k, RightFactor right);

/// The same of numbers of any kinds, with a result of `Sum`.
template <typename Sum, typename T>
std::vector<Sum> exactProductOf(std::span<const T> a, std::span<const T> b, int64_t m, int64_t n,
                                int64_t k, RightFactor right) {
  std::vector<double> left(a.begin(), a.end()), factor(b.begin(), b.end());
  std::vector<double> exact = exactProduct(left, factor, m, n, k, right);
  return {exact.begin(), exact.end()};
}

} // namespace nereid::test
