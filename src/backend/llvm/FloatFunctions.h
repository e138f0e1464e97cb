// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of float32 as straight-line code on lanes of any number: those that math_functions.def
// calls in line, each within what it promises there for all arguments
// (docs/decisions/0032-functions-on-all-machines.md).
#pragma once

#include "backend/llvm/FunctionSteps.h"

namespace nereid::backend {

class FloatFunctions : FunctionSteps {
public:
  FloatFunctions(Builder &builder, FunctionMachine machine) : FunctionSteps(builder, machine) {}

  /// The function that C calls `name` of one or two lanes of f32; null if there is no code for it.
  llvm::Value *emit(llvm::StringRef name, llvm::ArrayRef<llvm::Value *> operands);

private:
  /// log(2), log10(2) and 1 / log(10) in two parts, the first of so few digits that products of
  /// logarithms with exponents are exact.
  static constexpr double logTwoHigh = 0.693359375, logTwoLow = -2.12194440054690583e-4,
                          log10TwoHigh = 0.301025390625, log10TwoLow = 4.605038981195214e-06,
                          log10OfEHigh = 0.4342944920063019, log10OfELow = -1.0103050052231683e-08,
                          log10OfE = 0.4342944819032518;

  llvm::Value *exp(llvm::Value *x);
  llvm::Value *exp2(llvm::Value *x);
  llvm::Value *expm1(llvm::Value *x);
  llvm::Value *sinh(llvm::Value *x);
  llvm::Value *cosh(llvm::Value *x);
  llvm::Value *tanh(llvm::Value *x);
  llvm::Value *erf(llvm::Value *x);
  llvm::Value *erfc(llvm::Value *x);
  llvm::Value *log(llvm::Value *x);
  llvm::Value *log2(llvm::Value *x);
  llvm::Value *log10(llvm::Value *x);
  llvm::Value *log1p(llvm::Value *x);
  llvm::Value *pow(llvm::Value *x, llvm::Value *y);
  llvm::Value *sin(llvm::Value *x);
  llvm::Value *cos(llvm::Value *x);
  llvm::Value *tan(llvm::Value *x);
  llvm::Value *asin(llvm::Value *x);
  llvm::Value *acos(llvm::Value *x);
  llvm::Value *atan(llvm::Value *x);
  llvm::Value *asinh(llvm::Value *x);
  llvm::Value *acosh(llvm::Value *x);
  llvm::Value *atanh(llvm::Value *x);
  llvm::Value *cbrt(llvm::Value *x);

  /// exp(x + low) = 2^exponent * (1 + rest), for x between -160 and 90 and low of the size of its
  /// last digit; low may be null.
  struct Exponential {
    llvm::Value *rest;
    Whole exponent;
  };
  Exponential exponential(llvm::Value *x, llvm::Value *low = nullptr);
  /// exp(x) / 2 between -104 and 90.
  llvm::Value *halfExponential(llvm::Value *x);
  /// 2^(x + low) for x between -150 and 129; low is of the size of its last digit, or null.
  llvm::Value *exp2InRange(llvm::Value *x, llvm::Value *low = nullptr);
  llvm::Value *erfNearZero(llvm::Value *x);
  llvm::Value *erfByExponent(llvm::Value *x);
  LogTail logTail(llvm::Value *fraction);
  /// exponent * log(2) + log(1 + fraction)
  llvm::Value *logOf(Parts parts);

  /// A number in two parts, the second of the size of the first's last digit.
  struct Pair {
    llvm::Value *high, *low;
  };
  Pair product(llvm::Value *a, llvm::Value *c);
  Pair sum(llvm::Value *large, llvm::Value *small);
  Pair log2InParts(llvm::Value *x);
  /// Where f64 is slow.
  llvm::Value *powerInParts(llvm::Value *x, llvm::Value *y);

  /// x = (4 n + quadrant) * pi / 2 + rest, with |rest| up to pi / 4; NaN for what is not finite.
  struct Angle {
    llvm::Value *rest, *quadrant;
  };
  Angle angle(llvm::Value *x);
  Angle nearAngle(llvm::Value *x);
  Angle farAngle(llvm::Value *x);
  llvm::Value *sineOf(llvm::Value *rest);
  llvm::Value *cosineOf(llvm::Value *rest);
  /// The sine of an angle that is a multiple of pi / 2 beside `rest`.
  llvm::Value *sineInQuadrant(llvm::Value *rest, llvm::Value *quadrant);
  /// A function of the module that is called for x, and made the first time.
  Angle call(llvm::StringRef name, Angle (FloatFunctions::*body)(llvm::Value *), llvm::Value *x);
};

} // namespace nereid::backend
