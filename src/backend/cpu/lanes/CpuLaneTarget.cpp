// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/cpu/lanes/CpuLaneTarget.h"

#include "llvm/IR/InlineAsm.h"

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

} // namespace nereid::backend::cpu
