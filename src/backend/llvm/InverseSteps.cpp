// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inverse functions and the cube root, the same for f32 and f64 but for the polynomials and the
// logarithm that they are given (scripts/fit_polynomials).
#include "backend/llvm/FunctionSteps.h"

#include <limits>

namespace nereid::backend {

namespace {

/// pi / 2, in two parts.
struct QuarterTurn {
  double high, low;
};
constexpr QuarterTurn quarterTurns[] = {{1.5707963705062866, -4.3711390001862426e-08},
                                        {1.5707963267948966, 6.123233995736766e-17}};

} // namespace

/// Up to 1/2 by the polynomial; beyond, of sqrt((1 - |x|) / 2), by the sine of half an angle.
FunctionSteps::HalfAngle FunctionSteps::halfAngle(llvm::Value *x, llvm::ArrayRef<double> tail) {
  llvm::Value *half = number(x, 0.5);
  llvm::Value *isLarge = b.CreateFCmpOGT(size(x), half);
  llvm::Value *square =
      b.CreateSelect(isLarge, multiplyAdd(size(x), number(x, -0.5), half), b.CreateFMul(x, x));
  llvm::Value *sine =
      b.CreateSelect(isLarge, b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, square), size(x));
  return {withCube(sine, square, polynomial(square, tail)), isLarge};
}

llvm::Value *FunctionSteps::arcSine(llvm::Value *x, llvm::ArrayRef<double> tail) {
  auto [angle, isLarge] = halfAngle(x, tail);
  QuarterTurn turn = quarterTurns[isDouble(x)];
  // The first sum is exact where it is small.
  llvm::Value *turned =
      b.CreateFAdd(multiplyAdd(angle, number(x, -2), number(x, turn.high)), number(x, turn.low));
  return withSignOf(b.CreateSelect(isLarge, turned, angle), x);
}

llvm::Value *FunctionSteps::arcCosine(llvm::Value *x, llvm::ArrayRef<double> tail) {
  auto [angle, isLarge] = halfAngle(x, tail);
  QuarterTurn turn = quarterTurns[isDouble(x)];
  llvm::Value *isNegative = b.CreateFCmpOLT(x, number(x, 0));
  llvm::Value *twice = b.CreateFAdd(angle, angle);
  llvm::Value *behind =
      b.CreateFAdd(number(x, 2 * turn.high), b.CreateFSub(number(x, 2 * turn.low), twice));
  llvm::Value *near =
      b.CreateFAdd(number(x, turn.high), b.CreateFSub(number(x, turn.low), withSignOf(angle, x)));
  return b.CreateSelect(isLarge, b.CreateSelect(isNegative, behind, twice), near);
}

/// Beyond 1 of the reciprocal; which from 2^60 on is nothing beside pi / 2.
llvm::Value *FunctionSteps::arcTangent(llvm::Value *x, llvm::ArrayRef<double> tail) {
  llvm::Value *isLarge = b.CreateFCmpOGT(size(x), number(x, 1));
  llvm::Value *bounded = atMost(0x1p60, size(x));
  llvm::Value *inside = b.CreateSelect(isLarge, b.CreateFNeg(reciprocal(bounded)), bounded);
  llvm::Value *square = b.CreateFMul(inside, inside);
  llvm::Value *angle = withCube(inside, square, polynomial(square, tail));
  QuarterTurn turn = quarterTurns[isDouble(x)];
  llvm::Value *turned =
      b.CreateFAdd(number(x, turn.high), b.CreateFAdd(angle, number(x, turn.low)));
  return withSignOf(b.CreateSelect(isLarge, turned, angle), x);
}

