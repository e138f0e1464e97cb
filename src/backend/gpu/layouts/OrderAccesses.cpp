// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/AccessesApart.h"
#include "analysis/Aliasing.h"
#include "analysis/AxisInfo.h"
#include "backend/gpu/Passes.h"
#include "dialect/nv/Nv.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace nereid::backend::gpu {

namespace {

bool touches(Operation *op) {
  tile::Access access = tile::accessOf(op);
  return op->getNumRegions() == 0 && (access.reads || access.writes);
}

/// An access, and the loop of which it may have been an earlier round; null in this one.
using Earlier = std::pair<Operation *, Operation *>;

class Walk {
public:
  explicit Walk(func::FuncOp kernel)
      : kernel(kernel), aliasing(kernel) {}

  void visit(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
      visit(&op);
  }

private:
  void visit(Operation *op) {
    if (llvm::isa<tile::ReduceOp>(op))
      return;
    if (op->getNumRegions() > 0)
      return visitRegions(op);
    // An author's instructions order what their thread does, and may stand where other threads do
    // not come: no barrier is put before them, and they are none.
    if (llvm::isa<tile::AssemblyOp>(op)) {
      if (touches(op))
        pending.insert({op, nullptr});
      return;
    }
    tile::Access access = tile::accessOf(op);
    bool mayBeEarly =
        !llvm::isa<nv::SyncOp, nv::AwaitCopiesOp>(op) && !access.releases && touches(op);
    if (mayBeEarly &&
        llvm::any_of(pending, [&](Earlier earlier) { return mayMeet(earlier, op); })) {
      OpBuilder builder(op);
      nv::SyncOp::create(builder, op->getLoc());
      pending.clear();
    }
    if (isBarrier(op))
      pending.clear();
    if (touches(op))
      pending.insert({op, nullptr});
  }

  /// What releases waits for all threads before it, what acquires lets them wait behind it.
  static bool isBarrier(Operation *op) {
    return llvm::isa<nv::SyncOp, nv::AwaitCopiesOp>(op) ||
           (!llvm::isa<tile::AssemblyOp>(op) && tile::accessOf(op).isOrdered());
  }

  /// The accesses of a round that those of the next may meet: behind the last barrier that each
  /// round has.
  static void addEndOfRound(Operation *loop, llvm::SetVector<Earlier> &accesses) {
    auto add = [&](Operation *inner) {
      if (touches(inner))
        accesses.insert({inner, loop});
    };
    if (!llvm::isa<scf::ForOp>(loop)) {
      loop->walk(add);
      return;
    }
    for (Operation &op : llvm::reverse(loop->getRegion(0).front())) {
      op.walk(add);
      if (isBarrier(&op))
        return;
    }
  }

  /// A branch may be taken or not; a round of a loop comes after the end of another.
  void visitRegions(Operation *op) {
    llvm::SetVector<Earlier> before = pending, after;
    if (llvm::isa<LoopLikeOpInterface>(op) && !op->hasAttr(nv::disjointRoundsAttr))
      addEndOfRound(op, before);
    after = before;
    for (Region &region : op->getRegions()) {
      pending = before;
      for (Block &block : region)
        visit(block);
      after.insert(pending.begin(), pending.end());
    }
    pending = after;
  }

  bool mayMeet(Earlier earlier, Operation *later) {
    tile::Access a = tile::accessOf(earlier.first), c = tile::accessOf(later);
    if (!a.writes && !c.writes)
      return false;
    if (!aliasing.mayMeet(a.pointer, c.pointer) || areApart(earlier, a.pointer, c.pointer, later))
      return false;
    // What is computed in the loop is another address in each round.
    bool isSame = a.pointer && a.pointer == c.pointer &&
                  !(earlier.second && isMadeIn(earlier.second, a.pointer));
    return !isSame || !isOneThreads(a.pointer);
  }

  bool areApart(Earlier earlier, Value pointer, Value other, Operation *later) {
    // What is sent is a box, of which the pointer is the array's.
    if (!pointer || !other || llvm::isa<nv::SendOp>(later) || llvm::isa<nv::SendOp>(earlier.first))
      return false;
    if (!earlier.second)
      return analysis::areApart(tiles, pointer, other);
    auto loop = llvm::dyn_cast<scf::ForOp>(earlier.second);
    return loop && loop->isAncestor(later) &&
           analysis::areRoundsApart(tiles, loop, pointer, other);
  }

  static bool isMadeIn(Operation *loop, Value value) {
    return loop->isAncestor(value.getParentBlock()->getParentOp());
  }

  /// Whether each element in memory is one thread's alone, which keeps its own accesses in order.
  bool isOneThreads(Value pointer) {
    if (!tile::isTile(pointer.getType()) || !nv::layoutOf(pointer).isInjective())
      return false;
    if (!axes)
      axes.emplace(kernel);
    return analysis::isDistinct(*axes, pointer);
  }

  func::FuncOp kernel;
  analysis::Aliasing aliasing;
  analysis::AffineTiles tiles{analysis::AffineTiles::Remainders::AreUnknown};
  std::optional<analysis::AxisAnalysis> axes; // which few kernels need
  llvm::SetVector<Earlier> pending;
};

} // namespace

void orderAccesses(func::FuncOp kernel, const Configuration &) {
  Walk(kernel).visit(kernel.getBody().front());
}

} // namespace nereid::backend::gpu
