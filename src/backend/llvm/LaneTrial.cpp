// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/llvm/LaneTrial.h"

#include "dialect/tile/Tile.h"

using namespace mlir;

namespace nereid::backend {

bool hasKnownLanes(mlir::Operation *op) {
  auto isKnown = [](mlir::Type type) { return LaneBuilder::isLane(tile::elementOf(type)); };
  return llvm::all_of(
             op->getRegions(),
             [](mlir::Region &region) { return region.empty() || region.hasOneBlock(); }) &&
         llvm::all_of(op->getResultTypes(), isKnown) &&
         llvm::all_of(op->getOperandTypes(), isKnown);
}

bool LaneTrial::hasCode(Operation *op) {
  auto element = [](Type type) { return tile::elementOf(type).getAsOpaquePointer(); };
  Kind kind{op->getName().getAsOpaquePointer(), op->getRawDictionaryAttrs().getAsOpaquePointer(),
            element(op->getResult(0).getType()),
            op->getNumOperands() ? element(op->getOperand(0).getType()) : nullptr};
  auto [known, isNew] = answers.try_emplace(kind, false);
  if (isNew)
    known->second = emits(op);
  return known->second;
}

bool LaneTrial::emits(Operation *op) {
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

} // namespace nereid::backend
