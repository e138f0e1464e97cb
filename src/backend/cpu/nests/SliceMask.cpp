// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/cpu/nests/SliceMask.h"

#include "llvm/Analysis/VectorUtils.h"

namespace nereid::backend {
namespace {

/// Conjunctions and sums of more parts are sliced as they are: what is rebuilt stays small.
constexpr unsigned deepest = 4;

class MaskSlice {
public:
  MaskSlice(LaneBuilder &lanes, unsigned begin, unsigned count)
      : lanes(lanes), b(lanes.builder()), begin(begin), count(count) {}

  llvm::Value *ofMask(llvm::Value *mask, unsigned depth) {
    if (auto *compare = llvm::dyn_cast<llvm::CmpInst>(mask)) {
      llvm::Value *lhs = ofNumbers(compare->getOperand(0));
      llvm::Value *rhs = ofNumbers(compare->getOperand(1));
      return keepFlags(*compare, b.CreateCmp(compare->getPredicate(), lhs, rhs));
    }
    auto *joined = llvm::dyn_cast<llvm::BinaryOperator>(mask);
    if (!joined || depth == 0)
      return lanes.slice(mask, begin, count);
    llvm::Value *lhs = ofMask(joined->getOperand(0), depth - 1);
    llvm::Value *rhs = ofMask(joined->getOperand(1), depth - 1);
    return keepFlags(*joined, b.CreateBinOp(joined->getOpcode(), lhs, rhs));
  }

private:
  llvm::Value *ofNumbers(llvm::Value *numbers) {
    if (isCountedUp(numbers, deepest))
      return rebuilt(numbers);
    return lanes.slice(numbers, begin, count);
  }

  /// Arithmetic on constants and on one number for all lanes, of which no lane is waited for.
  static bool isCountedUp(llvm::Value *numbers, unsigned depth) {
    if (llvm::isa<llvm::Constant>(numbers) || llvm::getSplatValue(numbers))
      return true;
    auto *op = llvm::dyn_cast<llvm::BinaryOperator>(numbers);
    return op && depth != 0 && !op->isIntDivRem() && isCountedUp(op->getOperand(0), depth - 1) &&
           isCountedUp(op->getOperand(1), depth - 1);
  }

  llvm::Value *rebuilt(llvm::Value *numbers) {
    if (llvm::isa<llvm::Constant>(numbers))
      return lanes.slice(numbers, begin, count);
    if (llvm::Value *scalar = llvm::getSplatValue(numbers))
      return lanes.splat(scalar, count);
    auto *op = llvm::cast<llvm::BinaryOperator>(numbers);
    llvm::Value *lhs = rebuilt(op->getOperand(0));
    llvm::Value *rhs = rebuilt(op->getOperand(1));
    return keepFlags(*op, b.CreateBinOp(op->getOpcode(), lhs, rhs));
  }

  static llvm::Value *keepFlags(llvm::Instruction &from, llvm::Value *made) {
    if (auto *instruction = llvm::dyn_cast<llvm::Instruction>(made))
      instruction->copyIRFlags(&from);
    return made;
  }

  LaneBuilder &lanes;
  Builder &b;
  unsigned begin, count;
};

/// The same mask, of which LLVM does not see what it knows. Without registers for masks LLVM 22
/// takes a part that it finds false behind a longer mask's lanes for one that nobody defined, and
/// reads or writes without it; there a mask is a vector of the elements' width, which costs nothing
/// to hide.
llvm::Value *hidden(LaneBuilder &lanes, const target::CpuTarget &cpu, llvm::Value *part,
                    unsigned elementBytes) {
  bool isVectorOfElements = cpu.maskedLaneBytes > 1 && elementBytes >= cpu.maskedLaneBytes;
  if (!isVectorOfElements || llvm::isa<llvm::Constant>(part))
    return part;
  Builder &b = lanes.builder();
  llvm::Type *type = lanes.vectorOf(b.getIntNTy(elementBytes * 8), LaneBuilder::widthOf(part));
  return b.CreateICmpSLT(lanes.opaque(b.CreateSExt(part, type)),
                         llvm::Constant::getNullValue(type));
}

} // namespace

llvm::Value *sliceMask(LaneBuilder &lanes, const target::CpuTarget &cpu, llvm::Value *mask,
                       unsigned begin, unsigned count, unsigned elementBytes) {
  if (LaneBuilder::widthOf(mask) == count || count == 1)
    return lanes.slice(mask, begin, count);
  return hidden(lanes, cpu, MaskSlice(lanes, begin, count).ofMask(mask, deepest), elementBytes);
}

} // namespace nereid::backend
