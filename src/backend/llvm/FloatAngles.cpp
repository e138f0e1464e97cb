// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/llvm/FloatFunctions.h"
#include "backend/llvm/InlineCalls.h"

#include "llvm/IR/MDBuilder.h"

#include <limits>
#include <numbers>

namespace nereid::backend {

static constexpr double farAway = 105000;

/// With multiply-adds, parts of pi / 2 that are exact enough together; without, two in f64, the
/// first of so few digits that its product with a whole number up to 2^17 is exact.
FloatFunctions::Angle FloatFunctions::nearAngle(llvm::Value *x) {
  Whole n = nearest(x, 2 * std::numbers::inv_pi);
  llvm::Value *rest = x;
  if (machine.hasFma) {
    for (double part : {1.570796251296997, 7.549789415861596e-08, 5.390302529957765e-15})
      rest = multiplyAdd(n.real, number(x, -part), rest);
    return {rest, n.integer};
  }
  rest = toDouble(x);
  for (double part : {1.5707963267341256, 6.077100506506192e-11})
    rest = b.CreateFSub(rest, b.CreateFMul(toDouble(n.real), number(rest, part)));
  return {b.CreateFPTrunc(rest, x->getType()), n.integer};
}

/// As Payne and Hanek do ("Radian reduction for trigonometric functions", 1983): of x = m 2^e, m
/// whole, and 2 / pi those digits are multiplied that do not make multiples of 4, which is 96 of
/// them.
FloatFunctions::Angle FloatFunctions::farAngle(llvm::Value *x) {
  constexpr uint32_t twoOverPi[] = {0,          0xA2F9836E, 0x4E441529, 0xFC2757D1,
                                    0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB};
  llvm::Value *bits = asInteger(x);
  auto constant = [&](int64_t value) { return integer(x, value); };
  llvm::Value *mantissa = b.CreateOr(b.CreateAnd(bits, constant(0x7FFFFF)), constant(0x800000));
  llvm::Value *exponent = b.CreateAnd(b.CreateLShr(bits, constant(23)), constant(255));
  llvm::Value *position = b.CreateSub(exponent, constant(120)); // of the first digit that counts
  llvm::Value *word = b.CreateLShr(position, constant(5));      // up to 4

  // Four words from there on.
  llvm::SmallVector<llvm::Value *> words;
  for (uint32_t digits : twoOverPi)
    words.push_back(constant(static_cast<int32_t>(digits)));
  for (unsigned step : {4, 2, 1}) {
    llvm::Value *isAhead = b.CreateICmpNE(b.CreateAnd(word, constant(step)), constant(0));
    for (unsigned i = 0; i < 3 + step; ++i)
      if (i + step < words.size())
        words[i] = b.CreateSelect(isAhead, words[i + step], words[i]);
  }
  llvm::Type *longType = x->getType()->getWithNewType(b.getInt64Ty());
  auto product = [&](unsigned i) {
    llvm::Value *digits = b.CreateIntrinsic(llvm::Intrinsic::fshl, {bits->getType()},
                                            {words[i], words[i + 1], position});
    return b.CreateMul(b.CreateZExt(digits, longType), b.CreateZExt(mantissa, longType));
  };
  auto longConstant = [&](uint64_t value) { return llvm::ConstantInt::get(longType, value); };
  llvm::Value *turns = b.CreateShl(product(0), longConstant(32));
  turns = b.CreateAdd(turns, product(1));
  turns = b.CreateAdd(turns, b.CreateLShr(product(2), longConstant(32)));

  // The first two digits are the quadrant, rounded; the rest has a sign.
  llvm::Value *quadrant =
      b.CreateLShr(b.CreateAdd(turns, longConstant(uint64_t(1) << 61)), longConstant(62));
  llvm::Value *part = b.CreateSub(turns, b.CreateShl(quadrant, longConstant(62)));
  llvm::Value *real = b.CreateSIToFP(part, x->getType()->getWithNewType(b.getDoubleTy()));
  real = b.CreateFMul(real, llvm::ConstantFP::get(real->getType(), std::numbers::pi * 0x1p-63));
  llvm::Value *rest = b.CreateFPTrunc(real, x->getType());
  quadrant = b.CreateTrunc(quadrant, bits->getType());
  llvm::Value *isNegative = b.CreateICmpSLT(bits, constant(0));
  return {b.CreateSelect(isNegative, b.CreateFNeg(rest), rest),
          b.CreateSelect(isNegative, b.CreateNeg(quadrant), quadrant)};
}

/// What is far is rare: a branch, which is taken if any lane's is.
FloatFunctions::Angle FloatFunctions::angle(llvm::Value *x) {
  Angle near = nearAngle(x);
  llvm::Value *bound = number(x, farAway);
  llvm::Value *infinity = number(x, std::numeric_limits<float>::infinity());
  llvm::Value *isFar =
      b.CreateAnd(b.CreateFCmpOGT(size(x), bound), b.CreateFCmpOLT(size(x), infinity));
  llvm::Value *isAnyFar = isFar->getType()->isVectorTy() ? b.CreateOrReduce(isFar) : isFar;
  llvm::BasicBlock *before = b.GetInsertBlock();
  llvm::Function *function = before->getParent();
  auto *far = llvm::BasicBlock::Create(b.getContext(), "far", function);
  auto *after = llvm::BasicBlock::Create(b.getContext(), "after", function);
  b.CreateCondBr(isAnyFar, far, after,
                 llvm::MDBuilder(b.getContext()).createUnlikelyBranchWeights());
  b.SetInsertPoint(far);
  Angle exact = call("far_angle", &FloatFunctions::farAngle, x);
  exact.rest = b.CreateSelect(isFar, exact.rest, near.rest);
  exact.quadrant = b.CreateSelect(isFar, exact.quadrant, near.quadrant);
  b.CreateBr(after);
  b.SetInsertPoint(after);
  auto join = [&](llvm::Value *first, llvm::Value *second) {
    llvm::PHINode *phi = b.CreatePHI(first->getType(), 2);
    phi->addIncoming(first, before);
    phi->addIncoming(second, far);
    return phi;
  };
  return {join(near.rest, exact.rest), join(near.quadrant, exact.quadrant)};
}

FloatFunctions::Angle FloatFunctions::call(llvm::StringRef name,
                                           Angle (FloatFunctions::*body)(llvm::Value *),
                                           llvm::Value *x) {
  llvm::Type *real = x->getType(), *whole = integer(x, 0)->getType();
  unsigned lanes = LaneBuilder::widthOf(x);
  std::string symbol = (inlinedPrefix + name + "." + llvm::Twine(lanes)).str();
  llvm::Module &module = *b.GetInsertBlock()->getModule();
  llvm::Function *function = module.getFunction(symbol);
  if (!function) {
    auto *result = llvm::StructType::get(real, whole);
    function = llvm::Function::Create(llvm::FunctionType::get(result, {real}, false),
                                      llvm::GlobalValue::InternalLinkage, symbol, module);
    llvm::IRBuilderBase::InsertPointGuard guard(b);
    b.SetInsertPoint(llvm::BasicBlock::Create(b.getContext(), "", function));
    b.SetCurrentDebugLocation({});
    Angle angle = (this->*body)(function->getArg(0));
    llvm::Value *both = b.CreateInsertValue(llvm::PoisonValue::get(result), angle.rest, 0);
    b.CreateRet(b.CreateInsertValue(both, angle.quadrant, 1));
  }
  llvm::Value *both = b.CreateCall(function, {x});
  return {b.CreateExtractValue(both, 0), b.CreateExtractValue(both, 1)};
}

llvm::Value *FloatFunctions::sineOf(llvm::Value *rest) {
  llvm::Value *square = b.CreateFMul(rest, rest);
  // (sin(r) - r) / r^3 in r^2: 4.0e-9
  return withCube(
      rest, square,
      polynomial(square, {-0.16666655242443085, 0.008332189172506332, -0.0001951828453456983}));
}

llvm::Value *FloatFunctions::cosineOf(llvm::Value *rest) {
  llvm::Value *square = b.CreateFMul(rest, rest);
  // (cos(r) - 1 + r^2 / 2) / r^4 in r^2: 1.2e-10
  llvm::Value *tail =
      polynomial(square, {0.04166664555668831, -0.0013887309469282627, 2.4432327336398885e-05});
  return multiplyAdd(b.CreateFMul(square, square), tail,
                     multiplyAdd(square, number(rest, -0.5), number(rest, 1)));
}

llvm::Value *FloatFunctions::sineInQuadrant(llvm::Value *rest, llvm::Value *quadrant) {
  llvm::Value *isOdd = b.CreateTrunc(quadrant, quadrant->getType()->getWithNewType(b.getInt1Ty()));
  llvm::Value *value = b.CreateSelect(isOdd, cosineOf(rest), sineOf(rest));
  llvm::Value *sign = b.CreateShl(b.CreateAnd(quadrant, integer(rest, 2)), integer(rest, 30));
  return asFloat(b.CreateXor(asInteger(value), sign));
}

llvm::Value *FloatFunctions::sin(llvm::Value *x) {
  auto [rest, quadrant] = call("angle", &FloatFunctions::angle, x);
  return sineInQuadrant(rest, quadrant);
}

llvm::Value *FloatFunctions::cos(llvm::Value *x) {
  auto [rest, quadrant] = call("angle", &FloatFunctions::angle, x);
  return sineInQuadrant(rest, b.CreateAdd(quadrant, integer(x, 1)));
}

llvm::Value *FloatFunctions::tan(llvm::Value *x) {
  auto [rest, quadrant] = call("angle", &FloatFunctions::angle, x);
  llvm::Value *isOdd = b.CreateTrunc(quadrant, quadrant->getType()->getWithNewType(b.getInt1Ty()));
  llvm::Value *square = b.CreateFMul(rest, rest);
  // (tan(r) - r) / r^3 in r^2: 3.3e-9
  llvm::Value *value =
      withCube(rest, square,
               polynomial(square, {0.33333349227905273, 0.13332675397396088, 0.05405891314148903,
                                   0.02128620818257332, 0.010827419348061085, 9.854930976871401e-05,
                                   0.004372192546725273}));
  return b.CreateSelect(isOdd, quotient(number(x, -1), value), value);
}

} // namespace nereid::backend
