// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/ExactProduct.h"

namespace nereid::test {

std::vector<double> exactProduct(std::span<const double> a, std::span<const double> b, int64_t m,
                                 int64_t n, int64_t k, RightFactor right) {
  std::vector<double> sums(static_cast<size_t>(m * n), 0);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t l = 0; l < k; ++l)
      for (int64_t j = 0; j < n; ++j)
        sums[static_cast<size_t>(i * n + j)] +=
            a[static_cast<size_t>(i * k + l)] *
            b[static_cast<size_t>(l * right.row + j * right.column)];
  return sums;
}

} // namespace nereid::test
