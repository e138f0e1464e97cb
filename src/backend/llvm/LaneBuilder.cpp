// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/llvm/LaneBuilder.h"

#include "dialect/tile/Tile.h"
#include "support/Check.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <numeric>

using namespace mlir;

namespace nereid::backend {

bool LaneBuilder::isLane(Type element) {
  return llvm::isa<tile::PointerType>(element) || tile::dtypeOf(element);
}

llvm::Type *LaneBuilder::laneType(Type element) const {
  if (llvm::isa<tile::PointerType>(element))
    return b.getPtrTy(target.addressSpace());
  if (element.isF32())
    return b.getFloatTy();
  if (element.isF64())
    return b.getDoubleTy();
  return b.getIntNTy(element.getIntOrFloatBitWidth());
}

llvm::Type *LaneBuilder::memoryType(Type element) const {
  return element.isInteger(1) ? b.getInt8Ty() : laneType(element);
}

llvm::Type *LaneBuilder::vectorOf(llvm::Type *lane, unsigned width) const {
  return width == 1 ? lane : llvm::FixedVectorType::get(lane, width);
}

unsigned LaneBuilder::widthOf(llvm::Value *value) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  return vector ? vector->getNumElements() : 1;
}

llvm::AllocaInst *LaneBuilder::stackSlot(llvm::Type *type) {
  llvm::IRBuilderBase::InsertPointGuard guard(b);
  llvm::BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
  b.SetInsertPoint(&entry, entry.begin());
  return b.CreateAlloca(type);
}

llvm::Value *LaneBuilder::slice(llvm::Value *value, unsigned begin, unsigned count) {
  if (widthOf(value) == count)
    return value;
  if (count == 1)
    return b.CreateExtractElement(value, begin);
  llvm::SmallVector<int, 32> mask(count);
  std::iota(mask.begin(), mask.end(), begin);
  return b.CreateShuffleVector(value, mask);
}

llvm::Value *LaneBuilder::concatenate(llvm::SmallVector<llvm::Value *, 4> parts) {
  while (parts.size() > 1) {
    llvm::SmallVector<llvm::Value *, 4> joined;
    for (size_t i = 0; i < parts.size(); i += 2) {
      llvm::SmallVector<int, 32> mask(2 * widthOf(parts[i]));
      std::iota(mask.begin(), mask.end(), 0);
      joined.push_back(b.CreateShuffleVector(parts[i], parts[i + 1], mask));
    }
    parts = std::move(joined);
  }
  return parts[0];
}

llvm::Value *LaneBuilder::splat(llvm::Value *scalar, unsigned width) {
  if (width == 1 || scalar->getType()->isVectorTy())
    return scalar;
  return b.CreateVectorSplat(width, scalar);
}

llvm::Value *LaneBuilder::constant(Attribute value, Type element) {
  if (auto integer = llvm::dyn_cast<IntegerAttr>(value))
    return b.getInt(integer.getValue());
  llvm::APFloat number = llvm::cast<FloatAttr>(value).getValue();
  if (element.isF32() || element.isF64())
    return llvm::ConstantFP::get(laneType(element), number);
  return b.getInt(number.bitcastToAPInt());
}

llvm::Value *LaneBuilder::zero(Type element, unsigned width) {
  return llvm::Constant::getNullValue(vectorOf(laneType(element), width));
}

llvm::Value *LaneBuilder::toMemory(llvm::Value *value, Type element) {
  if (!element.isInteger(1))
    return value;
  return b.CreateZExt(value, vectorOf(b.getInt8Ty(), widthOf(value)));
}

llvm::Value *LaneBuilder::fromMemory(llvm::Value *value, Type element) {
  if (!element.isInteger(1))
    return value;
  return b.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
}

llvm::SmallVector<llvm::Value *, 2> LaneBuilder::emit(Operation *op,
                                                      llvm::ArrayRef<llvm::Value *> operands) {
  if (llvm::isa<arith::MulUIExtendedOp>(op)) {
    llvm::Type *narrow = operands[0]->getType();
    llvm::Type *wide = narrow->getExtendedType();
    llvm::Value *product =
        b.CreateMul(b.CreateZExt(operands[0], wide), b.CreateZExt(operands[1], wide));
    llvm::Value *high = b.CreateLShr(product, narrow->getScalarSizeInBits());
    return {b.CreateTrunc(product, narrow), b.CreateTrunc(high, narrow)};
  }
  if (llvm::isa<tile::AssemblyOp>(op))
    return target.emitAssembly(*this, op, operands);
  llvm::Value *result = emitInteger(op, operands);
  if (!result)
    result = emitFloat(op, operands);
  if (!result && operands.size() == 1)
    result = emitCast(op, operands[0]);
  if (!result)
    result = emitPointer(op, operands);
  if (!result)
    result = emitCompare(op, operands);
  if (!result)
    return {};
  return {result};
}

} // namespace nereid::backend
