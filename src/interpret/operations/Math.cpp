// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of the math dialect. All are computed in double and rounded once, so that the narrower
// types get the nearest value and are a yardstick for approximations.
#include "interpret/operations/Elementwise.h"
#include "interpret/operations/Exponential.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace nereid::interpret {

template <typename Op> static void addMathUnary(OperationTable &table, double (*f)(double)) {
  addFloatUnary<Op>(table, [f](auto x) { return f(double(x)); });
}

template <typename Op>
static void addMathBinary(OperationTable &table, double (*f)(double, double)) {
  addFloatBinary<Op>(table, [f](auto x, auto y) { return f(double(x), double(y)); });
}

/// Of float32, which kernels take most exponentials of, in vector code.
static Step planExponential(Planner &planner, Operation &op) {
  Slot a = planner.slotOf(op.getOperand(0)), out = planner.define(op.getResult(0));
  return visitFloat(a.kind, [=](auto element) -> Step {
    using E = decltype(element);
    using T = typename E::Storage;
    if constexpr (std::is_same_v<T, float>)
      return [=](Execution &) { exponentials(a.as<float>(), out.as<float>(), out.count()); };
    else
      return loop<T, T>(out, a, [](T x) { return E::round(std::exp(double(E::load(x)))); });
  });
}

static void addTrigonometry(OperationTable &table) {
  addMathUnary<math::SinOp>(table, std::sin);
  addMathUnary<math::CosOp>(table, std::cos);
  addMathUnary<math::TanOp>(table, std::tan);
  addMathUnary<math::AsinOp>(table, std::asin);
  addMathUnary<math::AcosOp>(table, std::acos);
  addMathUnary<math::AtanOp>(table, std::atan);
  addMathBinary<math::Atan2Op>(table, std::atan2);
  addMathUnary<math::SinhOp>(table, std::sinh);
  addMathUnary<math::CoshOp>(table, std::cosh);
  addMathUnary<math::TanhOp>(table, std::tanh);
  addMathUnary<math::AsinhOp>(table, std::asinh);
  addMathUnary<math::AcoshOp>(table, std::acosh);
  addMathUnary<math::AtanhOp>(table, std::atanh);
}

static void addRounding(OperationTable &table) {
  addMathUnary<math::CeilOp>(table, std::ceil);
  addMathUnary<math::FloorOp>(table, std::floor);
  addMathUnary<math::TruncOp>(table, std::trunc);
  addMathUnary<math::RoundOp>(table, std::round);
  addMathUnary<math::RoundEvenOp>(table,
                                  std::nearbyint); // in the mode that every program starts in
}

void addMathOperations(OperationTable &table) {
  addTrigonometry(table);
  addRounding(table);
  table.add<math::ExpOp>(planExponential);
  addMathUnary<math::Exp2Op>(table, std::exp2);
  addMathUnary<math::LogOp>(table, std::log);
  addMathUnary<math::Log2Op>(table, std::log2);
  addMathUnary<math::Log10Op>(table, std::log10);
  addMathUnary<math::Log1pOp>(table, std::log1p);
  addMathUnary<math::ExpM1Op>(table, std::expm1);
  addMathBinary<math::PowFOp>(table, std::pow);
  addMathUnary<math::SqrtOp>(table, std::sqrt);
  addMathUnary<math::CbrtOp>(table, std::cbrt);
  addMathUnary<math::RsqrtOp>(table, [](double x) { return 1 / std::sqrt(x); });
  addMathUnary<math::ErfOp>(table, std::erf);
  addMathUnary<math::ErfcOp>(table, std::erfc);
}

} // namespace nereid::interpret