/// The angle of the smaller to the larger one, from whichever half axis is nearest.
llvm::Value *FunctionSteps::arcTangent2(llvm::Value *y, llvm::Value *x,
                                        llvm::ArrayRef<double> tail) {
  llvm::Value *zero = number(x, 0), *one = number(x, 1), *tall = size(y), *wide = size(x);
  llvm::Value *isSteep = b.CreateFCmpOGT(tall, wide);
  llvm::Value *small = b.CreateSelect(isSteep, wide, tall);
  llvm::Value *large = b.CreateSelect(isSteep, tall, wide);
  // Where the hardware's reciprocal is not at home.
  llvm::Value *scale = b.CreateSelect(
      b.CreateFCmpOGT(large, number(x, 0x1p64)), number(x, 0x1p-64),
      b.CreateSelect(b.CreateFCmpOLT(large, number(x, 0x1p-64)), number(x, 0x1p64), one));
  llvm::Value *ratio = quotient(b.CreateFMul(small, scale), b.CreateFMul(large, scale));
  llvm::Value *areEqual = b.CreateFCmpOEQ(small, large);
  llvm::Value *isFar =
      b.CreateAnd(b.CreateFCmpOEQ(large, number(x, std::numeric_limits<double>::infinity())),
                  b.CreateFCmpOLT(small, large));
  ratio = b.CreateSelect(isFar, zero, ratio);
  ratio = b.CreateSelect(areEqual, b.CreateSelect(b.CreateFCmpOEQ(large, zero), zero, one), ratio);

  llvm::Value *square = b.CreateFMul(ratio, ratio);
  llvm::Value *angle = withCube(ratio, square, polynomial(square, tail));
  QuarterTurn turn = quarterTurns[isDouble(x)];
  llvm::Value *isBehind = b.CreateICmpSLT(asInteger(x), integer(x, 0));
  auto ofAxis = [&](double part) {
    return b.CreateSelect(isSteep, number(x, part),
                          b.CreateSelect(isBehind, number(x, 2 * part), zero));
  };
  llvm::Value *isBackwards = b.CreateXor(isSteep, isBehind);
  angle = b.CreateSelect(isBackwards, b.CreateFNeg(angle), angle);
  return withSignOf(b.CreateFAdd(ofAxis(turn.high), b.CreateFAdd(ofAxis(turn.low), angle)), y);
}

/// By the reciprocal's root r, begun with a third of the exponent's bits: 1 - x r^3 is made small,
/// to the third power each time; and a step of Newton's for x r^2 itself, with what its square
/// lacks.
llvm::Value *FunctionSteps::cubeRoot(llvm::Value *x) {
  double third = 1.0 / 3, infinity = std::numeric_limits<double>::infinity();
  int shift = isDouble(x) ? 54 : 24; // which numbers below the normal ones are moved up by
  llvm::Value *isSmall = b.CreateFCmpOLT(size(x), number(x, std::ldexp(1.0, 1 - biasOf(x))));
  llvm::Value *bounded =
      b.CreateSelect(isSmall, b.CreateFMul(size(x), number(x, std::ldexp(1.0, shift))), size(x));
  llvm::Value *bits = asInteger(bounded);
  llvm::Type *narrow = bits->getType()->getWithNewType(b.getInt32Ty());
  if (isDouble(x))
    bits = b.CreateTrunc(b.CreateLShr(bits, integer(x, 32)), narrow);
  llvm::Type *single = bits->getType()->getWithNewType(b.getFloatTy());
  llvm::Value *bitsThird =
      b.CreateFMul(b.CreateSIToFP(bits, single), llvm::ConstantFP::get(single, third));
  bits = b.CreateSub(llvm::ConstantInt::get(narrow, isDouble(x) ? 0x553EF0FF : 0x54A2FA8C),
                     b.CreateFPToSI(bitsThird, narrow));
  if (isDouble(x))
    bits = b.CreateShl(b.CreateZExt(bits, x->getType()->getWithNewType(b.getInt64Ty())),
                       integer(x, 32));
  llvm::Value *inverse = asFloat(bits), *root = nullptr;
  for (int step = 0; step < (isDouble(x) ? 3 : 2); ++step) {
    root = b.CreateFMul(b.CreateFMul(bounded, inverse), inverse);
    llvm::Value *rest = multiplyAdd(b.CreateFNeg(root), inverse, number(x, 1));
    llvm::Value *factor = multiplyAdd(rest, number(x, 2.0 / 9), number(x, third));
    inverse = multiplyAdd(b.CreateFMul(inverse, rest), factor, inverse);
  }
  llvm::Value *inverseSquare = b.CreateFMul(inverse, inverse);
  root = b.CreateFMul(bounded, inverseSquare);
  llvm::Value *square = b.CreateFMul(root, root);
  double part = machine.hasFma ? 1 : 0.25; // without, the greatest numbers' own cubes are infinite
  llvm::Value *rest = multiplyAdd(b.CreateFMul(square, number(x, -part)), root,
                                  b.CreateFMul(bounded, number(x, part)));
  rest = multiplyAdd(b.CreateFMul(squareRest(root, square), number(x, -part)), root, rest);
  root = multiplyAdd(b.CreateFMul(rest, number(x, third / part)), inverseSquare, root);
  root = b.CreateSelect(isSmall, b.CreateFMul(root, number(x, std::ldexp(1.0, -shift / 3))), root);
  llvm::Value *isPlain = b.CreateAnd(b.CreateFCmpOGT(size(x), number(x, 0)),
                                     b.CreateFCmpOLT(size(x), number(x, infinity)));
  return b.CreateSelect(isPlain, withSignOf(root, x), x);
}

