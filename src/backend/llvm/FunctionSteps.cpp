// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/llvm/FunctionSteps.h"

#include "llvm/IR/PatternMatch.h"

#include <cmath>
#include <limits>

namespace nereid::backend {

llvm::Value *FunctionSteps::number(llvm::Value *like, double value) {
  return llvm::ConstantFP::get(like->getType(), isDouble(like) ? value : static_cast<float>(value));
}

llvm::Value *FunctionSteps::integer(llvm::Value *like, int64_t value) {
  llvm::Type *lane = b.getIntNTy(like->getType()->getScalarSizeInBits());
  return llvm::ConstantInt::getSigned(like->getType()->getWithNewType(lane), value);
}

llvm::Value *FunctionSteps::asInteger(llvm::Value *x) {
  return b.CreateBitCast(x, integer(x, 0)->getType());
}

llvm::Value *FunctionSteps::asFloat(llvm::Value *x) {
  llvm::Type *lane = isDouble(x) ? b.getDoubleTy() : b.getFloatTy();
  return b.CreateBitCast(x, x->getType()->getWithNewType(lane));
}

llvm::Value *FunctionSteps::toDouble(llvm::Value *x) {
  return b.CreateFPExt(x, x->getType()->getWithNewType(b.getDoubleTy()));
}

/// That of -x is the same, and of a product with a number the product of both sizes: what is
/// computed of it is then the same code for x and for -x, and is computed once.
llvm::Value *FunctionSteps::size(llvm::Value *x) {
  using namespace llvm::PatternMatch;
  llvm::Value *inner = nullptr;
  const llvm::APFloat *factor = nullptr;
  if (match(x, m_FNeg(m_Value(inner))))
    return size(inner);
  if (match(x, m_c_FMul(m_Value(inner), m_APFloat(factor)))) {
    llvm::IRBuilderBase::FastMathFlagGuard guard(b);
    b.setFastMathFlags({}); // it rounds as the product does
    return b.CreateFMul(size(inner), llvm::ConstantFP::get(x->getType(), llvm::abs(*factor)));
  }
  return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
}

llvm::Value *FunctionSteps::withSignOf(llvm::Value *size, llvm::Value *sign) {
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, size, sign);
}

llvm::Value *FunctionSteps::multiplyAdd(llvm::Value *a, llvm::Value *c, llvm::Value *sum) {
  if (machine.hasFma)
    return b.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, c, sum});
  return b.CreateFAdd(b.CreateFMul(a, c), sum);
}

