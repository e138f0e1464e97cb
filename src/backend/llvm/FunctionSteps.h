// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What functions in line are made of: arithmetic on lanes of f32 or f64, of any number
// (docs/decisions/0032-functions-on-all-machines.md). The type of a constant follows the lanes that
// it stands beside.
#pragma once

#include "backend/llvm/LaneBuilder.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace nereid::backend {

/// What a machine can do that functions are computed from.
struct FunctionMachine {
  bool hasFma = true;
  /// llvm.ldexp is an instruction.
  bool scalesByPowers = false;
  /// x * 2^n for n that is a float; gives null where it has no instruction for so many lanes.
  llvm::function_ref<llvm::Value *(llvm::Value *x, llvm::Value *n)> scale = nullptr;
  /// Approximations, null where there are none. Of f32: 2^x within two units in the last place, 1 /
  /// x within one, zero for either where it is no normal number. Of f64: 1 / x for normal x, to 18
  /// digits.
  using Approximation = llvm::Value *(*)(Builder &, llvm::Value *);
  Approximation exp2 = nullptr, reciprocal = nullptr, doubleReciprocal = nullptr;
  /// An unsigned comparison of bits is an instruction.
  bool comparesBits = false;
  /// f64 is half as fast as f32, and not a sixty-fourth as on GPUs for screens.
  bool hasFastDoubles = true;
};

class FunctionSteps {
protected:
  FunctionSteps(Builder &builder, FunctionMachine machine) : b(builder), machine(machine) {}

  llvm::Value *number(llvm::Value *like, double value);
  llvm::Value *integer(llvm::Value *like, int64_t value);
  llvm::Value *asInteger(llvm::Value *x);
  llvm::Value *asFloat(llvm::Value *x);
  llvm::Value *toDouble(llvm::Value *x);
  llvm::Value *size(llvm::Value *x);
  llvm::Value *withSignOf(llvm::Value *size, llvm::Value *sign);
  llvm::Value *multiplyAdd(llvm::Value *a, llvm::Value *c, llvm::Value *sum);
  /// coefficients[0] + coefficients[1] x + ...
  llvm::Value *polynomial(llvm::Value *x, llvm::ArrayRef<double> coefficients);
  /// 1 / x as near as the machine's approximation, for f64 of normal x.
  llvm::Value *reciprocal(llvm::Value *x);
  /// a / x, finite both and x normal, to half a unit in the last place and a little.
  llvm::Value *quotient(llvm::Value *a, llvm::Value *x);
  /// What the rounded `square` lacks of x^2.
  llvm::Value *squareRest(llvm::Value *x, llvm::Value *square);
  /// x + x^3 tail for `square` = x^2; a zero keeps its sign.
  llvm::Value *withCube(llvm::Value *x, llvm::Value *square, llvm::Value *tail);
  /// The less and the greater of the two; a NaN stays one.
  llvm::Value *atMost(double most, llvm::Value *x);
  llvm::Value *atLeast(double least, llvm::Value *x);
  /// The nearest whole number of x * scale, which is less than 2^22 (f32) or 2^51 in size, as both
  /// types.
  struct Whole {
    llvm::Value *real, *integer;
  };
  Whole nearest(llvm::Value *x, double scale);
  /// 2^n for integers that are exponents of normal numbers.
  llvm::Value *powerOfTwo(llvm::Value *n);
  llvm::Value *timesPowerOfTwo(llvm::Value *x, Whole exponent);
  /// Zero where x is below `least`, else the function of x, or of `most` where that is less.
  llvm::Value *zeroBelow(double least, double most, llvm::Value *x,
                         llvm::function_ref<llvm::Value *(llvm::Value *)> function);
  /// x = 2^exponent * (1 + fraction), the fraction between sqrt(1/2) - 1 and sqrt(2) - 1; for x >
  /// 0.
  struct Parts {
    llvm::Value *exponent, *fraction;
  };
  Parts split(llvm::Value *x);
  /// x minus its part that counts whole powers of two from sqrt(1/2) on: as bits, for normal x.
  llvm::Value *exponentBits(llvm::Value *x);
  /// Those as a number, and a sum with it.
  llvm::Value *exponentOf(llvm::Value *exponentBits, llvm::Value *sum);
  static constexpr double log2OfE = 1.4426950408889634; // 1 / log(2)

  /// log(1 + f) = f + square * factor.
  struct LogTail {
    llvm::Value *square, *factor;
  };
  /// exponent * log(2) + log(1 + f), for the constant in two parts, the first of which is exact
  /// times exponents.
  llvm::Value *naturalLog(Parts parts, LogTail tail, double high, double low);
  /// exponent + log2(1 + f). 1 / log(2) is taken in two parts, 1 and the rest, so that f is rounded
  /// once.
  llvm::Value *binaryLog(Parts parts, LogTail tail);
  /// log10(2) in two parts, the first of which is exact times exponents; 1 / log(10), and in two
  /// parts.
  struct DecimalConstants {
    double twoHigh, twoLow, e, eHigh, eLow;
  };
  /// exponent * log10(2) + log10(1 + f).
  llvm::Value *decimalLog(Parts parts, LogTail tail, const DecimalConstants &constants);
  /// `result` for finite x > 0, elsewhere what a logarithm is there.
  llvm::Value *withLogLimits(llvm::Value *x, llvm::Value *result);

  // InverseSteps.cpp. `tail` is (asin(x) - x) / x^3 up to 1/2, or (atan(x) - x) / x^3 up to 1, in
  // x^2.
  using Function = llvm::function_ref<llvm::Value *(llvm::Value *)>;
  llvm::Value *arcSine(llvm::Value *x, llvm::ArrayRef<double> tail);
  llvm::Value *arcCosine(llvm::Value *x, llvm::ArrayRef<double> tail);
  llvm::Value *arcTangent(llvm::Value *x, llvm::ArrayRef<double> tail);
  llvm::Value *arcTangent2(llvm::Value *y, llvm::Value *x, llvm::ArrayRef<double> tail);
  llvm::Value *cubeRoot(llvm::Value *x);
  llvm::Value *areaSine(llvm::Value *x, Function log1p);
  llvm::Value *areaCosine(llvm::Value *x, Function log1p);
  llvm::Value *areaTangent(llvm::Value *x, Function log1p);

  Builder &b;
  FunctionMachine machine;

private:
  /// The arc sine of |x|, or half what it lacks of pi / 2 where x is large.
  struct HalfAngle {
    llvm::Value *angle, *isLarge;
  };
  HalfAngle halfAngle(llvm::Value *x, llvm::ArrayRef<double> tail);
  llvm::Value *logOfFar(llvm::Value *x, llvm::Value *rest, Function log1p);
  static bool isDouble(llvm::Value *x) { return x->getType()->getScalarSizeInBits() == 64; }
  static int digitsOf(llvm::Value *x) { return isDouble(x) ? 52 : 23; }
  static int biasOf(llvm::Value *x) { return isDouble(x) ? 1023 : 127; }
};

} // namespace nereid::backend
