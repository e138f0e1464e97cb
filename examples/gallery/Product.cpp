// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Bounds.h"
#include "Gallery.h"

namespace nereid::gallery {

void expectProduct(Trial &trial, const Array &c, const Values &a, const Values &b, int64_t m,
                   int64_t n, int64_t k, double productRoundings) {
  Doubles sizes = reference::matmul(bound::absolute(a), bound::absolute(b), m, n, k);
  trial.expect(c, reference::matmul(a, b, m, n, k), bound::sum(sizes, k, productRoundings));
  trial.setOperations(2 * m * n * k);
}

} // namespace nereid::gallery
