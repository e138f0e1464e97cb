// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments are reduced as Cody and Waite do ("Software Manual for the Elementary Functions", 1980). The
// coefficients are those of the polynomial whose greatest relative error in the result is least, found
// by Lawson's algorithm in double and rounded to float32; the error that is left stands beside each.
#include "backend/llvm/FloatFunctions.h"

#include "llvm/ADT/StringSwitch.h"

#include <limits>

namespace nereid::backend {

llvm::Value *FloatFunctions::emit(llvm::StringRef name, llvm::Value *x) {
  using Function = llvm::Value *(FloatFunctions::*)(llvm::Value *);
  auto function = llvm::StringSwitch<Function>(name)
                      .Case("exp", &FloatFunctions::exp)
                      .Case("exp2", &FloatFunctions::exp2)
                      .Case("log", &FloatFunctions::log)
                      .Case("log2", &FloatFunctions::log2)
                      .Case("tanh", &FloatFunctions::tanh)
                      .Case("erf", &FloatFunctions::erf)
                      .Default(nullptr);
  return function ? (this->*function)(x) : nullptr;
}

// Steps that the functions share

llvm::Value *FloatFunctions::number(llvm::Value *like, double value) {
  return llvm::ConstantFP::get(like->getType(), static_cast<float>(value));
}

llvm::Value *FloatFunctions::integer(llvm::Value *like, int32_t value) {
  return llvm::ConstantInt::getSigned(like->getType()->getWithNewType(b.getInt32Ty()), value);
}

llvm::Value *FloatFunctions::asInteger(llvm::Value *x) {
  return b.CreateBitCast(x, x->getType()->getWithNewType(b.getInt32Ty()));
}

llvm::Value *FloatFunctions::asFloat(llvm::Value *x) {
  return b.CreateBitCast(x, x->getType()->getWithNewType(b.getFloatTy()));
}

llvm::Value *FloatFunctions::multiplyAdd(llvm::Value *a, llvm::Value *c, llvm::Value *sum) {
  if (machine.hasFma)
    return b.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, c, sum});
  return b.CreateFAdd(b.CreateFMul(a, c), sum);
}

