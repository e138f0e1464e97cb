// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of float32 as straight-line code on lanes of any number, with no call: exp, exp2, log, log2,
// tanh and erf, each within two units in the last place, for all arguments
// (docs/decisions/0030-functions-in-line.md).
#pragma once

#include "backend/llvm/LaneBuilder.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace nereid::backend {

class FloatFunctions {
public:
  struct Machine {
    bool hasFma;
    /// llvm.ldexp is an instruction.
    bool scalesByPowers;
  };
  FloatFunctions(Builder &builder, Machine machine) : b(builder), machine(machine) {}

  /// The function that C calls `name` of x, lanes of f32; null if it is none of these.
  llvm::Value *emit(llvm::StringRef name, llvm::Value *x);

private:
  llvm::Value *exp(llvm::Value *x);
  llvm::Value *exp2(llvm::Value *x);
  llvm::Value *log(llvm::Value *x);
  llvm::Value *log2(llvm::Value *x);
  llvm::Value *tanh(llvm::Value *x);
  llvm::Value *erf(llvm::Value *x);

  struct Exponential {
    llvm::Value *rest, *exponent;
  };
  Exponential exponential(llvm::Value *x);
  /// 2^x between -150 and 129.
  llvm::Value *exp2InRange(llvm::Value *x);
  /// Zero where x is below `least`, else the function of x.
  llvm::Value *zeroBelow(double least, llvm::Value *x,
                         llvm::function_ref<llvm::Value *(llvm::Value *)> function);
  /// x = 2^exponent * (1 + fraction), the fraction between sqrt(1/2) - 1 and sqrt(2) - 1; for x > 0.
  struct Parts {
    llvm::Value *exponent, *fraction;
  };
  Parts split(llvm::Value *x);
  llvm::Value *logOfFraction(llvm::Value *fraction, llvm::Value *correction);
  /// `result` for finite x > 0, elsewhere what a logarithm is there.
  llvm::Value *withLogLimits(llvm::Value *x, llvm::Value *result);

  llvm::Value *number(llvm::Value *like, double value);
  llvm::Value *integer(llvm::Value *like, int32_t value);
  llvm::Value *asInteger(llvm::Value *x);
  llvm::Value *asFloat(llvm::Value *x);
  llvm::Value *multiplyAdd(llvm::Value *a, llvm::Value *c, llvm::Value *sum);
  /// coefficients[0] + coefficients[1] x + ...
  llvm::Value *polynomial(llvm::Value *x, llvm::ArrayRef<double> coefficients);
  /// The less of the two; a NaN stays one.
  llvm::Value *atMost(double most, llvm::Value *x);
  /// The nearest whole number of |x| < 2^22, as both types.
  struct Whole {
    llvm::Value *real, *integer;
  };
  Whole nearest(llvm::Value *x, double scale);
  llvm::Value *timesPowerOfTwo(llvm::Value *x, llvm::Value *exponent);

  Builder &b;
  Machine machine;
};

} // namespace nereid::backend
