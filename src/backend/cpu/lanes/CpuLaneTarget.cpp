// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/cpu/lanes/CpuLaneTarget.h"

#include "llvm/IR/InlineAsm.h"

#include <cmath>

namespace nereid::backend::cpu {

llvm::Value *CpuLaneTarget::widen(LaneBuilder &lanes, llvm::Value *bits, mlir::Type element) const {
  // Without the instruction, LLVM would call a function of compiler-rt, lane by lane, which is not
  // part of this process.
  if (!element.isF16() || !cpu.hasF16c)
    return nullptr;
  Builder &b = lanes.builder();
  unsigned width = LaneBuilder::widthOf(bits);
  llvm::Value *half = b.CreateBitCast(bits, lanes.vectorOf(b.getHalfTy(), width));
  return b.CreateFPExt(half, lanes.vectorOf(b.getFloatTy(), width));
}

llvm::Value *CpuLaneTarget::narrow(LaneBuilder &lanes, llvm::Value *single,
                                   mlir::Type element) const {
  if (!element.isF16() || !cpu.hasF16c)
    return nullptr;
  Builder &b = lanes.builder();
  unsigned width = LaneBuilder::widthOf(single);
  llvm::Value *half = b.CreateFPTrunc(single, lanes.vectorOf(b.getHalfTy(), width));
  return b.CreateBitCast(half, lanes.vectorOf(b.getInt16Ty(), width));
}

llvm::Value *CpuLaneTarget::opaque(LaneBuilder &lanes, llvm::Value *value) const {
  Builder &b = lanes.builder();
  unsigned width = LaneBuilder::widthOf(value), bits = value->getType()->getScalarSizeInBits();
  unsigned most = std::max(1u, cpu.vectorBytes * 8 / bits);
  llvm::SmallVector<llvm::Value *, 4> parts;
  for (unsigned begin = 0; begin < width; begin += most) { // a register each
    llvm::Value *part = lanes.slice(value, begin, std::min(most, width));
    auto *type = llvm::FunctionType::get(part->getType(), {part->getType()}, false);
    const char *registers = part->getType()->isVectorTy() ? "=x,0" : "=r,0";
    parts.push_back(
        b.CreateCall(llvm::InlineAsm::get(type, "", registers, /*hasSideEffects=*/false), {part}));
  }
  return lanes.concatenate(std::move(parts));
}

/// What the type cannot hold becomes its nearest number, and NaN zero. Bounds of up to 16 bits are
/// floats: what is taken into them fits 32 bits. Those of more are powers of two, beyond which the
/// result is chosen.
llvm::Value *CpuLaneTarget::toInteger(LaneBuilder &lanes, llvm::Value *number, unsigned bits,
                                      bool isSigned) const {
  unsigned width = LaneBuilder::widthOf(number);
  if (width == 1 || bits == 1)
    return nullptr;
  Builder &b = lanes.builder();
  llvm::Type *real = number->getType();
  auto bound = [&](double value) { return llvm::ConstantFP::get(real, value); };
  llvm::Type *type = lanes.vectorOf(b.getIntNTy(bits), width);
  llvm::Type *converted = lanes.vectorOf(b.getIntNTy(std::max(bits, 32u)), width);
  double above = std::ldexp(1.0, static_cast<int>(bits - isSigned)), least = isSigned ? -above : 0;
  llvm::Value *isNan = b.CreateFCmpUNO(number, number);
  if (bits <= 16) {
    auto clamp = [&](llvm::Value *keeps, double otherwise) {
      number = b.CreateSelect(keeps, number, bound(otherwise));
    };
    if (isSigned)
      clamp(b.CreateNot(isNan), 0);
    clamp(b.CreateFCmpOGT(number, bound(least)), least); // NaN, too
    clamp(b.CreateFCmpOLT(number, bound(above - 1)), above - 1);
    return b.CreateTrunc(b.CreateFPToSI(number, converted), type);
  }
  llvm::APInt most =
      isSigned ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits);
  llvm::APInt fewest = isSigned ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getZero(bits);
  llvm::Value *result = isSigned ? b.CreateFPToSI(number, type) : b.CreateFPToUI(number, type);
  result = b.CreateSelect(b.CreateFCmpOGE(number, bound(above)), llvm::ConstantInt::get(type, most),
                          result);
  result = b.CreateSelect(b.CreateFCmpOLE(number, bound(least)),
                          llvm::ConstantInt::get(type, fewest), result);
  return b.CreateSelect(isNan, llvm::Constant::getNullValue(type), result);
}

} // namespace nereid::backend::cpu
