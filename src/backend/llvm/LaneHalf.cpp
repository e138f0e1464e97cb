// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// float16 to float32 and back in integer arithmetic, for machines that have no instruction.
#include "backend/llvm/LaneBuilder.h"

namespace nereid::backend {
namespace {

// Bits of float32: the exponent's bias above float16's, infinity, the quiet bit of a NaN.
constexpr uint32_t rebias = (127 - 15) << 23, infinity = 0x7f800000, quiet = 0x400000;
/// Fraction bits that float16 does not have.
constexpr unsigned droppedBits = 23 - 10;

} // namespace

llvm::Value *LaneBuilder::widenHalf(llvm::Value *half) {
  unsigned width = widthOf(half);
  llvm::Type *f32 = vectorOf(b.getFloatTy(), width), *i32 = vectorOf(b.getInt32Ty(), width);
  auto number = [&](uint32_t value) { return llvm::ConstantInt::get(i32, value); };
  llvm::Value *wide = b.CreateZExt(half, i32);
  llvm::Value *magnitude = b.CreateAnd(wide, number(0x7fff));
  llvm::Value *fraction = b.CreateShl(magnitude, number(droppedBits));
  // Subnormal numbers are integers times 2^-24.
  llvm::Value *subnormal = b.CreateBitCast(
      b.CreateFMul(b.CreateUIToFP(magnitude, f32), llvm::ConstantFP::get(f32, 0x1p-24)), i32);
  llvm::Value *special = b.CreateOr(fraction, number(infinity));
  llvm::Value *isNan = b.CreateICmpUGT(magnitude, number(0x7c00));
  special = b.CreateSelect(isNan, b.CreateOr(special, number(quiet)), special);
  llvm::Value *bits = b.CreateAdd(fraction, number(rebias));
  bits = b.CreateSelect(b.CreateICmpULT(magnitude, number(0x400)), subnormal, bits);
  bits = b.CreateSelect(b.CreateICmpUGE(magnitude, number(0x7c00)), special, bits);
  llvm::Value *sign = b.CreateShl(b.CreateAnd(wide, number(0x8000)), number(16));
  return b.CreateBitCast(b.CreateOr(bits, sign), f32);
}

/// Rounds to nearest even.
llvm::Value *LaneBuilder::narrowToHalf(llvm::Value *value) {
  unsigned width = widthOf(value);
  llvm::Type *f32 = vectorOf(b.getFloatTy(), width), *i32 = vectorOf(b.getInt32Ty(), width);
  llvm::Type *i16 = vectorOf(b.getInt16Ty(), width);
  auto number = [&](uint32_t value) { return llvm::ConstantInt::get(i32, value); };
  llvm::Value *all = b.CreateBitCast(value, i32);
  llvm::Value *magnitude = b.CreateAnd(all, number(0x7fffffff));
  // Half of the last kept bit, less one if that bit is even; what overflows becomes infinity.
  llvm::Value *isOdd = b.CreateAnd(b.CreateLShr(magnitude, number(droppedBits)), number(1));
  llvm::Value *normal = b.CreateAdd(b.CreateSub(magnitude, number(rebias)),
                                    b.CreateAdd(isOdd, number((1u << (droppedBits - 1)) - 1)));
  normal = b.CreateLShr(normal, number(droppedBits));
  // The last bit of 0.5 is that of float16's subnormal numbers: the addition rounds to it.
  llvm::Value *shifted =
      b.CreateFAdd(b.CreateBitCast(magnitude, f32), llvm::ConstantFP::get(f32, 0.5));
  llvm::Value *subnormal = b.CreateSub(b.CreateBitCast(shifted, i32), number(0x3f000000));
  llvm::Value *payload = b.CreateAnd(b.CreateLShr(magnitude, number(droppedBits)), number(0x1ff));
  llvm::Value *special = b.CreateSelect(b.CreateICmpUGT(magnitude, number(infinity)),
                                        b.CreateOr(payload, number(0x7e00)), number(0x7c00));
  constexpr uint32_t smallestNormal = rebias + (1 << 23), beyondLargest = (127 + 16) << 23;
  llvm::Value *bits =
      b.CreateSelect(b.CreateICmpULT(magnitude, number(smallestNormal)), subnormal, normal);
  bits = b.CreateSelect(b.CreateICmpUGE(magnitude, number(beyondLargest)), special, bits);
  llvm::Value *sign = b.CreateAnd(b.CreateLShr(all, number(16)), number(0x8000));
  return b.CreateTrunc(b.CreateOr(bits, sign), i16);
}

} // namespace nereid::backend
