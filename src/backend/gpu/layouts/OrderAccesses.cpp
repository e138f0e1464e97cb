// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/AccessesApart.h"
#include "analysis/Aliasing.h"
#include "analysis/AxisInfo.h"
#include "backend/gpu/Passes.h"
#include "dialect/nv/Nv.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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
  explicit Walk(func::FuncOp kernel) : kernel(kernel), aliasing(kernel) {}

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
    if (mayBeEarly(op))
      awaitEarlier(op);
    if (isBarrier(op))
      pending.clear();
    if (touches(op))
      pending.insert({op, nullptr});
  }

  static bool mayBeEarly(Operation *op) {
    return !llvm::isa<nv::SyncOp, nv::AwaitCopiesOp, tile::AssemblyOp>(op) &&
           !tile::accessOf(op).releases && touches(op);
  }

  /// By what rounds go on that alone would have the two meet, if that is a parameter's to say and
  /// nothing else has warps wait.
  std::optional<analysis::RoundsDistance> distanceOf(Earlier earlier, Operation *op) {
    auto loop = llvm::dyn_cast_or_null<scf::ForOp>(earlier.second);
    if (!loop || llvm::isa<nv::SendOp>(op) || llvm::isa<nv::SendOp>(earlier.first) ||
        !loop->isAncestor(op) || waits(loop))
      return std::nullopt;
    return analysis::distanceOfRounds(tiles, loop, tile::accessOf(earlier.first).pointer,
                                      tile::accessOf(op).pointer);
  }

  /// Before an access: a barrier, if an earlier one may be of the same element. Where only rounds
  /// that go on by less than their tiles reach would meet, and what they go on by is a parameter's
  /// to say, the barrier is for those: others need not wait for one another, if nothing else makes
  /// them.
  void awaitEarlier(Operation *op) {
    llvm::SmallVector<std::pair<scf::ForOp, analysis::RoundsDistance>> unless;
    for (Earlier earlier : pending) {
      // What is sent waits itself for what was sent before.
      const bool areSent = llvm::isa<nv::SendOp>(op) && llvm::isa<nv::SendOp>(earlier.first);
      if (areSent || !mayMeet(earlier, op))
        continue;
      std::optional<analysis::RoundsDistance> distance = distanceOf(earlier, op);
      if (!distance) {
        OpBuilder builder(op);
        nv::SyncOp::create(builder, op->getLoc());
        pending.clear();
        return;
      }
      unless.emplace_back(llvm::cast<scf::ForOp>(earlier.second), *distance);
    }
    Value meets;
    for (auto &[loop, distance] : unless) {
      OpBuilder builder(loop), here(op);
      Value meet = isWithin(builder, op->getLoc(), distance);
      meets = meets ? arith::OrIOp::create(here, op->getLoc(), meets, meet).getResult() : meet;
    }
    if (!meets)
      return;
    OpBuilder builder(op);
    auto branch = scf::IfOp::create(builder, op->getLoc(), meets, /*withElseRegion=*/false);
    OpBuilder inside = branch.getThenBodyBuilder();
    nv::SyncOp::create(inside, op->getLoc());
  }

  /// Whether warps meet in each round for something else, so that one barrier more is little;
  /// without it the assembler makes more at once, of more registers (seen of a norm's backward: 97
  /// for 80).
  static bool waits(scf::ForOp loop) {
    auto waitsItself = [](Operation *op) {
      const bool exchanges =
          llvm::isa<tile::ReduceOp, tile::ScanOp, tile::GatherOp, tile::HistogramOp, nv::ConvertOp,
                    nv::SyncOp, nv::AwaitCopiesOp>(op) ||
          tile::accessOf(op).isOrdered();
      return exchanges ? WalkResult::interrupt() : WalkResult::advance();
    };
    return loop.getBody()->walk(waitsItself).wasInterrupted();
  }

  /// Whether rounds go on by no more than tiles reach.
  Value isWithin(OpBuilder &builder, Location loc, const analysis::RoundsDistance &distance) {
    Type type = builder.getI64Type();
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
    };
    Value advance = tiles.materialize(distance.advance, builder, loc, type);
    Value fromLeast = arith::AddIOp::create(builder, loc, advance, constant(distance.reach));
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, fromLeast,
                                 constant(2 * distance.reach));
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

  /// What rounds may meet that was there before the loop meets one barrier before all of them,
  /// unless it has one in each for what rounds do to each other.
  void awaitBeforeRounds(Operation *loop, const llvm::SetVector<Earlier> &ofRounds) {
    auto meets = [&](const llvm::SetVector<Earlier> &earlier, Operation *op) {
      return llvm::any_of(earlier,
                          [&](Earlier each) { return mayMeet(each, op) && !distanceOf(each, op); });
    };
    auto waits = [&](Operation *op) {
      return mayBeEarly(op) && meets(pending, op) && !meets(ofRounds, op) ? WalkResult::interrupt()
                                                                          : WalkResult::advance();
    };
    for (Operation &op : loop->getRegion(0).front()) {
      if (isBarrier(&op))
        return;
      if (!op.walk(waits).wasInterrupted())
        continue;
      OpBuilder builder(loop);
      nv::SyncOp::create(builder, loop->getLoc());
      pending.clear();
      return;
    }
  }

  /// A branch may be taken or not; a round of a loop comes after the end of another.
  void visitRegions(Operation *op) {
    llvm::SetVector<Earlier> ofRounds, after;
    if (llvm::isa<LoopLikeOpInterface>(op)) {
      if (!op->hasAttr(nv::disjointRoundsAttr))
        addEndOfRound(op, ofRounds);
      awaitBeforeRounds(op, ofRounds);
    }
    llvm::SetVector<Earlier> before = pending;
    before.insert_range(ofRounds);
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
    return !isSame || !(areOneThreads(earlier.first, later) || isOneThreads(a.pointer));
  }

  /// The first thread acts for the others at an element.
  static bool areOneThreads(Operation *earlier, Operation *later) {
    return llvm::all_of(llvm::ArrayRef{earlier, later}, [](Operation *op) {
      return llvm::isa<tile::AtomicRmwOp>(op) && !tile::isTile(op->getResult(0).getType());
    });
  }

  bool areApart(Earlier earlier, Value pointer, Value other, Operation *later) {
    // What is sent is a box, of which the pointer is the array's.
    if (!pointer || !other || llvm::isa<nv::SendOp>(later) || llvm::isa<nv::SendOp>(earlier.first))
      return false;
    if (!earlier.second)
      return analysis::areApart(tiles, pointer, other);
    auto loop = llvm::dyn_cast<scf::ForOp>(earlier.second);
    return loop && loop->isAncestor(later) && analysis::areRoundsApart(tiles, loop, pointer, other);
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
    return analysis::isDistinct(*axes, pointer) || analysis::areElementsApart(tiles, pointer);
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
