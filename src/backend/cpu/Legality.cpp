// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/cpu/Legality.h"

#include "backend/cpu/KernelEmitter.h"

#include <map>

using namespace mlir;

namespace nereid::backend::cpu {
namespace {

bool isKnownElement(Type type) {
  Type element = tile::elementOf(type);
  if (auto integer = llvm::dyn_cast<IntegerType>(element))
    return integer.getWidth() == 1 || (integer.getWidth() <= 64 && integer.getWidth() >= 8 &&
                                       llvm::isPowerOf2_32(integer.getWidth()));
  return element.isF16() || element.isBF16() || element.isF32() || element.isF64() ||
         llvm::isa<tile::PointerType, IndexType>(element);
}

/// Finds out whether there is code for an operation by emitting it into a function that is thrown
/// away: one lane, on arguments that nothing is known of.
class Trial {
public:
  Trial(llvm::LLVMContext &context, const target::CpuTarget &target)
      : module("trial", context), b(context), lanes(b, target) {}

  bool hasCode(Operation *op) {
    auto element = [](Type type) { return tile::elementOf(type).getAsOpaquePointer(); };
    Kind kind{op->getName().getAsOpaquePointer(), op->getRawDictionaryAttrs().getAsOpaquePointer(),
              element(op->getResult(0).getType()),
              op->getNumOperands() ? element(op->getOperand(0).getType()) : nullptr};
    auto [known, isNew] = answers.try_emplace(kind, false);
    if (isNew)
      known->second = emits(op);
    return known->second;
  }

private:
  bool emits(Operation *op) {
    llvm::SmallVector<llvm::Type *> types;
    for (Value operand : op->getOperands())
      types.push_back(lanes.laneType(tile::elementOf(operand.getType())));
    auto *function = llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), types, false),
                                            llvm::Function::InternalLinkage, "trial", module);
    b.SetInsertPoint(llvm::BasicBlock::Create(b.getContext(), "", function));
    llvm::SmallVector<llvm::Value *> operands;
    for (llvm::Argument &argument : function->args())
      operands.push_back(&argument);
    return !lanes.emit(op, operands).empty();
  }

  // Name, attributes, and the elements of first result and first operand: those of the others
  // follow.
  using Kind = std::tuple<const void *, const void *, const void *, const void *>;
  std::map<Kind, bool> answers;
  llvm::Module module;
  Builder b;
  LaneBuilder lanes;
};

bool isSupported(Operation *op, Trial &trial) {
  bool isPlainRegion = llvm::all_of(
      op->getRegions(), [](Region &region) { return region.empty() || region.hasOneBlock(); });
  if (!isPlainRegion || !llvm::all_of(op->getResultTypes(), isKnownElement) ||
      !llvm::all_of(op->getOperandTypes(), isKnownElement))
    return false;
  if (op->hasTrait<OpTrait::IsTerminator>())
    return llvm::isa<tile::LaneOpInterface>(op);
  if (KernelEmitter::isRoot(op) || Nest::knows(op))
    return true;
  return op->getNumResults() > 0 && tile::isLanewise(op) && trial.hasCode(op);
}

} // namespace

Operation *findUnsupported(func::FuncOp kernel, const target::CpuTarget &target,
                           llvm::LLVMContext &context) {
  Trial trial(context, target);
  Operation *unsupported = nullptr;
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isSupported(op, trial))
      return WalkResult::advance();
    unsupported = op;
    return WalkResult::interrupt();
  });
  return unsupported;
}

} // namespace nereid::backend::cpu
