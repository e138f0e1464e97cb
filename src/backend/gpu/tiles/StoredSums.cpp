// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/tiles/StoredSums.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nereid::backend::gpu {

/// The extent of all its sums; 0 if it is not the same, or there are none.
int64_t StoredSums::extentOf(scf::ForOp loop) const {
  llvm::SmallSetVector<int64_t, 2> counts;
  for (Value sums : carriedSums(loop))
    counts.insert(tile::shapeOf(sums.getType())[dim]);
  return counts.size() == 1 ? counts[0] : 0;
}

int64_t StoredSums::registersOf(Type tile) const {
  return llvm::divideCeil(tile::elementCount(tile), threads);
}

int64_t StoredSums::registersOf(scf::ForOp loop) const {
  int64_t registers = 0;
  for (Value sums : carriedSums(loop))
    registers += registersOf(sums.getType());
  return registers;
}

bool StoredSums::find(scf::ForOp loop, llvm::function_ref<bool(int64_t pieces)> isEnough) {
  stores.clear();
  asked.clear();
  loops.clear();
  extent = extentOf(loop);
  if (extent == 0)
    return false;
  llvm::SetVector<Value> values;
  for (auto [result, argument] : llvm::zip(loop.getResults(), loop.getRegionIterArgs()))
    if (isCarriedSum(argument))
      values.insert(result);
  loops.insert(loop);
  for (size_t i = 0; i < values.size(); ++i)
    for (OpOperand &use : values[i].getUses())
      if (!follow(use, values))
        return false;
  // What else they give goes from one of them to the next, or nowhere.
  for (Operation *each : loops)
    for (Value result : each->getResults())
      if (!values.contains(result) && !endsIn(loops, result))
        return false;
  length = extent;
  for (int64_t pieces = 1; !isEnough(pieces) && length % 2 == 0; pieces *= 2)
    length /= 2;
  // The tensor cores take so many rows of a warp; fewer columns read left factors too often.
  constexpr int64_t leastRows = 16, leastColumns = 128;
  bool isDivided = length >= (dim == Rows ? leastRows * warps : leastColumns) && length < extent;
  return isDivided && !stores.empty() && isFreeOfOtherWrites() &&
         llvm::all_of(stores, [&](tile::StoreOp store) {
           return llvm::all_of(store->getOperands(), [&](Value operand) {
             return !tile::isTile(operand.getType()) || mayTakePiece(operand, dim);
           });
         });
}

bool StoredSums::endsIn(const llvm::SetVector<Operation *> &loops, Value value) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    return loops.contains(user) ||
           (user->getNumRegions() == 0 && isMemoryEffectFree(user) &&
            llvm::all_of(user->getResults(), [&](Value result) { return endsIn(loops, result); }));
  });
}

bool StoredSums::follow(OpOperand &use, llvm::SetVector<Value> &values) {
  Operation *user = use.getOwner();
  if (user->getBlock() != &body)
    return false;
  if (auto store = llvm::dyn_cast<tile::StoreOp>(user)) {
    if (!llvm::is_contained(stores, store))
      stores.push_back(store);
    return true;
  }
  if (auto next = llvm::dyn_cast<scf::ForOp>(user)) {
    loops.insert(next);
    BlockArgument argument = next.getTiedLoopRegionIterArg(&use);
    if (!argument || !isCarriedSum(argument) || extentOf(next) != extent)
      return false;
    values.insert(next.getTiedLoopResult(argument));
    return true;
  }
  if (!hasPieces(user) || dimOfOperand(use, dim) != dim)
    return false;
  values.insert(user->getResult(0));
  return true;
}

/// Up to the last store nothing else writes or waits, and the stores write what nobody reads there:
/// all of it may be computed at the last store.
bool StoredSums::isFreeOfOtherWrites() {
  llvm::sort(stores, [](tile::StoreOp a, tile::StoreOp c) { return a->isBeforeInBlock(c); });
  auto meetsOneOf = [&](llvm::ArrayRef<tile::StoreOp> some, Value pointer) {
    return llvm::any_of(
        some, [&](tile::StoreOp store) { return aliasing.mayMeet(store.getPointer(), pointer); });
  };
  for (auto [i, store] : llvm::enumerate(stores))
    if (meetsOneOf(llvm::ArrayRef(stores).take_front(i), store.getPointer()))
      return false;
  for (Operation &op : body) {
    if (&op == stores.back())
      return true;
    WalkResult found = op.walk([&](Operation *inner) {
      tile::Access access = tile::accessOf(inner);
      if (inner->getNumRegions() > 0 || llvm::is_contained(stores, inner) ||
          !access.touchesMemory())
        return WalkResult::advance();
      bool isApart = !access.isOrdered() && !access.writes && !meetsOneOf(stores, access.pointer);
      return isApart ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (found.wasInterrupted())
      return false;
  }
  return true;
}

bool StoredSums::mayTakePiece(Value value, unsigned along) {
  if (!asked.insert({value, along}).second)
    return true;
  if (auto argument = llvm::dyn_cast<BlockArgument>(value))
    return along == dim && isCarriedSum(argument);
  Operation *op = value.getDefiningOp();
  if (auto loop = llvm::dyn_cast<scf::ForOp>(op)) {
    if (loop->getBlock() != &body || extentOf(loop) != extent || along != dim ||
        !keepsSumsApart(loop, dim))
      return false;
    for (auto [argument, init, yielded] :
         llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs(), loop.getYieldedValues()))
      if (isCarriedSum(argument) && !(mayTakePiece(init, dim) && mayTakePiece(yielded, dim)))
        return false;
    return true;
  }
  return hasPieces(op) && llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
           std::optional<unsigned> at = dimOfOperand(operand, along);
           return !at || mayTakePiece(operand.get(), *at);
         });
}

} // namespace nereid::backend::gpu
