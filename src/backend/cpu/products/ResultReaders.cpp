// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/cpu/products/ResultReaders.h"

#include "backend/cpu/emit/KernelEmitter.h"
#include "dialect/tile/Access.h"
#include "dialect/tile/Elements.h"

using namespace mlir;

namespace nereid::backend::cpu {

ResultReaders::ResultReaders(tile::DotOp dot) : outermost(dot) {
  llvm::SmallVector<Value> work = {dot.getResult()};
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    for (OpOperand &use : value.getUses())
      isWhole &= read(use, work);
  }
}

/// Goes on to what is computed from it lane for lane; false if it is read otherwise.
bool ResultReaders::read(OpOperand &use, llvm::SmallVectorImpl<Value> &work) {
  Operation *reader = use.getOwner();
  if (auto store = llvm::dyn_cast<tile::StoreOp>(reader)) {
    found.push_back(store);
    return use.get() == store.getValue();
  }
  if (llvm::isa<scf::YieldOp>(reader)) {
    auto loop = llvm::dyn_cast<scf::ForOp>(reader->getParentOp());
    if (!loop)
      return false;
    if (loop->isProperAncestor(outermost))
      outermost = loop;
    work.push_back(loop.getRegionIterArgs()[use.getOperandNumber()]);
    work.push_back(loop.getResults()[use.getOperandNumber()]);
    return true;
  }
  if (auto loop = llvm::dyn_cast<scf::ForOp>(reader)) {
    Value argument = loop.getTiedLoopRegionIterArg(&use);
    if (!argument)
      return false;
    work.append({argument, loop.getTiedLoopResult(&use)});
    return true;
  }
  auto dot = llvm::dyn_cast<tile::DotOp>(reader);
  bool isSum = dot && use.get() == dot.getAccumulator() && use.get() != dot.getLhs() &&
               use.get() != dot.getRhs();
  bool isLane = !dot && tile::isLanewise(reader) && !tile::accessOf(reader).touchesMemory() &&
                tile::isLaneForLane(use);
  if (!isSum && !isLane)
    return false;
  llvm::append_range(work, reader->getResults());
  return true;
}

std::optional<llvm::SmallVector<Value>> scalarsOf(Value tile, Operation *carrier,
                                                  const StoragePlan &plan) {
  llvm::SmallVector<Value> work = {tile}, scalars;
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    Operation *made = value.getDefiningOp();
    bool isTile = tile::isTile(value.getType());
    if (!isTile)
      scalars.push_back(value);
    // What is there before the loop that carries the sums, and in each of its rounds.
    if (value.getParentBlock()->findAncestorOpInBlock(*carrier) && !made)
      continue;
    bool isArithmetic = made && made->getNumRegions() == 0 && !KernelEmitter::isRoot(made) &&
                        !tile::accessOf(made).touchesMemory();
    if (isArithmetic && !(isTile && plan.isStored(value))) {
      llvm::append_range(work, made->getOperands());
      continue;
    }
    Operation *place = made ? value.getParentBlock()->findAncestorOpInBlock(*carrier) : nullptr;
    if (isTile || !place || !made->isBeforeInBlock(place))
      return std::nullopt;
  }
  return scalars;
}

bool addLineMasks(Value mask, Coordinates at, llvm::SmallVectorImpl<LineMask> &masks) {
  if (!tile::isTile(mask.getType()))
    return false;
  for (auto [dim, size] : llvm::enumerate(tile::shapeOf(mask.getType())))
    if (size == 1)
      at[dim] = none;
  if (llvm::is_contained(at, 0) && !llvm::is_contained(at, 1)) {
    masks.push_back({mask, at});
    return false;
  }
  Operation *op = mask.getDefiningOp();
  const bool isMoved = op && tile::movesLanes(op) && tile::isLanewise(op);
  if (!isMoved && !llvm::isa_and_nonnull<arith::AndIOp>(op))
    return llvm::is_contained(at, 0);
  bool isMixed = false;
  for (OpOperand &operand : op->getOpOperands())
    if (tile::isTile(operand.get().getType()))
      isMixed |= addLineMasks(operand.get(), tile::mapThrough(tile::laneMapOf(operand), at), masks);
  return isMixed;
}

llvm::Value *emitLastLine(KernelEmitter &kernel, llvm::ArrayRef<LineMask> masks, int64_t lines) {
  Builder &b = kernel.builder();
  llvm::AllocaInst *last = kernel.lanes().stackSlot(b.getInt64Ty());
  b.CreateStore(b.getInt64(0), last);
  int64_t extents[] = {lines};
  Nest nest(kernel, extents, {0}, 0, kernel.widthFor(masks.front().tile, lines, 1));
  nest.emit([&] {
    llvm::Value *all = nullptr;
    for (auto &[tile, at] : masks) {
      llvm::Value *mask = nest.vector(nest.evaluate(tile, at));
      all = all ? b.CreateAnd(all, mask) : mask;
    }
    llvm::Value *bits = b.CreateBitCast(all, b.getIntNTy(nest.width()));
    bits = b.CreateZExt(bits, b.getInt64Ty());
    llvm::Value *zeros = b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, bits, b.getFalse());
    llvm::Value *end = b.CreateAdd(nest.index(0), b.CreateSub(b.getInt64(64), zeros));
    llvm::Value *before = b.CreateLoad(b.getInt64Ty(), last);
    b.CreateStore(b.CreateSelect(b.CreateIsNotNull(bits), end, before), last);
  });
  return b.CreateLoad(b.getInt64Ty(), last);
}

} // namespace nereid::backend::cpu
