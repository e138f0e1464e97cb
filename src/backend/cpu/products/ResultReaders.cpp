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

namespace {

/// Of the lines that all masks let through: one behind the last, and how many.
struct Lines {
  llvm::Value *end, *count;
};

} // namespace

static Lines emitLines(KernelEmitter &kernel, llvm::ArrayRef<LineMask> masks, int64_t lines) {
  Builder &b = kernel.builder();
  llvm::Type *i64 = b.getInt64Ty();
  llvm::AllocaInst *last = kernel.lanes().stackSlot(i64), *sum = kernel.lanes().stackSlot(i64);
  b.CreateStore(b.getInt64(0), last);
  b.CreateStore(b.getInt64(0), sum);
  int64_t extents[] = {lines};
  Nest nest(kernel, extents, {0}, 0, kernel.widthFor(masks.front().tile, lines, 1));
  nest.emit([&] {
    llvm::Value *all = nullptr;
    for (auto &[tile, at] : masks) {
      llvm::Value *mask = nest.vector(nest.evaluate(tile, at));
      all = all ? b.CreateAnd(all, mask) : mask;
    }
    llvm::Value *bits = b.CreateBitCast(all, b.getIntNTy(nest.width()));
    bits = b.CreateZExt(bits, i64);
    llvm::Value *zeros = b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, bits, b.getFalse());
    llvm::Value *end = b.CreateAdd(nest.index(0), b.CreateSub(b.getInt64(64), zeros));
    llvm::Value *before = b.CreateLoad(i64, last);
    b.CreateStore(b.CreateSelect(b.CreateIsNotNull(bits), end, before), last);
    llvm::Value *here = b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bits);
    b.CreateStore(b.CreateAdd(b.CreateLoad(i64, sum), here), sum);
  });
  return {b.CreateLoad(i64, last), b.CreateLoad(i64, sum)};
}

llvm::Value *emitLastLine(KernelEmitter &kernel, llvm::ArrayRef<LineMask> masks, int64_t lines) {
  return emitLines(kernel, masks, lines).end;
}

llvm::Value *emitPrefix(KernelEmitter &kernel, llvm::ArrayRef<LineMask> masks, int64_t lines) {
  Builder &b = kernel.builder();
  auto [end, count] = emitLines(kernel, masks, lines);
  return b.CreateSelect(b.CreateICmpEQ(end, count), end, b.getInt64(-1));
}

bool splitMask(Value mask, Coordinates at, std::array<llvm::SmallVector<LineMask, 2>, 2> &masks) {
  if (!tile::isTile(mask.getType()))
    return false;
  for (auto [dim, size] : llvm::enumerate(tile::shapeOf(mask.getType())))
    if (size == 1)
      at[dim] = none;
  bool isOf[] = {llvm::is_contained(at, 0), llvm::is_contained(at, 1)};
  if (isOf[0] != isOf[1]) {
    Coordinates along = at;
    for (int &dim : along)
      dim = dim == none ? none : 0;
    masks[isOf[1]].push_back({mask, along});
    return true;
  }
  Operation *op = mask.getDefiningOp();
  const bool isMoved = op && tile::movesLanes(op) && tile::isLanewise(op);
  if (!isOf[0] || (!isMoved && !llvm::isa_and_nonnull<arith::AndIOp>(op)))
    return false;
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    return tile::isTile(operand.get().getType()) &&
           splitMask(operand.get(), tile::mapThrough(tile::laneMapOf(operand), at), masks);
  });
}

} // namespace nereid::backend::cpu
