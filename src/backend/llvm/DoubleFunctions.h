// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of float64 as straight-line code on lanes of any number, as FloatFunctions are of
// float32.
#pragma once

#include "backend/llvm/FunctionSteps.h"

namespace nereid::backend {

class DoubleFunctions : FunctionSteps {
public:
  DoubleFunctions(Builder &builder, FunctionMachine machine) : FunctionSteps(builder, machine) {}

  /// The function that C calls `name` of lanes of f64; null if there is no code for it.
  llvm::Value *emit(llvm::StringRef name, llvm::ArrayRef<llvm::Value *> operands);

  /// x^y to 31 digits, for x >= 0, both in the range of float32, and what it gives beyond it is
  /// beyond it as well.
  llvm::Value *powerOfFloats(llvm::Value *x, llvm::Value *y);

private:
  /// log(2) and log10(2) in two parts, the first of 40 digits, so that its products with exponents
  /// are exact; 1 / log(10) to twice its digits.
  static constexpr double logTwoHigh = 0.6931471805592082, logTwoLow = 7.371002565161996e-13,
                          log10TwoHigh = 0.30102999566361177, log10TwoLow = 3.694239077158931e-13,
                          log10OfE = 0.4342944819032518, log10OfELow = 1.098319650216765e-17;

  llvm::Value *exp(llvm::Value *x);
  llvm::Value *exp2(llvm::Value *x);
  llvm::Value *log(llvm::Value *x);
  llvm::Value *log2(llvm::Value *x);
  llvm::Value *log10(llvm::Value *x);
  llvm::Value *log1p(llvm::Value *x);
  llvm::Value *asin(llvm::Value *x);
  llvm::Value *acos(llvm::Value *x);
  llvm::Value *atan(llvm::Value *x);
  llvm::Value *asinh(llvm::Value *x);
  llvm::Value *acosh(llvm::Value *x);
  llvm::Value *atanh(llvm::Value *x);
  llvm::Value *cbrt(llvm::Value *x);
  llvm::Value *tanh(llvm::Value *x);
  llvm::Value *erf(llvm::Value *x);
  llvm::Value *erfc(llvm::Value *x);

  /// exp(x + low) = 2^exponent * (1 + rest), for x between -1075 and 710 and low of the size of its
  /// last digit; low may be null.
  struct Exponential {
    llvm::Value *rest;
    Whole exponent;
  };
  Exponential exponential(llvm::Value *x, llvm::Value *low = nullptr);
  LogTail logTail(llvm::Value *fraction);
  llvm::Value *erfNearZero(llvm::Value *x);
  /// erfc(x) for x between 0 and 28; least exact near 0.
  llvm::Value *positiveErfc(llvm::Value *x);
};

} // namespace nereid::backend
