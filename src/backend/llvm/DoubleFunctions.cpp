// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The methods are those of FloatFunctions; coefficients are scripts/fit_polynomials', with the
// relative error that is left in the result.
#include "backend/llvm/DoubleFunctions.h"

#include "llvm/ADT/StringSwitch.h"

namespace nereid::backend {

/// (atan(x) - x) / x^3 in x^2: 8.5e-18
static constexpr double doubleAtanTail[] = {
    -0.33333333333333287,   0.19999999999990617,  -0.14285714285044973,   0.1111111108667043,
    -0.09090908550993174,   0.07692299754369177,  -0.06666584070607542,   0.058817182634383035,
    -0.05259443531184268,   0.04744960987945042,  -0.04286488787673116,   0.03821223287264641,
    -0.03278923453015846,   0.026156946259562962, -0.018619951815078674,  0.011322512299343645,
    -0.0056155067089315135, 0.002153055577631353, -0.0005933704194059797, 0.00010396767068516598,
    -8.663144618703712e-06};
/// (asin(x) - x) / x^3 in x^2 for |x| < 1/2: 9.6e-19
static constexpr double doubleAsinTail[] = {
    0.1666666666666676,   0.07499999999970863,   0.04464285717456482, 0.030381942709643225,
    0.022372214942903257, 0.01735161271653295,   0.01398081305659744, 0.011398967340810763,
    0.010779972682557567, 0.0037073741824633177, 0.02170529254282485, -0.020996254042288335,
    0.03262700035850811};

llvm::Value *DoubleFunctions::emit(llvm::StringRef name, llvm::ArrayRef<llvm::Value *> operands) {
  if (name == "atan2")
    return arcTangent2(operands[0], operands[1], doubleAtanTail);
  using Function = llvm::Value *(DoubleFunctions::*)(llvm::Value *);
  auto function = llvm::StringSwitch<Function>(name)
                      .Case("exp", &DoubleFunctions::exp)
                      .Case("exp2", &DoubleFunctions::exp2)
                      .Case("log", &DoubleFunctions::log)
                      .Case("log2", &DoubleFunctions::log2)
                      .Case("log10", &DoubleFunctions::log10)
                      .Case("log1p", &DoubleFunctions::log1p)
                      .Case("asin", &DoubleFunctions::asin)
                      .Case("acos", &DoubleFunctions::acos)
                      .Case("atan", &DoubleFunctions::atan)
                      .Case("asinh", &DoubleFunctions::asinh)
                      .Case("acosh", &DoubleFunctions::acosh)
                      .Case("atanh", &DoubleFunctions::atanh)
                      .Case("cbrt", &DoubleFunctions::cbrt)
                      .Case("tanh", &DoubleFunctions::tanh)
                      .Case("erf", &DoubleFunctions::erf)
                      .Case("erfc", &DoubleFunctions::erfc)
                      .Default(nullptr);
  return function ? (this->*function)(operands[0]) : nullptr;
}

// Exponentials

DoubleFunctions::Exponential DoubleFunctions::exponential(llvm::Value *x, llvm::Value *low) {
  Whole n = nearest(x, log2OfE);
  llvm::Value *r = multiplyAdd(n.real, number(x, -logTwoHigh), x);
  r = multiplyAdd(n.real, number(x, -logTwoLow), r);
  if (low)
    r = b.CreateFAdd(r, low);
  // (exp(r) - 1 - r) / r^2 for |r| <= log(2) / 2: 1.1e-17
  llvm::Value *tail = polynomial(
      r, {0.5000000000000011, 0.16666666666666413, 0.04166666666653016, 0.008333333333494458,
          0.0013888888943630266, 0.0001984126950660952, 2.4801493098332072e-05,
          2.7557586336271408e-06, 2.76302486771861e-07, 2.5000075316497884e-08});
  return {multiplyAdd(b.CreateFMul(r, r), tail, r), n};
}

llvm::Value *DoubleFunctions::exp(llvm::Value *x) {
  return zeroBelow(-746, 710, x, [&](llvm::Value *inside) {
    auto [rest, exponent] = exponential(inside); // whose exponential is infinity
    return timesPowerOfTwo(b.CreateFAdd(rest, number(x, 1)), exponent);
  });
}

llvm::Value *DoubleFunctions::exp2(llvm::Value *x) {
  return zeroBelow(-1076, 1025, x, [&](llvm::Value *inside) {
    Whole n = nearest(inside, 1);
    llvm::Value *r = b.CreateFSub(inside, n.real);
    // (2^r - 1) / r for |r| <= 1/2: 2.7e-17
    llvm::Value *tail =
        polynomial(r, {0.6931471805599453, 0.2402265069591013, 0.055504108664820084,
                       0.00961812910759412, 0.001333355814677465, 0.00015403530457111826,
                       1.5252733493089303e-05, 1.3215435282375626e-06, 1.0178199589481258e-07,
                       7.073783249453504e-09, 4.434768584757057e-10});
    return timesPowerOfTwo(multiplyAdd(r, tail, number(x, 1)), n);
  });
}

llvm::Value *DoubleFunctions::powerOfFloats(llvm::Value *x, llvm::Value *y) {
  auto [exponent, fraction] = split(x);
  // log2(1 + f) / f: 1.6e-11
  llvm::Value *tail = polynomial(
      fraction, {1.4426950408686983, -0.721347520868673, 0.4808983613981225, -0.3606736748392777,
                 0.2885372932937198, -0.2404531650316272, 0.20617536388116828, -0.18030061536384775,
                 0.15876975834563797, -0.14315629149406345, 0.14474852889832532,
                 -0.14284008626879094, 0.07737105285719707});
  llvm::Value *logarithm = withLogLimits(x, multiplyAdd(fraction, tail, exponent));
  llvm::Value *power = atMost(200, atLeast(-200, b.CreateFMul(y, logarithm)));
  Whole n = nearest(power, 1);
  llvm::Value *r = b.CreateFSub(power, n.real);
  // (2^r - 1) / r for |r| <= 1/2: 4.7e-11
  llvm::Value *rest = polynomial(r, {0.6931471807044894, 0.24022651066581815, 0.05550410366079326,
                                     0.009618038129778456, 0.0013333934997514303,
                                     0.00015466756914951274, 1.5196168547654049e-05});
  return b.CreateFMul(multiplyAdd(r, rest, number(x, 1)), powerOfTwo(n.integer));
}

// Logarithms

DoubleFunctions::LogTail DoubleFunctions::logTail(llvm::Value *f) {
  // (log(1 + f) - f) / f^2: 4.7e-18
  llvm::Value *factor = polynomial(f, {-0.5,
                                       0.33333333333333454,
                                       -0.2499999999999892,
                                       0.1999999999994614,
                                       -0.16666666666914345,
                                       0.14285714293840895,
                                       -0.12499999982023485,
                                       0.11111110516076106,
                                       -0.1000000038305417,
                                       0.09090933504636704,
                                       -0.08333345766150127,
                                       0.0769171449857723,
                                       -0.0714199997544194,
                                       0.06675147875618512,
                                       -0.06269801975971047,
                                       0.05817783606623777,
                                       -0.05326775367294302,
                                       0.054159542798799545,
                                       -0.06275041937322015,
                                       0.05696892964447902,
                                       -0.024276370454907426});
  return {b.CreateFMul(f, f), factor};
}

llvm::Value *DoubleFunctions::log(llvm::Value *x) {
  Parts parts = split(x);
  return withLogLimits(x, naturalLog(parts, logTail(parts.fraction), logTwoHigh, logTwoLow));
}

llvm::Value *DoubleFunctions::log2(llvm::Value *x) {
  Parts parts = split(x);
  return withLogLimits(x, binaryLog(parts, logTail(parts.fraction)));
}

llvm::Value *DoubleFunctions::log10(llvm::Value *x) {
  Parts parts = split(x);
  return withLogLimits(x, decimalLog(parts, logTail(parts.fraction),
                                     {log10TwoHigh, log10TwoLow, log10OfE, log10OfE, log10OfELow}));
}

/// As FloatFunctions::log1p has it.
llvm::Value *DoubleFunctions::log1p(llvm::Value *x) {
  llvm::Value *quarter = number(x, 0.25), *sum = b.CreateFAdd(x, number(x, 1));
  llvm::Value *bits = exponentBits(sum);
  llvm::Value *scale = asFloat(b.CreateSub(asInteger(number(x, 4)), bits));
  llvm::Value *fraction =
      multiplyAdd(b.CreateFMul(x, quarter), scale, multiplyAdd(scale, quarter, number(x, -1)));
  Parts parts = {exponentOf(bits, number(x, 0)), fraction};
  llvm::Value *result =
      withLogLimits(sum, naturalLog(parts, logTail(fraction), logTwoHigh, logTwoLow));
  return b.CreateSelect(b.CreateFCmpOLT(size(x), number(x, 0x1p-55)), x, result);
}

// Inverse functions

llvm::Value *DoubleFunctions::asin(llvm::Value *x) { return arcSine(x, doubleAsinTail); }
llvm::Value *DoubleFunctions::acos(llvm::Value *x) { return arcCosine(x, doubleAsinTail); }
llvm::Value *DoubleFunctions::atan(llvm::Value *x) { return arcTangent(x, doubleAtanTail); }
llvm::Value *DoubleFunctions::cbrt(llvm::Value *x) { return cubeRoot(x); }

llvm::Value *DoubleFunctions::asinh(llvm::Value *x) {
  return areaSine(x, [&](llvm::Value *rest) { return log1p(rest); });
}

llvm::Value *DoubleFunctions::acosh(llvm::Value *x) {
  return areaCosine(x, [&](llvm::Value *rest) { return log1p(rest); });
}

llvm::Value *DoubleFunctions::atanh(llvm::Value *x) {
  return areaTangent(x, [&](llvm::Value *rest) { return log1p(rest); });
}

// Functions that grow to one

llvm::Value *DoubleFunctions::tanh(llvm::Value *x) {
  llvm::Value *square = b.CreateFMul(x, x), *one = number(x, 1);
  // (tanh(x) - x) / x^3 in x^2 for |x| < 0.625: 5.8e-19
  llvm::Value *tail =
      polynomial(square, {-0.33333333333333315, 0.1333333333332996, -0.05396825396614943,
                          0.021869488470698216, -0.008863234338728994, 0.003592114222098373,
                          -0.001455727207084624, 0.0005894566054192657, -0.00023702394968033925,
                          9.157825160409697e-05, -3.020584487292699e-05, 6.050165529834486e-06});
  llvm::Value *near = withCube(x, square, tail);
  llvm::Value *bounded = atMost(20, size(x)); // from where on it is one
  auto [rest, exponent] = exponential(b.CreateFAdd(bounded, bounded));
  llvm::Value *scale = powerOfTwo(exponent.integer);
  llvm::Value *power = multiplyAdd(scale, rest, b.CreateFAdd(scale, one)); // exp(2 |x|) + 1
  llvm::Value *far = b.CreateFSub(one, quotient(number(x, 2), power));
  return b.CreateSelect(b.CreateFCmpOLT(size(x), number(x, 0.625)), near, withSignOf(far, x));
}

/// exp(-x^2) g(x) / (1 + 2 x), with one division for g's argument (x - 3) / (x + 3) as well.
llvm::Value *DoubleFunctions::positiveErfc(llvm::Value *x) {
  llvm::Value *one = number(x, 1), *three = number(x, 3);
  llvm::Value *sum = b.CreateFAdd(x, three), *divisor = multiplyAdd(number(x, 2), x, one);
  llvm::Value *inverse = reciprocal(b.CreateFMul(sum, divisor));
  llvm::Value *t = b.CreateFMul(b.CreateFMul(b.CreateFSub(x, three), divisor), inverse);
  // 5.8e-17
  llvm::Value *g =
      polynomial(t, {1.2530080582697296,      -0.13562110612458056,    -0.04756229435344945,
                     0.12964515870269125,     -0.11927366341537782,    0.06830802734627447,
                     -0.023770514917067866,   0.0025293917810587704,   0.0018886903386754383,
                     -0.0007798319763693836,  -0.00010515963134879586, 0.00012509783294584797,
                     4.948584288253293e-06,   -2.0095591462531584e-05, -7.283559934856658e-07,
                     3.4618521763331685e-06,  3.496251689757281e-07,   -6.022874551123772e-07,
                     -1.3104696536615863e-07, 8.993629867814621e-08,   3.2411761509386575e-08,
                     -7.915469674790352e-09,  -3.9533129722369735e-09});
  llvm::Value *square = b.CreateFMul(x, x);
  auto [rest, exponent] = exponential(b.CreateFNeg(square), b.CreateFNeg(squareRest(x, square)));
  llvm::Value *scaled = b.CreateFMul(g, b.CreateFMul(sum, inverse));
  return timesPowerOfTwo(multiplyAdd(scaled, rest, scaled), exponent);
}

llvm::Value *DoubleFunctions::erfNearZero(llvm::Value *x) {
  llvm::Value *square = b.CreateFMul(x, x);
  // erf(x) / x - 1 in x^2 for |x| < 1: 1.3e-17
  llvm::Value *tail = polynomial(
      square, {0.1283791670955126, -0.376126389031841, 0.11283791670971098, -0.026866170648031183,
               0.005223977652595753, -0.000854832852020058, 0.00012055385156272798,
               -1.4926843916519666e-05, 1.6480243647729764e-06, -1.654620127119362e-07,
               1.5924510813753186e-08, -1.6064526232103126e-09, 1.357313010263619e-10});
  return multiplyAdd(tail, x, x);
}

llvm::Value *DoubleFunctions::erfc(llvm::Value *x) {
  llvm::Value *result = positiveErfc(atMost(28, size(x))); // whose result is zero
  result =
      b.CreateSelect(b.CreateFCmpOLT(x, number(x, 0)), b.CreateFSub(number(x, 2), result), result);
  llvm::Value *near = b.CreateFSub(number(x, 1), withSignOf(erfNearZero(size(x)), x));
  return b.CreateSelect(b.CreateFCmpOLT(size(x), number(x, 0.4375)), near, result);
}

/// As FloatFunctions::erfByExponent has it.
llvm::Value *DoubleFunctions::erf(llvm::Value *x) {
  llvm::Value *bounded = atMost(5.95, size(x)); // from where on it is one
  // -log(1 - erf(x)) / x up to there, by the error in erf: 2.2e-17
  llvm::Value *factor = polynomial(
      bounded, {1.1283791670955126,      0.6366197723675898,      0.10277260330135769,
                -0.019128446993821782,   -0.00020919484677552232, 0.0016962076250081495,
                -0.0005901322373249423,  2.5903904268824556e-05,  6.442183881609066e-05,
                -2.9578057327692148e-05, 3.1729124418695546e-06,  3.129508621431778e-06,
                -2.0342693274210037e-06, 5.686640305892935e-07,   -1.0646548875892322e-08,
                -6.619120188058351e-08,  3.474184537146528e-08,   -1.081583600199265e-08,
                2.369455005616249e-09,   -3.7750127460980493e-10, 4.318563988475247e-11,
                -3.3779443658725544e-12, 1.6216605760926598e-13,  -3.6079288479115614e-15});
  auto [rest, exponent] = exponential(b.CreateFNeg(b.CreateFMul(bounded, factor)));
  llvm::Value *power = powerOfTwo(exponent.integer);
  llvm::Value *result = multiplyAdd(b.CreateFNeg(power), rest, b.CreateFSub(number(x, 1), power));
  return withSignOf(result, x);
}

} // namespace nereid::backend
