// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats of 8 and 16 bits to f32 and back in integer arithmetic, for machines that have no
// instruction.
#include "backend/llvm/LaneBuilder.h"
#include "support/FloatFormat.h"

#include <cmath>

namespace nereid::backend {
namespace {

// Of float32: infinity, the quiet bit of a NaN.
constexpr uint32_t infinity = 0x7f800000, quiet = 0x400000;
constexpr int bias = 127;
constexpr unsigned mantissaBits = 23;

/// How a narrow format differs from float32.
struct Gap {
  explicit Gap(const FloatFormat &format)
      : droppedBits(mantissaBits - format.mantissaBits),
        rebias(uint32_t(bias - format.bias) << mantissaBits),
        lastPlace(1 - format.bias - int(format.mantissaBits)) {}

  unsigned droppedBits; // fraction bits that it does not have
  uint32_t rebias;      // float32's bias above its own
  int lastPlace;        // the exponent of its smallest number, which is subnormal
};

} // namespace

llvm::Value *LaneBuilder::widenBFloat16(llvm::Value *bits) {
  unsigned width = widthOf(bits);
  llvm::Value *wide = b.CreateShl(b.CreateZExt(bits, vectorOf(b.getInt32Ty(), width)), 16);
  return b.CreateBitCast(wide, vectorOf(b.getFloatTy(), width));
}

llvm::Value *LaneBuilder::narrowToBFloat16(llvm::Value *value) {
  unsigned width = widthOf(value);
  llvm::Type *i32 = vectorOf(b.getInt32Ty(), width);
  llvm::Value *bits = b.CreateBitCast(value, i32);
  // Adding half of the last kept bit, less one if that bit is even, rounds to nearest even.
  llvm::Value *isOdd = b.CreateAnd(b.CreateLShr(bits, 16), 1);
  llvm::Value *rounded = b.CreateAdd(bits, b.CreateAdd(isOdd, llvm::ConstantInt::get(i32, 0x7fff)));
  llvm::Value *asNan = b.CreateOr(bits, llvm::ConstantInt::get(i32, quiet));
  llvm::Value *chosen = b.CreateSelect(b.CreateFCmpUNO(value, value), asNan, rounded);
  return b.CreateTrunc(b.CreateLShr(chosen, 16), vectorOf(b.getInt16Ty(), width));
}

llvm::Value *LaneBuilder::widenBits(llvm::Value *narrow, const FloatFormat &format) {
  unsigned width = widthOf(narrow);
  llvm::Type *f32 = vectorOf(b.getFloatTy(), width), *i32 = vectorOf(b.getInt32Ty(), width);
  auto number = [&](uint64_t value) { return llvm::ConstantInt::get(i32, value); };
  Gap gap(format);
  llvm::Value *wide = b.CreateZExt(narrow, i32);
  llvm::Value *magnitude = b.CreateAnd(wide, number(format.signBit() - 1));
  llvm::Value *fraction = b.CreateShl(magnitude, number(gap.droppedBits));
  // Subnormal numbers are multiples of the smallest.
  llvm::Value *smallest = llvm::ConstantFP::get(f32, std::ldexp(1.0, gap.lastPlace));
  llvm::Value *subnormal =
      b.CreateBitCast(b.CreateFMul(b.CreateUIToFP(magnitude, f32), smallest), i32);
  llvm::Value *special = b.CreateOr(fraction, number(infinity));
  llvm::Value *isNan = b.CreateICmpUGT(magnitude, number(format.firstNan() - 1));
  special = b.CreateSelect(isNan, b.CreateOr(special, number(quiet)), special);
  llvm::Value *bits = b.CreateAdd(fraction, number(gap.rebias));
  uint64_t smallestNormal = uint64_t(1) << format.mantissaBits;
  bits = b.CreateSelect(b.CreateICmpULT(magnitude, number(smallestNormal)), subnormal, bits);
  bits = b.CreateSelect(b.CreateICmpUGE(magnitude, number(format.firstSpecial())), special, bits);
  if (!format.hasNegativeZero())
    bits = b.CreateSelect(b.CreateICmpEQ(wide, number(format.signBit())), number(infinity | quiet),
                          bits);
  llvm::Value *sign =
      b.CreateShl(b.CreateAnd(wide, number(format.signBit())), number(32 - format.bits()));
  return b.CreateBitCast(b.CreateOr(bits, sign), f32);
}

/// `magnitude` is a float32 without its sign; the result has the bits of the narrow format, if it
/// is neither NaN nor too large.
llvm::Value *LaneBuilder::roundMagnitude(llvm::Value *magnitude, const FloatFormat &format) {
  unsigned width = widthOf(magnitude);
  llvm::Type *f32 = vectorOf(b.getFloatTy(), width), *i32 = magnitude->getType();
  auto number = [&](uint64_t value) { return llvm::ConstantInt::get(i32, value); };
  Gap gap(format);
  // Half of the last kept bit, less one if that bit is even.
  llvm::Value *isOdd = b.CreateAnd(b.CreateLShr(magnitude, number(gap.droppedBits)), number(1));
  llvm::Value *normal = b.CreateAdd(b.CreateSub(magnitude, number(gap.rebias)),
                                    b.CreateAdd(isOdd, number((1u << (gap.droppedBits - 1)) - 1)));
  normal = b.CreateLShr(normal, number(gap.droppedBits));
  // A float32 whose last bit is that of the format's subnormal numbers: adding it rounds to them.
  int exponent = gap.lastPlace + int(mantissaBits);
  llvm::Value *shifted = b.CreateFAdd(b.CreateBitCast(magnitude, f32),
                                      llvm::ConstantFP::get(f32, std::ldexp(1.0, exponent)));
  llvm::Value *subnormal =
      b.CreateSub(b.CreateBitCast(shifted, i32), number(uint32_t(exponent + bias) << mantissaBits));
  uint64_t smallestNormal = gap.rebias + (uint64_t(1) << mantissaBits);
  return b.CreateSelect(b.CreateICmpULT(magnitude, number(smallestNormal)), subnormal, normal);
}

/// Rounds to nearest even. What is too large becomes infinity, and NaNs keep the upper bits of
/// their payload; or the largest number, and there is one NaN.
llvm::Value *LaneBuilder::narrowBits(llvm::Value *value, const FloatFormat &format) {
  unsigned width = widthOf(value);
  llvm::Type *i32 = vectorOf(b.getInt32Ty(), width);
  auto number = [&](uint64_t value) { return llvm::ConstantInt::get(i32, value); };
  llvm::Value *all = b.CreateBitCast(value, i32);
  llvm::Value *magnitude = b.CreateAnd(all, number(0x7fffffff));
  llvm::Value *bits = roundMagnitude(magnitude, format);
  llvm::Value *isNan = b.CreateICmpUGT(magnitude, number(infinity));
  auto withSign = [&](llvm::Value *code) {
    llvm::Value *sign = b.CreateLShr(all, number(32 - format.bits()));
    llvm::Value *signedCode = b.CreateOr(code, b.CreateAnd(sign, number(format.signBit())));
    return format.hasNegativeZero()
               ? signedCode
               : b.CreateSelect(b.CreateICmpEQ(code, number(0)), code, signedCode);
  };
  if (format.overflow == FloatFormat::Saturates) {
    bits = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, bits, number(format.largest()));
    bits = b.CreateSelect(isNan, number(format.lastNan()), withSign(bits));
  } else {
    Gap gap(format);
    uint64_t quietNan = format.firstSpecial() | uint64_t(1) << (format.mantissaBits - 1);
    llvm::Value *payload = b.CreateAnd(b.CreateLShr(magnitude, number(gap.droppedBits)),
                                       number(format.lastNan() - quietNan));
    llvm::Value *special =
        b.CreateSelect(isNan, b.CreateOr(payload, number(quietNan)), number(format.firstSpecial()));
    uint32_t tooLarge = uint32_t(format.bias + 1 + bias) << mantissaBits;
    bits = b.CreateSelect(b.CreateICmpUGE(magnitude, number(tooLarge)), special, bits);
    bits = withSign(bits);
  }
  return b.CreateTrunc(bits, vectorOf(b.getIntNTy(format.bits()), width));
}

} // namespace nereid::backend
