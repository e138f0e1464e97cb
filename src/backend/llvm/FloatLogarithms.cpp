// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/llvm/DoubleFunctions.h"
#include "backend/llvm/FloatFunctions.h"

#include <limits>

namespace nereid::backend {

FloatFunctions::LogTail FloatFunctions::logTail(llvm::Value *f) {
  // (log(1 + f) - f) / f^2: 7.5e-10
  llvm::Value *factor =
      polynomial(f, {-0.5, 0.3333331346511841, -0.25000008940696716, 0.20002123713493347,
                     -0.16668005287647247, 0.14219450950622559, -0.12405342608690262,
                     0.11888708919286728, -0.11677505075931549, 0.06747692078351974});
  return {b.CreateFMul(f, f), factor};
}

llvm::Value *FloatFunctions::logOf(Parts parts) {
  return naturalLog(parts, logTail(parts.fraction), logTwoHigh, logTwoLow);
}

llvm::Value *FloatFunctions::log(llvm::Value *x) { return withLogLimits(x, logOf(split(x))); }

llvm::Value *FloatFunctions::log2(llvm::Value *x) {
  Parts parts = split(x);
  return withLogLimits(x, binaryLog(parts, logTail(parts.fraction)));
}

llvm::Value *FloatFunctions::log10(llvm::Value *x) {
  Parts parts = split(x);
  return withLogLimits(x, decimalLog(parts, logTail(parts.fraction),
                                     {log10TwoHigh, log10TwoLow, log10OfE, log10OfEHigh, log10OfELow}));
}

/// log(1 + x) with the exponent of the rounded sum, and the fraction of x itself. The power that
/// scales it is that of a quarter: 2^-128 is no normal number.
llvm::Value *FloatFunctions::log1p(llvm::Value *x) {
  llvm::Value *one = number(x, 1), *quarter = number(x, 0.25), *sum = b.CreateFAdd(x, one);
  llvm::Value *bits = exponentBits(sum);
  llvm::Value *scale = asFloat(b.CreateSub(asInteger(number(x, 4)), bits));
  llvm::Value *fraction =
      multiplyAdd(b.CreateFMul(x, quarter), scale, multiplyAdd(scale, quarter, number(x, -1)));
  llvm::Value *result = withLogLimits(sum, logOf({exponentOf(bits, number(x, 0)), fraction}));
  return b.CreateSelect(b.CreateFCmpOLT(size(x), number(x, 0x1p-26)), x, result);
}

/// 2^(y log2(x)) in f64, whose logarithm has the digits that the exponent takes away.
llvm::Value *FloatFunctions::pow(llvm::Value *x, llvm::Value *y) {
  if (!machine.hasFastDoubles)
    return nullptr;
  DoubleFunctions doubles(b, machine);
  llvm::Value *power =
      b.CreateFPTrunc(doubles.powerOfFloats(toDouble(size(x)), toDouble(y)), x->getType());
  llvm::Value *zero = number(x, 0), *one = number(x, 1), *half = b.CreateFMul(y, number(x, 0.5));
  auto isWhole = [&](llvm::Value *value) {
    return b.CreateFCmpOEQ(b.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, value), value);
  };
  // Of negative numbers odd powers are negative, and broken ones are none; infinity is even.
  llvm::Value *isOdd = b.CreateAnd(isWhole(y), b.CreateNot(isWhole(half)));
  llvm::Value *nan = number(x, std::numeric_limits<float>::quiet_NaN());
  llvm::Value *infinity = number(x, std::numeric_limits<float>::infinity());
  llvm::Value *isNone = b.CreateAnd(b.CreateFCmpOLT(x, zero), b.CreateNot(isWhole(y)));
  isNone = b.CreateAnd(isNone, b.CreateFCmpOGT(x, b.CreateFNeg(infinity)));
  power = b.CreateSelect(isOdd, withSignOf(power, x), power);
  power = b.CreateSelect(isNone, nan, power);
  // Whatever the other is, though it is no number.
  llvm::Value *isOne = b.CreateOr(b.CreateFCmpOEQ(x, one), b.CreateFCmpOEQ(y, zero));
  isOne = b.CreateOr(isOne, b.CreateAnd(b.CreateFCmpOEQ(x, b.CreateFNeg(one)),
                                        b.CreateFCmpOEQ(size(y), infinity)));
  return b.CreateSelect(isOne, one, power);
}

} // namespace nereid::backend
