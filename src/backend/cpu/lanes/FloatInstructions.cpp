// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on floats for which AVX-512 has an instruction that LLVM does not choose, or a shorter
// way.
#include "backend/cpu/lanes/CpuLaneTarget.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/IR/IntrinsicsX86.h"

using namespace mlir;

namespace nereid::backend::cpu {

constexpr unsigned registerBytes = 64;
constexpr unsigned roundsAsProcess = 4; // what the intrinsics call the usual rounding

/// Calls `part` for each whole register of `values`, which have one type; null if they do not fill
/// one.
static llvm::Value *
byRegisters(LaneBuilder &lanes, llvm::ArrayRef<llvm::Value *> values,
            llvm::function_ref<llvm::Value *(llvm::ArrayRef<llvm::Value *>)> part) {
  unsigned width = LaneBuilder::widthOf(values[0]);
  unsigned count = registerBytes * 8 / values[0]->getType()->getScalarSizeInBits();
  if (width % count != 0)
    return nullptr;
  llvm::SmallVector<llvm::Value *, 4> parts;
  for (unsigned begin = 0; begin < width; begin += count) {
    llvm::SmallVector<llvm::Value *, 2> operands;
    for (llvm::Value *value : values)
      operands.push_back(lanes.slice(value, begin, count));
    parts.push_back(part(operands));
  }
  return lanes.concatenate(std::move(parts));
}

/// Whether no lane is a NaN that signals: arithmetic makes none. What LLVM might simplify to an
/// operand does not count.
static bool isQuiet(const LaneBuilder &lanes, llvm::Value *value) {
  if (lanes.isKnownQuiet(value))
    return true;
  if (auto *operation = llvm::dyn_cast<llvm::BinaryOperator>(value))
    return llvm::none_of(operation->operands(),
                         [](llvm::Value *operand) { return llvm::isa<llvm::Constant>(operand); });
  if (auto *shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(value))
    return isQuiet(lanes, shuffle->getOperand(0)) &&
           (llvm::isa<llvm::UndefValue>(shuffle->getOperand(1)) ||
            isQuiet(lanes, shuffle->getOperand(1)));
  return false;
}

/// `vrange` takes a number rather than a quiet NaN and knows the signs of zeros, as IEEE 754's
/// maximumNumber does; a NaN that signals it would give back, so both operands are quieted first,
/// where that is not known, by the range of the operand and itself.
static llvm::Value *chooseByRange(LaneBuilder &lanes, llvm::ArrayRef<llvm::Value *> operands,
                                  bool isMaximum) {
  bool isDouble = operands[0]->getType()->getScalarType()->isDoubleTy();
  Builder &b = lanes.builder();
  auto range = [&](llvm::Value *x, llvm::Value *y) {
    llvm::Value *choice = b.getInt32(isMaximum ? 5 : 4); // with the sign of the chosen one
    llvm::Value *all = isDouble ? b.getInt8(-1) : b.getInt16(-1);
    return b.CreateIntrinsic(x->getType(),
                             isDouble ? llvm::Intrinsic::x86_avx512_mask_range_pd_512
                                      : llvm::Intrinsic::x86_avx512_mask_range_ps_512,
                             {x, y, choice, x, all, b.getInt32(roundsAsProcess)});
  };
  bool isKnown[] = {isQuiet(lanes, operands[0]), isQuiet(lanes, operands[1])};
  return byRegisters(lanes, operands, [&](llvm::ArrayRef<llvm::Value *> part) -> llvm::Value * {
    llvm::Value *quiet[2];
    for (unsigned i = 0; i < 2; ++i)
      quiet[i] = isKnown[i] ? part[i] : range(part[i], part[i]);
    return range(quiet[0], quiet[1]);
  });
}

llvm::Value *CpuLaneTarget::emitByInstruction(LaneBuilder &lanes, Operation *op,
                                              llvm::ArrayRef<llvm::Value *> operands) const {
  if (cpu.vectorBytes != registerBytes || LaneBuilder::widthOf(operands[0]) == 1)
    return nullptr;
  if (llvm::isa<arith::MaxNumFOp, arith::MinNumFOp>(op) && cpu.has("avx512dq"))
    return chooseByRange(lanes, operands, llvm::isa<arith::MaxNumFOp>(op));
  return nullptr;
}

llvm::Value *scaleByPower(LaneBuilder &lanes, llvm::Value *x, llvm::Value *exponent) {
  bool isDouble = x->getType()->getScalarType()->isDoubleTy();
  Builder &b = lanes.builder();
  return byRegisters(
      lanes, {x, exponent}, [&](llvm::ArrayRef<llvm::Value *> part) -> llvm::Value * {
        llvm::Value *all = isDouble ? b.getInt8(-1) : b.getInt16(-1);
        return b.CreateIntrinsic(part[0]->getType(),
                                 isDouble ? llvm::Intrinsic::x86_avx512_mask_scalef_pd_512
                                          : llvm::Intrinsic::x86_avx512_mask_scalef_ps_512,
                                 {part[0], part[1], part[0], all, b.getInt32(roundsAsProcess)});
      });
}

} // namespace nereid::backend::cpu
