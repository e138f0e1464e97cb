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
  return withLogLimits(
      x, decimalLog(parts, logTail(parts.fraction),
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

/// Exact but for the last digit of `low`.
FloatFunctions::Pair FloatFunctions::product(llvm::Value *a, llvm::Value *c) {
  llvm::Value *high = b.CreateFMul(a, c);
  return {high, multiplyAdd(a, c, b.CreateFNeg(high))};
}

/// Of a larger and a smaller number, exact (Dekker, 1971).
FloatFunctions::Pair FloatFunctions::sum(llvm::Value *large, llvm::Value *small) {
  llvm::Value *high = b.CreateFAdd(large, small);
  return {high, b.CreateFAdd(b.CreateFSub(large, high), small)};
}

/// log2(x) to 32 binary digits: 2 artanh(u / 2) for u = 2 f / (2 + f), by its series, of which all
/// but the smallest terms are in two parts, as u is.
FloatFunctions::Pair FloatFunctions::log2InParts(llvm::Value *x) {
  auto [exponent, f] = split(x);
  llvm::Value *two = number(x, 2), *inverse = reciprocal(b.CreateFAdd(f, two));
  llvm::Value *u = b.CreateFMul(b.CreateFMul(two, f), inverse);
  // What it lacks: (2 f - u (2 + f)) / (2 + f), where 2 (f - u) is exact.
  llvm::Value *uLow =
      b.CreateFMul(inverse, multiplyAdd(b.CreateFNeg(f), u, b.CreateFMul(two, b.CreateFSub(f, u))));
  auto [square, squareLow] = product(u, u);
  squareLow = multiplyAdd(b.CreateFMul(two, u), uLow, squareLow);
  // log(1 + f) = u (1 + q) with q = u^2 / 12 + u^4 (1/80 + u^2 / 448 + ...)
  constexpr double twelfthHigh = 0.0833333358168602, twelfthLow = 1.0 / 12 - twelfthHigh;
  llvm::Value *rest = polynomial(square, {1.0 / 80, 1.0 / 448, 1.0 / 2304, 1.0 / 11264});
  llvm::Value *twelfth = number(x, twelfthHigh);
  auto [q, qLow] = product(square, twelfth);
  qLow = multiplyAdd(b.CreateFMul(square, square), rest, qLow);
  qLow = multiplyAdd(squareLow, twelfth, qLow);
  qLow = multiplyAdd(square, number(x, twelfthLow), qLow);
  auto [more, moreLow] = product(u, q);
  moreLow = b.CreateFAdd(multiplyAdd(u, qLow, moreLow), multiplyAdd(uLow, q, uLow));
  auto [log, logLow] = sum(u, more);
  logLow = b.CreateFAdd(logLow, moreLow);
  constexpr double log2OfEHigh = 1.4426950216293335, log2OfELow = log2OfE - log2OfEHigh;
  llvm::Value *scale = number(x, log2OfEHigh);
  auto [fraction, fractionLow] = product(log, scale);
  fractionLow = multiplyAdd(log, number(x, log2OfELow), fractionLow);
  fractionLow = multiplyAdd(logLow, scale, fractionLow);
  auto [high, low] = sum(exponent, fraction);
  return sum(high, b.CreateFAdd(low, fractionLow));
}

/// x^y for x that is not negative, as 2^(y log2(x)) in float32 with a logarithm of two parts.
llvm::Value *FloatFunctions::powerInParts(llvm::Value *x, llvm::Value *y) {
  Pair log = log2InParts(x);
  auto [exponent, low] = product(y, withLogLimits(x, log.high));
  low = multiplyAdd(y, log.low, low);
  // Farther out all is infinity or zero.
  low = b.CreateSelect(b.CreateFCmpOLT(size(exponent), number(x, 150)), low, number(x, 0));
  return exp2InRange(atLeast(-150, atMost(129, exponent)), low);
}

/// 2^(y log2(x)) in f64, whose logarithm has the digits that the exponent takes away; or in parts.
llvm::Value *FloatFunctions::pow(llvm::Value *x, llvm::Value *y) {
  llvm::Value *power = nullptr;
  if (machine.hasFastDoubles) {
    DoubleFunctions doubles(b, machine);
    power = b.CreateFPTrunc(doubles.powerOfFloats(toDouble(size(x)), toDouble(y)), x->getType());
  } else {
    power = powerInParts(size(x), y);
  }
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