llvm::Value *FunctionSteps::polynomial(llvm::Value *x, llvm::ArrayRef<double> coefficients) {
  llvm::Value *sum = number(x, coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = multiplyAdd(sum, x, number(x, coefficient));
  return sum;
}

llvm::Value *FunctionSteps::reciprocal(llvm::Value *x) {
  llvm::Value *one = number(x, 1);
  if (!isDouble(x))
    return machine.reciprocal ? machine.reciprocal(b, x) : b.CreateFDiv(one, x);
  if (!machine.doubleReciprocal)
    return b.CreateFDiv(one, x);
  llvm::Value *inverse = machine.doubleReciprocal(b, x), *negative = b.CreateFNeg(x);
  for (int step = 0; step < 2; ++step) // Newton's, which doubles the digits
    inverse = multiplyAdd(multiplyAdd(negative, inverse, one), inverse, inverse);
  return inverse;
}

llvm::Value *FunctionSteps::quotient(llvm::Value *a, llvm::Value *x) {
  bool divides = isDouble(x) ? !machine.doubleReciprocal : !machine.reciprocal;
  if (divides)
    return b.CreateFDiv(a, x);
  llvm::Value *inverse = reciprocal(x), *first = b.CreateFMul(a, inverse);
  llvm::Value *rest = multiplyAdd(b.CreateFNeg(x), first, a);
  return multiplyAdd(rest, inverse, first);
}

llvm::Value *FunctionSteps::squareRest(llvm::Value *x, llvm::Value *square) {
  if (machine.hasFma)
    return multiplyAdd(x, x, b.CreateFNeg(square));
  // The square of the upper half of the digits is exact, and x^2 - u^2 = (x - u) (x + u).
  llvm::Value *mask = integer(x, -(int64_t(1) << (digitsOf(x) / 2 + 1)));
  llvm::Value *upper = asFloat(b.CreateAnd(asInteger(x), mask));
  llvm::Value *lower = b.CreateFMul(b.CreateFSub(x, upper), b.CreateFAdd(x, upper));
  return b.CreateFAdd(b.CreateFSub(b.CreateFMul(upper, upper), square), lower);
}

/// The sum with zero makes +0 of -0, and x + x * 0 is x again.
llvm::Value *FunctionSteps::withCube(llvm::Value *x, llvm::Value *square, llvm::Value *tail) {
  return multiplyAdd(multiplyAdd(square, tail, number(x, 0)), x, x);
}

llvm::Value *FunctionSteps::atMost(double most, llvm::Value *x) {
  llvm::Value *bound = number(x, most);
  return b.CreateSelect(b.CreateFCmpOGT(x, bound), bound, x);
}

llvm::Value *FunctionSteps::atLeast(double least, llvm::Value *x) {
  llvm::Value *bound = number(x, least);
  return b.CreateSelect(b.CreateFCmpOLT(x, bound), bound, x);
}

/// Beside 1.5 * 2^23 (2^52) the last bit counts ones.
FunctionSteps::Whole FunctionSteps::nearest(llvm::Value *x, double scale) {
  llvm::Value *beside = number(x, std::ldexp(1.5, digitsOf(x)));
  llvm::Value *sum = multiplyAdd(x, number(x, scale), beside);
  return {b.CreateFSub(sum, beside), b.CreateSub(asInteger(sum), asInteger(beside))};
}

llvm::Value *FunctionSteps::powerOfTwo(llvm::Value *n) {
  return asFloat(b.CreateShl(b.CreateAdd(n, integer(n, biasOf(n))), integer(n, digitsOf(n))));
}

/// In two halves, since the power itself may be out of range while the product is not.
llvm::Value *FunctionSteps::timesPowerOfTwo(llvm::Value *x, Whole power) {
  if (machine.scale)
    if (llvm::Value *scaled = machine.scale(x, power.real))
      return scaled;
  llvm::Value *exponent = power.integer;
  if (machine.scalesByPowers) {
    llvm::Type *narrow = exponent->getType()->getWithNewType(b.getInt32Ty());
    return b.CreateIntrinsic(llvm::Intrinsic::ldexp, {x->getType(), narrow},
                             {x, b.CreateTrunc(exponent, narrow)});
  }
  llvm::Value *half = b.CreateAShr(exponent, integer(x, 1));
  for (llvm::Value *part : {half, b.CreateSub(exponent, half)})
    x = b.CreateFMul(x, powerOfTwo(part));
  return x;
}

/// Lanes that are masked off are often exp(-infinity), and results that are not quite zero yet take
/// a processor a hundred times as long as others: there the function is taken of zero. Asked so
/// that NaN is inside, and zeros come second: a processor with masks then sets them as it computes.
llvm::Value *FunctionSteps::zeroBelow(double least, double most, llvm::Value *x,
                                      llvm::function_ref<llvm::Value *(llvm::Value *)> function) {
  llvm::Value *isInside = b.CreateFCmpUGE(x, number(x, least)), *zero = number(x, 0);
  llvm::Value *inside = b.CreateSelect(isInside, atMost(most, x), zero);
  return b.CreateSelect(isInside, function(inside), zero);
}

llvm::Value *FunctionSteps::exponentBits(llvm::Value *x) {
  llvm::Value *fromRoot = b.CreateSub(asInteger(x), asInteger(number(x, 0.70710678118654752)));
  return b.CreateAnd(fromRoot, integer(x, -(int64_t(1) << digitsOf(x))));
}

llvm::Value *FunctionSteps::exponentOf(llvm::Value *exponentBits, llvm::Value *sum) {
  llvm::Value *whole = exponentBits;
  if (!isDouble(whole))
    return multiplyAdd(b.CreateSIToFP(whole, sum->getType()), number(sum, 0x1p-23), sum);
  whole = b.CreateTrunc(b.CreateAShr(whole, integer(whole, digitsOf(whole))),
                        whole->getType()->getWithNewType(b.getInt32Ty()));
  return b.CreateFAdd(b.CreateSIToFP(whole, sum->getType()), sum);
}

FunctionSteps::Parts FunctionSteps::split(llvm::Value *x) {
  // Numbers below the normal ones are moved up.
  int digits = digitsOf(x);
  llvm::Value *isSmall = b.CreateFCmpOLT(x, number(x, std::ldexp(1.0, 1 - biasOf(x))));
  llvm::Value *moved =
      b.CreateSelect(isSmall, b.CreateFMul(x, number(x, std::ldexp(1.0, digits))), x);
  llvm::Value *bits = exponentBits(moved);
  llvm::Value *mantissa = asFloat(b.CreateSub(asInteger(moved), bits));
  llvm::Value *exponent =
      exponentOf(bits, b.CreateSelect(isSmall, number(x, -digits), number(x, 0)));
  return {exponent, b.CreateFSub(mantissa, number(x, 1))};
}

/// With multiply-adds log(2) need not be in parts: what it lacks is a tenth of a unit in the
/// result's last place, as that is no less than log(2) / 2 where the exponent counts.
llvm::Value *FunctionSteps::naturalLog(Parts parts, LogTail tail, double high, double low) {
  auto [exponent, fraction] = parts;
  if (machine.hasFma)
    return multiplyAdd(exponent, number(exponent, high + low),
                       multiplyAdd(tail.square, tail.factor, fraction));
  llvm::Value *sum =
      multiplyAdd(tail.square, tail.factor, b.CreateFMul(exponent, number(exponent, low)));
  return multiplyAdd(exponent, number(exponent, high), b.CreateFAdd(fraction, sum));
}

llvm::Value *FunctionSteps::binaryLog(Parts parts, LogTail tail) {
  auto [exponent, fraction] = parts;
  llvm::Value *rest = b.CreateFMul(tail.square, tail.factor);
  llvm::Value *sum = b.CreateFAdd(fraction, rest);
  llvm::Value *scaled = multiplyAdd(sum, number(fraction, log2OfE - 1), rest);
  return b.CreateFAdd(exponent, b.CreateFAdd(fraction, scaled));
}

llvm::Value *FunctionSteps::decimalLog(Parts parts, LogTail tail,
                                       const DecimalConstants &constants) {
  auto [exponent, fraction] = parts;
  llvm::Value *rest = b.CreateFMul(tail.square, tail.factor);
  llvm::Value *low = multiplyAdd(exponent, number(exponent, constants.twoLow),
                                 b.CreateFMul(fraction, number(fraction, constants.eLow)));
  low = multiplyAdd(rest, number(rest, constants.e), low);
  llvm::Value *sum = multiplyAdd(fraction, number(fraction, constants.eHigh), low);
  return multiplyAdd(exponent, number(exponent, constants.twoHigh), sum);
}

llvm::Value *FunctionSteps::withLogLimits(llvm::Value *x, llvm::Value *result) {
  llvm::Value *zero = number(x, 0), *infinity = number(x, std::numeric_limits<double>::infinity());
  if (machine.comparesBits && !isDouble(x)) {
    // Bits of positive numbers are ordered as they are; infinity takes all else to itself or NaN.
    llvm::Value *bits = b.CreateSub(asInteger(x), integer(x, 1));
    llvm::Value *isInRange = b.CreateICmpULT(bits, integer(x, 0x7F7FFFFF));
    llvm::Value *limit = multiplyAdd(x, infinity, infinity);
    limit = b.CreateSelect(b.CreateFCmpOEQ(x, zero), b.CreateFNeg(infinity), limit);
    return b.CreateSelect(isInRange, result, limit);
  }
  llvm::Value *isInRange = b.CreateAnd(b.CreateFCmpOGT(x, zero), b.CreateFCmpOLT(x, infinity));
  llvm::Value *nan = number(x, std::numeric_limits<double>::quiet_NaN());
  llvm::Value *limit = b.CreateSelect(b.CreateFCmpOLT(x, zero), nan, x); // infinity and NaN stay
  limit = b.CreateSelect(b.CreateFCmpOEQ(x, zero), b.CreateFNeg(infinity), limit);
  return b.CreateSelect(isInRange, result, limit);
}

} // namespace nereid::backend
