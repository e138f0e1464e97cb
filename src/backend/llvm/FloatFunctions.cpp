// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments are reduced as Cody and Waite do ("Software Manual for the Elementary Functions",
// 1980). The coefficients are those of the polynomial whose greatest relative error in the result
// is least (scripts/fit_polynomials); the error that is left stands beside each.
#include "backend/llvm/FloatFunctions.h"

#include "llvm/ADT/StringSwitch.h"

namespace nereid::backend {

/// (atan(x) - x) / x^3 in x^2: 6.0e-9
static constexpr double floatAtanTail[] = {
    -0.33333298563957214,  0.1999852955341339,   -0.14264015853405,
    0.10950872302055359,   -0.08399239927530289, 0.057879310101270676,
    -0.031093819066882133, 0.010866334661841393, -0.0017821353394538164};
/// (asin(x) - x) / x^3 in x^2 for |x| < 1/2: 4.9e-9
static constexpr double floatAsinTail[] = {0.16666752099990845, 0.074953094124794,
                                           0.04546915367245674, 0.024184739217162132,
                                           0.04215839505195618};

llvm::Value *FloatFunctions::emit(llvm::StringRef name, llvm::ArrayRef<llvm::Value *> operands) {
  if (name == "pow")
    return pow(operands[0], operands[1]);
  if (name == "atan2")
    return arcTangent2(operands[0], operands[1], floatAtanTail);
  using Function = llvm::Value *(FloatFunctions::*)(llvm::Value *);
  auto function = llvm::StringSwitch<Function>(name)
                      .Case("exp", &FloatFunctions::exp)
                      .Case("exp2", &FloatFunctions::exp2)
                      .Case("expm1", &FloatFunctions::expm1)
                      .Case("log", &FloatFunctions::log)
                      .Case("log2", &FloatFunctions::log2)
                      .Case("log10", &FloatFunctions::log10)
                      .Case("log1p", &FloatFunctions::log1p)
                      .Case("sin", &FloatFunctions::sin)
                      .Case("cos", &FloatFunctions::cos)
                      .Case("tan", &FloatFunctions::tan)
                      .Case("asin", &FloatFunctions::asin)
                      .Case("acos", &FloatFunctions::acos)
                      .Case("atan", &FloatFunctions::atan)
                      .Case("asinh", &FloatFunctions::asinh)
                      .Case("acosh", &FloatFunctions::acosh)
                      .Case("atanh", &FloatFunctions::atanh)
                      .Case("cbrt", &FloatFunctions::cbrt)
                      .Case("sinh", &FloatFunctions::sinh)
                      .Case("cosh", &FloatFunctions::cosh)
                      .Case("tanh", &FloatFunctions::tanh)
                      .Case("erf", &FloatFunctions::erf)
                      .Case("erfc", &FloatFunctions::erfc)
                      .Default(nullptr);
  return function ? (this->*function)(operands[0]) : nullptr;
}

// Exponentials

FloatFunctions::Exponential FloatFunctions::exponential(llvm::Value *x, llvm::Value *low) {
  Whole n = nearest(x, log2OfE);
  llvm::Value *r = multiplyAdd(n.real, number(x, -logTwoHigh), x);
  r = multiplyAdd(n.real, number(x, -logTwoLow), r);
  if (low)
    r = b.CreateFAdd(r, low);
  // (exp(r) - 1 - r) / r^2 for |r| <= log(2) / 2: 3.1e-9
  llvm::Value *tail = polynomial(r, {0.4999999403953552, 0.1666652113199234, 0.04166838899254799,
                                     0.0083687175065279, 0.0013814596459269524});
  return {multiplyAdd(b.CreateFMul(r, r), tail, r), n};
}

llvm::Value *FloatFunctions::exp(llvm::Value *x) {
  return zeroBelow(-104, 89, x, [&](llvm::Value *inside) {
    auto [rest, exponent] = exponential(inside); // whose exponential is infinity
    return timesPowerOfTwo(b.CreateFAdd(rest, number(x, 1)), exponent);
  });
}

llvm::Value *FloatFunctions::exp2(llvm::Value *x) {
  return zeroBelow(-150, 129, x, [&](llvm::Value *inside) { return exp2InRange(inside); });
}

llvm::Value *FloatFunctions::exp2InRange(llvm::Value *x, llvm::Value *low) {
  Whole n = nearest(x, 1);
  llvm::Value *r = b.CreateFSub(x, n.real);
  if (low)
    r = b.CreateFAdd(r, low);
  // (2^r - 1) / r for |r| <= 1/2: 2.0e-9
  llvm::Value *tail =
      polynomial(r, {0.6931471824645996, 0.24022647738456726, 0.055503323674201965,
                     0.009618437848985195, 0.0013398900628089905, 0.00015353340131696314});
  return timesPowerOfTwo(multiplyAdd(r, tail, number(x, 1)), n);
}

/// Half of it, then twice that: 2^128, by which the last numbers are scaled, is no float.
llvm::Value *FloatFunctions::expm1(llvm::Value *x) {
  auto [rest, exponent] = exponential(atLeast(-20, atMost(89, x))); // from -20 on it is -1
  llvm::Value *half = powerOfTwo(b.CreateSub(exponent.integer, integer(x, 1)));
  llvm::Value *result = multiplyAdd(half, rest, b.CreateFSub(half, number(x, 0.5)));
  return withSignOf(b.CreateFAdd(result, result), x);
}

llvm::Value *FloatFunctions::halfExponential(llvm::Value *x) {
  auto [rest, exponent] = exponential(x);
  return timesPowerOfTwo(
      b.CreateFAdd(rest, number(x, 1)),
      {b.CreateFSub(exponent.real, number(x, 1)), b.CreateSub(exponent.integer, integer(x, 1))});
}

llvm::Value *FloatFunctions::cosh(llvm::Value *x) {
  llvm::Value *half = halfExponential(atMost(90, size(x)));
  return b.CreateFAdd(half, b.CreateFMul(number(x, 0.25), reciprocal(half)));
}

llvm::Value *FloatFunctions::sinh(llvm::Value *x) {
  llvm::Value *half = halfExponential(atMost(90, size(x)));
  llvm::Value *far = b.CreateFSub(half, b.CreateFMul(number(x, 0.25), reciprocal(half)));
  llvm::Value *square = b.CreateFMul(x, x);
  // (sinh(x) - x) / x^3 in x^2 for |x| < 1: 3.0e-10
  llvm::Value *tail = polynomial(square, {0.16666667163372040, 0.00833331048488616943,
                                          0.00019842895562760532, 2.78221341432072222e-06});
  llvm::Value *near = multiplyAdd(b.CreateFMul(square, x), tail, x);
  return b.CreateSelect(b.CreateFCmpOLT(size(x), number(x, 1)), near, withSignOf(far, x));
}

// Inverse functions

llvm::Value *FloatFunctions::asin(llvm::Value *x) { return arcSine(x, floatAsinTail); }
llvm::Value *FloatFunctions::acos(llvm::Value *x) { return arcCosine(x, floatAsinTail); }
llvm::Value *FloatFunctions::atan(llvm::Value *x) { return arcTangent(x, floatAtanTail); }
llvm::Value *FloatFunctions::cbrt(llvm::Value *x) { return cubeRoot(x); }

llvm::Value *FloatFunctions::asinh(llvm::Value *x) {
  return areaSine(x, [&](llvm::Value *rest) { return log1p(rest); });
}

llvm::Value *FloatFunctions::acosh(llvm::Value *x) {
  return areaCosine(x, [&](llvm::Value *rest) { return log1p(rest); });
}

llvm::Value *FloatFunctions::atanh(llvm::Value *x) {
  return areaTangent(x, [&](llvm::Value *rest) { return log1p(rest); });
}

// Functions that grow to one

llvm::Value *FloatFunctions::tanh(llvm::Value *x) {
  llvm::Value *square = b.CreateFMul(x, x), *one = number(x, 1);
  // (tanh(x) - x) / x^3 in x^2 for |x| < 0.625: 1.6e-10
  llvm::Value *tail =
      polynomial(square, {-0.3333333134651184, 0.1333320587873459, -0.05394676327705383,
                          0.021700700744986534, -0.008177394978702068, 0.0021429588086903095});
  llvm::Value *near = withCube(x, square, tail), *power;
  if (machine.exp2)
    power = machine.exp2(b, b.CreateFMul(size(x), number(x, 2 * log2OfE)));
  else
    power = exp(b.CreateFAdd(size(x), size(x)));
  // For large powers the reciprocal is zero, also where it is no normal number.
  llvm::Value *inverse = reciprocal(b.CreateFAdd(power, one));
  llvm::Value *far = withSignOf(multiplyAdd(inverse, number(x, -2), one), x);
  return b.CreateSelect(b.CreateFCmpOLT(size(x), number(x, 0.625)), near, far);
}

llvm::Value *FloatFunctions::erf(llvm::Value *x) {
  if (!machine.exp2)
    return erfByExponent(x);
  llvm::Value *near = erfNearZero(x);
  // log2(1 - erf(x)) up to 4, by the error in erf: 3.2e-8; beyond, it falls on to -infinity.
  llvm::Value *power =
      polynomial(size(x), {-0.0023850661236792803, -1.6172809600830078, -0.9371429681777954,
                           -0.1326262652873993, 0.02287703938782215, -0.0018585167126730084});
  llvm::Value *far = b.CreateFSub(number(x, 1), machine.exp2(b, power));
  return b.CreateSelect(b.CreateFCmpOLT(size(x), number(x, 0.875)), near, withSignOf(far, x));
}

/// 1 - exp(log(1 - erf(x))), with 1 + rest for the exponential's fraction, so that nothing is lost
/// where erf is small.
llvm::Value *FloatFunctions::erfByExponent(llvm::Value *x) {
  // From 4 on erf is one as far as float32 goes.
  llvm::Value *bounded = atMost(4, size(x));
  // -log(1 - erf(x)) / x - 1 up to 4, by the error in erf: 4.0e-9
  llvm::Value *tail =
      polynomial(bounded, {0.12837916612625122, 0.6366193890571594, 0.10277790576219559,
                           -0.019153323024511337, -0.00015995743160601705, 0.0016666173469275236,
                           -0.0006326245493255556, 0.00011758451728383079, -9.250177754438482e-06});
  auto [rest, exponent] = exponential(b.CreateFNeg(multiplyAdd(bounded, tail, bounded)));
  llvm::Value *power = powerOfTwo(exponent.integer);
  llvm::Value *result = multiplyAdd(b.CreateFNeg(power), rest, b.CreateFSub(number(x, 1), power));
  return withSignOf(result, x);
}

llvm::Value *FloatFunctions::erfNearZero(llvm::Value *x) {
  llvm::Value *square = b.CreateFMul(x, x);
  // erf(x) / x - 1 in x^2 for |x| < 0.875: 1.4e-8
  llvm::Value *tail =
      polynomial(square, {0.12837915122509003, -0.3761250376701355, 0.11281921714544296,
                          -0.02677048370242119, 0.004998920019716024, -0.0006020411965437233});
  return multiplyAdd(tail, x, x);
}

/// exp(-x^2) g(x) / (1 + 2 x) for x of some size, g as Shepherd and Laframboise have it ("Chebyshev
/// approximation of (1 + 2x) exp(x^2) erfc x", 1981); 2 minus that for the others.
llvm::Value *FloatFunctions::erfc(llvm::Value *x) {
  llvm::Value *bounded = atMost(10.5, size(x)); // whose result is zero
  llvm::Value *t =
      quotient(b.CreateFSub(bounded, number(x, 2)), b.CreateFAdd(bounded, number(x, 2)));
  // 2.9e-8
  llvm::Value *g = polynomial(t, {1.2769783735275269, -0.0927639827132225, -0.16603142023086548,
                                  0.16405534744262695, -0.0542043000459671, -0.00805987510830164,
                                  0.00863168016076088, 0.0013135223416611552, -0.001229926710948348,
                                  -0.0004005763039458543});
  llvm::Value *square = b.CreateFMul(bounded, bounded);
  auto [rest, exponent] =
      exponential(b.CreateFNeg(square), b.CreateFNeg(squareRest(bounded, square)));
  llvm::Value *scaled = quotient(g, multiplyAdd(number(x, 2), bounded, number(x, 1)));
  llvm::Value *result = timesPowerOfTwo(multiplyAdd(scaled, rest, scaled), exponent);
  result =
      b.CreateSelect(b.CreateFCmpOLT(x, number(x, 0)), b.CreateFSub(number(x, 2), result), result);
  llvm::Value *near = b.CreateFSub(number(x, 1), withSignOf(erfNearZero(size(x)), x));
  return b.CreateSelect(b.CreateFCmpOLT(size(x), number(x, 0.4375)), near, result);
}

} // namespace nereid::backend