llvm::Value *FloatFunctions::polynomial(llvm::Value *x, llvm::ArrayRef<double> coefficients) {
  llvm::Value *sum = number(x, coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = multiplyAdd(sum, x, number(x, coefficient));
  return sum;
}

llvm::Value *FloatFunctions::atMost(double most, llvm::Value *x) {
  llvm::Value *bound = number(x, most);
  return b.CreateSelect(b.CreateFCmpOGT(x, bound), bound, x);
}

/// Beside 1.5 * 2^23 the last bit of a float32 counts ones.
FloatFunctions::Whole FloatFunctions::nearest(llvm::Value *x, double scale) {
  llvm::Value *beside = number(x, 0x1.8p23);
  llvm::Value *sum = multiplyAdd(x, number(x, scale), beside);
  return {b.CreateFSub(sum, beside), b.CreateSub(asInteger(sum), asInteger(beside))};
}

/// In two halves, since the power itself may be out of range while the product is not.
llvm::Value *FloatFunctions::timesPowerOfTwo(llvm::Value *x, llvm::Value *exponent) {
  if (machine.scalesByPowers)
    return b.CreateIntrinsic(llvm::Intrinsic::ldexp, {x->getType(), exponent->getType()},
                             {x, exponent});
  llvm::Value *half = b.CreateAShr(exponent, integer(x, 1));
  for (llvm::Value *part : {half, b.CreateSub(exponent, half)})
    x = b.CreateFMul(
        x, asFloat(b.CreateShl(b.CreateAdd(part, integer(x, 127)), integer(x, 23))));
  return x;
}

// Exponentials

/// log(2) in two parts, the first of so few digits that its products with whole numbers are exact.
static constexpr double logTwoHigh = 0.693359375, logTwoLow = -2.12194440054690583e-4,
                        logTwoInverse = 1.44269504088896341;

/// exp(x) = 2^exponent * (1 + rest), for x between -104 and 89.
FloatFunctions::Exponential FloatFunctions::exponential(llvm::Value *x) {
  Whole n = nearest(x, logTwoInverse);
  llvm::Value *r = multiplyAdd(n.real, number(x, -logTwoHigh), x);
  r = multiplyAdd(n.real, number(x, -logTwoLow), r);
  // (exp(r) - 1 - r) / r^2 for |r| <= log(2) / 2: 3.1e-9
  llvm::Value *tail = polynomial(r, {0.4999999403953552, 0.1666652113199234, 0.04166838899254799,
                                     0.0083687175065279, 0.0013814596459269524});
  return {multiplyAdd(b.CreateFMul(r, r), tail, r), n.integer};
}

llvm::Value *FloatFunctions::exp(llvm::Value *x) {
  return zeroBelow(-104, x, [&](llvm::Value *inside) {
    auto [rest, exponent] = exponential(atMost(89, inside)); // whose exponential is infinity
    return timesPowerOfTwo(b.CreateFAdd(rest, number(x, 1)), exponent);
  });
}

llvm::Value *FloatFunctions::exp2(llvm::Value *x) {
  return zeroBelow(-150, x, [&](llvm::Value *inside) {
    return exp2InRange(atMost(129, inside));
  });
}

/// Lanes that are masked off are often exp(-infinity), and results that are not quite zero yet take a
/// processor a hundred times as long as others: there the function is taken of zero.
llvm::Value *
FloatFunctions::zeroBelow(double least, llvm::Value *x,
                          llvm::function_ref<llvm::Value *(llvm::Value *)> function) {
  llvm::Value *isZero = b.CreateFCmpOLT(x, number(x, least)), *zero = number(x, 0);
  return b.CreateSelect(isZero, zero, function(b.CreateSelect(isZero, zero, x)));
}

llvm::Value *FloatFunctions::exp2InRange(llvm::Value *x) {
  Whole n = nearest(x, 1);
  llvm::Value *r = b.CreateFSub(x, n.real);
  // (2^r - 1) / r for |r| <= 1/2: 2.0e-9
  llvm::Value *tail =
      polynomial(r, {0.6931471824645996, 0.24022647738456726, 0.055503323674201965,
                     0.009618437848985195, 0.0013398900628089905, 0.00015353340131696314});
  return timesPowerOfTwo(multiplyAdd(r, tail, number(x, 1)), n.integer);
}

// Logarithms

FloatFunctions::Parts FloatFunctions::split(llvm::Value *x) {
  // Numbers below the normal ones are moved up.
  llvm::Value *isSmall = b.CreateFCmpOLT(x, number(x, 0x1p-126));
  llvm::Value *moved = b.CreateSelect(isSmall, b.CreateFMul(x, number(x, 0x1p23)), x);
  llvm::Value *bits = asInteger(moved);
  llvm::Value *fromRoot = b.CreateSub(bits, asInteger(number(x, 0.70710678118654752)));
  llvm::Value *exponent = b.CreateAShr(fromRoot, integer(x, 23));
  llvm::Value *mantissa = asFloat(b.CreateSub(bits, b.CreateShl(exponent, integer(x, 23))));
  exponent = b.CreateSub(exponent, b.CreateSelect(isSmall, integer(x, 23), integer(x, 0)));
  return {b.CreateSIToFP(exponent, x->getType()), b.CreateFSub(mantissa, number(x, 1))};
}

/// log(1 + f) - f, and `correction` in the order of rising size.
llvm::Value *FloatFunctions::logOfFraction(llvm::Value *f, llvm::Value *correction) {
  // (log(1 + f) - f + f^2 / 2) / f^3: 7.5e-10
  llvm::Value *tail =
      polynomial(f, {0.3333331346511841, -0.25000008940696716, 0.20002123713493347,
                     -0.16668005287647247, 0.14219450950622559, -0.12405342608690262,
                     0.11888708919286728, -0.11677505075931549, 0.06747692078351974});
  llvm::Value *square = b.CreateFMul(f, f);
  llvm::Value *sum = multiplyAdd(b.CreateFMul(square, f), tail, correction);
  return multiplyAdd(square, number(f, -0.5), sum);
}

llvm::Value *FloatFunctions::withLogLimits(llvm::Value *x, llvm::Value *result) {
  llvm::Value *zero = number(x, 0), *infinity = number(x, std::numeric_limits<float>::infinity());
  llvm::Value *isInRange = b.CreateAnd(b.CreateFCmpOGT(x, zero), b.CreateFCmpOLT(x, infinity));
  llvm::Value *nan = number(x, std::numeric_limits<float>::quiet_NaN());
  llvm::Value *limit = b.CreateSelect(b.CreateFCmpOLT(x, zero), nan, x); // infinity and NaN stay
  limit = b.CreateSelect(b.CreateFCmpOEQ(x, zero), b.CreateFNeg(infinity), limit);
  return b.CreateSelect(isInRange, result, limit);
}

llvm::Value *FloatFunctions::log(llvm::Value *x) {
  auto [exponent, fraction] = split(x);
  llvm::Value *low = b.CreateFMul(exponent, number(x, logTwoLow));
  llvm::Value *sum = b.CreateFAdd(fraction, logOfFraction(fraction, low));
  return withLogLimits(x, multiplyAdd(exponent, number(x, logTwoHigh), sum));
}

llvm::Value *FloatFunctions::log2(llvm::Value *x) {
  auto [exponent, fraction] = split(x);
  llvm::Value *tail = logOfFraction(fraction, number(x, 0));
  // (f + tail) / log(2), the factor in two parts: 1 and the rest, so that f is rounded once.
  constexpr double rest = logTwoInverse - 1;
  llvm::Value *sum = b.CreateFAdd(fraction, tail);
  llvm::Value *scaled = multiplyAdd(sum, number(x, rest), tail);
  return withLogLimits(x, b.CreateFAdd(exponent, b.CreateFAdd(fraction, scaled)));
}

// Functions that grow to one

llvm::Value *FloatFunctions::tanh(llvm::Value *x) {
  llvm::Value *size = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
  llvm::Value *square = b.CreateFMul(x, x);
  // (tanh(x) - x) / x^3 in x^2 for |x| < 0.625: 1.6e-10
  llvm::Value *tail =
      polynomial(square, {-0.3333333134651184, 0.1333320587873459, -0.05394676327705383,
                          0.021700700744986534, -0.008177394978702068, 0.0021429588086903095});
  llvm::Value *near = multiplyAdd(b.CreateFMul(square, x), tail, x);
  llvm::Value *power = exp(b.CreateFAdd(size, size)), *one = number(x, 1);
  llvm::Value *far = b.CreateFSub(one, b.CreateFDiv(number(x, 2), b.CreateFAdd(power, one)));
  far = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, far, x);
  return b.CreateSelect(b.CreateFCmpOLT(size, number(x, 0.625)), near, far);
}

/// 1 - exp(log(1 - erf(x))), with 1 + rest for the exponential's fraction, so that nothing is lost
/// where erf is small.
llvm::Value *FloatFunctions::erf(llvm::Value *x) {
  // From 4 on erf is one as far as float32 goes.
  llvm::Value *size = atMost(4, b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x));
  // -log(1 - erf(x)) / x - 1 up to 4, by the error in erf: 4.0e-9
  llvm::Value *tail = polynomial(
      size, {0.12837916612625122, 0.6366193890571594, 0.10277790576219559, -0.019153323024511337,
             -0.00015995743160601705, 0.0016666173469275236, -0.0006326245493255556,
             0.00011758451728383079, -9.250177754438482e-06});
  auto [rest, exponent] = exponential(b.CreateFNeg(multiplyAdd(size, tail, size)));
  llvm::Value *power =
      asFloat(b.CreateShl(b.CreateAdd(exponent, integer(x, 127)), integer(x, 23)));
  llvm::Value *result = multiplyAdd(b.CreateFNeg(power), rest, b.CreateFSub(number(x, 1), power));
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, result, x);
}

} // namespace nereid::backend
