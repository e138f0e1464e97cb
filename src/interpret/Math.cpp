// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of the math dialect. All are computed in double and rounded once, so that the narrower
// types get the nearest value and are a yardstick for approximations.
#include "interpret/Elementwise.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace nereid::interpret {

template <typename Op> static void addUnary(OperationTable &table, double (*f)(double)) {
  addFloatUnary<Op>(table, [f](auto x) { return f(double(x)); });
}

void addMathOperations(OperationTable &table) {
  addUnary<math::ExpOp>(table, std::exp);
  addUnary<math::Exp2Op>(table, std::exp2);
  addUnary<math::LogOp>(table, std::log);
  addUnary<math::Log2Op>(table, std::log2);
  addUnary<math::SqrtOp>(table, std::sqrt);
  addUnary<math::RsqrtOp>(table, [](double x) { return 1 / std::sqrt(x); });
  addUnary<math::ErfOp>(table, std::erf);
  addUnary<math::SinOp>(table, std::sin);
  addUnary<math::CosOp>(table, std::cos);
  addUnary<math::CeilOp>(table, std::ceil);
  addUnary<math::FloorOp>(table, std::floor);
}

} // namespace nereid::interpret
