// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Aliasing.h"

#include "dialect/nv/Nv.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace nereid::analysis {
namespace {

/// What a pointer was computed from: arguments of the kernel, or addresses of memory of the block's
/// own; several where a branch, a choice or a loop hands one on.
class Places {
public:
  explicit Places(Value pointer) { isKnown = pointer && add(pointer); }

  bool areKnown() const { return isKnown; }
  auto begin() const { return places.begin(); }
  auto end() const { return places.end(); }

private:
  /// False if it cannot be seen.
  bool add(Value pointer) {
    if (!seen.insert(pointer).second)
      return true;
    if (auto argument = llvm::dyn_cast<BlockArgument>(pointer))
      return addArgument(argument);
    Operation *op = pointer.getDefiningOp();
    const unsigned number = llvm::cast<OpResult>(pointer).getResultNumber();
    if (auto answering = llvm::dyn_cast<tile::LaneOpInterface>(op))
      if (Value source = answering.getPointerSource())
        return add(source);
    if (auto select = llvm::dyn_cast<arith::SelectOp>(op))
      return add(select.getTrueValue()) && add(select.getFalseValue());
    if (auto branch = llvm::dyn_cast<scf::IfOp>(op))
      return add(branch.thenYield().getOperand(number)) &&
             add(branch.elseYield().getOperand(number));
    if (auto loop = llvm::dyn_cast<scf::ForOp>(op))
      return add(loop.getRegionIterArg(number));
    if (!tile::ownMemoryOf(pointer))
      return false;
    places.insert(pointer);
    return true;
  }

  bool addArgument(BlockArgument argument) {
    auto loop = llvm::dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr)
      return add(init->get()) && add(loop.getTiedLoopYieldedValue(argument)->get());
    if (!tile::baseOf(argument))
      return false;
    places.insert(argument);
    return true;
  }

  bool isKnown;
  llvm::SmallSetVector<Value, 2> places;
  llvm::SmallPtrSet<Value, 8> seen;
};

bool isOwn(Value place) { return llvm::isa<OpResult>(place); }

/// Whether an operation waits for threads of its own program alone, whose writes are seen in it.
bool isBarrierOfOwn(Operation *op) {
  if (llvm::isa<nv::SyncOp>(op))
    return true;
  if (!llvm::isa<tile::BarrierOp>(op))
    return false;
  auto kernel = op->getParentOfType<func::FuncOp>();
  return !tile::blockOf(kernel) && !tile::handsOver(kernel);
}

} // namespace

bool Aliasing::mayMeet(Value pointer, Value other) const {
  const Places places(pointer), others(other);
  if (!places.areKnown() || !others.areKnown())
    return true;
  // What a block has for itself is nobody else's.
  return llvm::any_of(places, [&](Value place) {
    return llvm::any_of(others, [&](Value otherPlace) {
      return place == otherPlace || (!isOwn(place) && !isOwn(otherPlace) && !areArgumentsApart);
    });
  });
}

bool Aliasing::mayWrite(Operation *op, tile::LoadOp load) const {
  tile::Access access = tile::accessOf(op);
  return op->getNumRegions() == 0 && access.writes && mayMeet(load.getPointer(), access.pointer);
}

Operation *Aliasing::findWriter(tile::LoadOp load, Operation *scope) const {
  Operation *writer = nullptr;
  scope->walk([&](Operation *op) {
    const bool waits = op->getNumRegions() == 0 && tile::accessOf(op).isOrdered();
    if (!(waits || mayWrite(op, load)) || isBarrierOfOwn(op))
      return WalkResult::advance();
    writer = op;
    return WalkResult::interrupt();
  });
  return writer;
}

bool Aliasing::isUnwrittenHere(tile::LoadOp load, Operation *scope) const {
  auto writes = [&](Operation *op) {
    const bool isBarrier = llvm::isa<nv::SyncOp, tile::BarrierOp>(op);
    return !isBarrier && mayWrite(op, load) ? WalkResult::interrupt() : WalkResult::advance();
  };
  return !scope->walk(writes).wasInterrupted();
}

} // namespace nereid::analysis
