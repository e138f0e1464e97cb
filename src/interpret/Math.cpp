// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of the math dialect. All are computed in double and rounded once, so that the narrower
// types get the nearest value and are a yardstick for approximations.
#include "interpret/Elementwise.h"
#include "interpret/Exponential.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace nereid::interpret {

template <typename Op> static void addUnary(OperationTable &table, double (*f)(double)) {
  addFloatUnary<Op>(table, [f](auto x) { return f(double(x)); });
}

template <typename Op> static void addBinary(OperationTable &table, double (*f)(double, double)) {
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
  addUnary<math::SinOp>(table, std::sin);
  addUnary<math::CosOp>(table, std::cos);
  addUnary<math::TanOp>(table, std::tan);
  addUnary<math::AsinOp>(table, std::asin);
  addUnary<math::AcosOp>(table, std::acos);
  addUnary<math::AtanOp>(table, std::atan);
  addBinary<math::Atan2Op>(table, std::atan2);
  addUnary<math::SinhOp>(table, std::sinh);
  addUnary<math::CoshOp>(table, std::cosh);
  addUnary<math::TanhOp>(table, std::tanh);
  addUnary<math::AsinhOp>(table, std::asinh);
  addUnary<math::AcoshOp>(table, std::acosh);
  addUnary<math::AtanhOp>(table, std::atanh);
}

static void addRounding(OperationTable &table) {
  addUnary<math::CeilOp>(table, std::ceil);
  addUnary<math::FloorOp>(table, std::floor);
  addUnary<math::TruncOp>(table, std::trunc);
  addUnary<math::RoundOp>(table, std::round);
  addUnary<math::RoundEvenOp>(table, std::nearbyint); // in the mode that every program starts in
}

void addMathOperations(OperationTable &table) {
  addTrigonometry(table);
  addRounding(table);
  table.add<math::ExpOp>(planExponential);
  addUnary<math::Exp2Op>(table, std::exp2);
  addUnary<math::LogOp>(table, std::log);
  addUnary<math::Log2Op>(table, std::log2);
  addUnary<math::Log10Op>(table, std::log10);
  addUnary<math::Log1pOp>(table, std::log1p);
  addUnary<math::ExpM1Op>(table, std::expm1);
  addBinary<math::PowFOp>(table, std::pow);
  addUnary<math::SqrtOp>(table, std::sqrt);
  addUnary<math::CbrtOp>(table, std::cbrt);
  addUnary<math::RsqrtOp>(table, [](double x) { return 1 / std::sqrt(x); });
  addUnary<math::ErfOp>(table, std::erf);
  addUnary<math::ErfcOp>(table, std::erfc);
}

} // namespace nereid::interpret