static constexpr double farOut = 0x1p60; // beside which one is nothing

/// log(|x| + sqrt(x^2 + 1)), of one less: |x| + x^2 / (1 + sqrt(x^2 + 1)).
llvm::Value *FunctionSteps::areaSine(llvm::Value *x, Function log1p) {
  llvm::Value *one = number(x, 1), *near = atMost(farOut, size(x));
  llvm::Value *square = b.CreateFMul(near, near);
  llvm::Value *root = b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, b.CreateFAdd(square, one));
  llvm::Value *rest = b.CreateFAdd(near, quotient(square, b.CreateFAdd(root, one)));
  return withSignOf(logOfFar(size(x), rest, log1p), x);
}

/// log(x + sqrt(x^2 - 1)), of one less, with t = x - 1: t + sqrt(t (t + 2)).
llvm::Value *FunctionSteps::areaCosine(llvm::Value *x, Function log1p) {
  llvm::Value *t = b.CreateFSub(atMost(farOut, x), number(x, 1));
  llvm::Value *square = b.CreateFMul(t, b.CreateFAdd(t, number(x, 2)));
  llvm::Value *rest = b.CreateFAdd(t, b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, square));
  llvm::Value *none = number(x, std::numeric_limits<double>::quiet_NaN());
  return b.CreateSelect(b.CreateFCmpOLT(x, number(x, 1)), none, logOfFar(x, rest, log1p));
}

/// log1p of `rest`, or from `farOut` on the logarithm of 2 x.
llvm::Value *FunctionSteps::logOfFar(llvm::Value *x, llvm::Value *rest, Function log1p) {
  llvm::Value *isFar = b.CreateFCmpOGE(x, number(x, farOut));
  llvm::Value *logarithm = log1p(b.CreateSelect(isFar, x, rest));
  return b.CreateFAdd(logarithm,
                      b.CreateSelect(isFar, number(x, 0.69314718055994531), number(x, 0)));
}

/// Half the logarithm of (1 + |x|) / (1 - |x|), of one less: 2 |x| / (1 - |x|).
llvm::Value *FunctionSteps::areaTangent(llvm::Value *x, Function log1p) {
  llvm::Value *one = number(x, 1), *isOne = b.CreateFCmpOEQ(size(x), one);
  llvm::Value *infinity = number(x, std::numeric_limits<double>::infinity());
  llvm::Value *rest = quotient(b.CreateFAdd(size(x), size(x)), b.CreateFSub(one, size(x)));
  llvm::Value *logarithm = b.CreateFMul(log1p(rest), number(x, 0.5));
  llvm::Value *isBeyond = b.CreateFCmpOGT(size(x), one);
  logarithm =
      b.CreateSelect(isBeyond, number(x, std::numeric_limits<double>::quiet_NaN()), logarithm);
  return withSignOf(b.CreateSelect(isOne, infinity, logarithm), x);
}

} // namespace nereid::backend
