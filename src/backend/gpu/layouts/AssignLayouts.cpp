// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Slice.h"
#include "backend/gpu/Passes.h"
#include "backend/gpu/layouts/RootLayouts.h"
#include "backend/gpu/layouts/SentValues.h"
#include "backend/gpu/products/DotLayouts.h"
#include "dialect/nv/LaneSources.h"
#include "layout/Blocked.h"
#include "layout/Conversion.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

#include <bit>

using namespace mlir;

namespace nereid::backend::gpu {

using layout::LinearLayout;

namespace {

/// How many bits of its first registers' numbers a thread has in common with such a run.
size_t sharedRun(const LinearLayout &layout, std::span<const layout::Vector> neighbours) {
  size_t run = layout::runOf(neighbours), shared = 0;
  auto own = layout.bases(layout::Register);
  while (shared < run && shared < own.size() && own[shared] == neighbours[shared])
    ++shared;
  return shared;
}

/// Whether a thread's first registers go along the same neighbours, for at least half as far.
bool isAsWide(const LinearLayout &layout, std::span<const layout::Vector> neighbours) {
  return sharedRun(layout, neighbours) + 1 >= layout::runOf(neighbours);
}

/// Whether threads that the other layout has side by side touch half of a sector together, or as
/// much as with that one.
bool fillsSectors(const LinearLayout &layout, const LinearLayout &inOrder, unsigned bytes) {
  constexpr uint64_t sector = 32;
  auto lanes = inOrder.bases(layout::Lane), registers = inOrder.bases(layout::Register);
  size_t shared = 0;
  while (shared < lanes.size() && lanes[shared] &&
         llvm::is_contained(layout.bases(layout::Lane), lanes[shared]))
    ++shared;
  const uint64_t most = uint64_t(bytes) << (layout::runOf(registers) + lanes.size());
  return uint64_t(bytes) << (sharedRun(layout, registers) + shared) >= std::min(sector / 2, most);
}

/// Whether lanes go on where the first lanes of the other layout do: then neighbouring threads
/// touch the same sectors.
bool sharesSteps(const LinearLayout &layout, std::span<const layout::Vector> lanes) {
  return llvm::is_contained(layout.bases(layout::Lane), lanes[0]);
}

class Assigner {
public:
  Assigner(func::FuncOp kernel, const Configuration &configuration)
      : kernel(kernel), warps(configuration.warps), target(*configuration.instructions),
        homes(kernel, configuration) {}

  void run() {
    rewrite(kernel.getBody().front());
    eraseUnassigned();
  }

private:
  void rewrite(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
      if (!clones.contains(&op))
        rewrite(&op);
  }

  void rewrite(Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](scf::ForOp loop) { rewriteFor(loop); })
        .Case([&](scf::WhileOp loop) { rewriteWhile(loop); })
        .Case([&](scf::IfOp branch) { rewriteIf(branch); })
        .Case([&](tile::DotOp dot) {
          DotLayouts layouts = dotLayouts(dot, warps);
          move(dot.getLhsMutable(), layouts.lhs);
          move(dot.getRhsMutable(), layouts.rhs);
          move(dot.getAccumulatorMutable(), layouts.result);
          settle(dot.getResult(), layouts.result);
        })
        .Case([&](nv::MultiplyOp multiply) {
          if (tile::isTile(multiply.getLhs().getType()))
            move(multiply.getLhsMutable(), multiply.lhsLayout());
          move(multiply.getAccumulatorMutable(), multiply.resultLayout());
          settle(multiply.getResult(), multiply.resultLayout());
        })
        .Case([&](nv::MultiplyAddOp multiply) {
          move(multiply.getAccumulatorMutable(), multiply.resultLayout());
          settle(multiply.getResult(), multiply.resultLayout());
        })
        .Case([&](nv::FinishOp finish) {
          LinearLayout layout = homes.of(finish.getResult());
          move(finish.getProductsMutable(), layout);
          settle(finish.getResult(), layout);
        })
        .Case([&](nv::SendOp send) { move(send.getTileMutable(), send.tileLayout()); })
        .Case([&](nv::ReadRowOp row) {
          LinearLayout layout = homes.of(row.getResult());
          for (OpOperand &other : row.getOtherMutable())
            move(other, layout);
          settle(row.getResult(), layout);
        })
        .Case([&](nv::ReadKeptOp piece) { settle(piece.getResult(), homes.of(piece.getResult())); })
        .Case([&](nv::ProgramsOp programs) { rewrite(programs.getBody().front()); })
        .Case([&](nv::CopyOp copy) {
          moveOperands(copy, homes.copyLayoutOf(copy.getPointer(), copy.maskOfRuns()));
        })
        .Case([&](tile::ReduceOp reduce) { rewriteReduce(reduce); })
        .Default([&](Operation *other) { rewriteLanewise(other); });
  }

  /// What has a home is computed there; effects on memory where memory is touched in order, if
  /// their values are not there already.
  void rewriteLanewise(Operation *op) {
    if (op->getNumResults() == 0)
      return rewriteEffect(op);
    if (llvm::none_of(op->getResultTypes(), tile::isTile))
      return takeOperandsAsTheyLie(op);
    if (homes.settlingOf(op->getResult(0)) != Settling::Settled)
      return; // scalars; and what is cloned where it is wanted
    auto atomic = llvm::dyn_cast<tile::AtomicRmwOp>(op);
    LinearLayout layout = atomic && target.mostAtomicsTogether(atomic) > 1
                              ? writeLayout(atomic)
                              : homes.of(op->getResult(0));
    moveOperands(op, layout);
    for (Value result : op->getResults())
      settle(result, layout);
  }

  void rewriteEffect(Operation *op) {
    if (llvm::none_of(op->getOperandTypes(), tile::isTile))
      return;
    if (auto store = llvm::dyn_cast<tile::StoreOp>(op))
      return moveOperands(op, writeLayout(store));
    if (auto write = llvm::dyn_cast<nv::WriteOp>(op))
      return moveOperands(op, roomLayout(write));
    takeOperandsAsTheyLie(op);
  }

  void takeOperandsAsTheyLie(Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (tile::isTile(operand.get().getType()))
        move(operand, naturalOrDefault(operand.get()));
  }

  /// Where the value is; what is anywhere goes along the room's neighbours, many at once.
  LinearLayout roomLayout(nv::WriteOp write) {
    std::optional<LinearLayout> natural = homes.naturalLayout(write.getTile());
    return natural ? *natural
                   : homes.neighboursLayout(write.getTile().getType(), write.getTarget().getType());
  }

  LinearLayout naturalOrDefault(Value tile) {
    std::optional<LinearLayout> natural = homes.naturalLayout(tile);
    return natural ? *natural : homes.defaultLayout(tile.getType());
  }

  /// Where the values are, if that touches memory as wide as their addresses allow; else as the
  /// addresses lie.
  template <typename Op> LinearLayout writeLayout(Op op) {
    std::optional<LinearLayout> own = homes.naturalLayout(op.getValue());
    if (own && own->isInjective() && homes.isAsGoodAnywhere(op.getPointer()))
      return *own;
    LinearLayout inOrder = homes.accessLayoutOf(op.getPointer(), op.getMask());
    auto registers = inOrder.bases(layout::Register), lanes = inOrder.bases(layout::Lane);
    for (Value tile : {op.getValue(), op.getPointer()}) {
      std::optional<LinearLayout> natural = homes.naturalLayout(tile);
      const unsigned bytes = tile::byteSizeOf(tile::elementOf(op.getValue().getType()));
      if (natural && isAsWide(*natural, registers) && sharesSteps(*natural, lanes) &&
          fillsSectors(*natural, inOrder, bytes))
        return tile == op.getValue()
                   ? withoutPairs(*natural, registers, op.getPointer(), op.getMask())
                   : *natural;
    }
    const bool isSent = own && llvm::isa<tile::StoreOp>(op);
    return isSent ? homes.wholeRunsLayoutOf(op.getPointer(), op.getMask()) : inOrder;
  }

  /// Products leave pairs of words with each thread. Neighbouring lanes that exchange one of theirs
  /// for one of a later register store four, where nothing but the values must move for that.
  LinearLayout withoutPairs(const LinearLayout &layout, std::span<const layout::Vector> neighbours,
                            Value pointer, Value mask) {
    bool isFree = homes.settlingOf(pointer) == Settling::Free &&
                  (!mask || homes.settlingOf(mask) == Settling::Free);
    if (!isFree || layout::runOf(neighbours) != 2 || sharedRun(layout, neighbours) != 1)
      return layout;
    auto vectors = [&](const char *space) {
      return std::vector(layout.bases(space).begin(), layout.bases(space).end());
    };
    std::vector<layout::Vector> registers = vectors(layout::Register),
                                lanes = vectors(layout::Lane);
    auto lane = llvm::find(lanes, neighbours[1]);
    // The nearest that is further on.
    auto given = registers.end();
    for (auto it = registers.begin() + 1; it != registers.end(); ++it)
      if (*it > neighbours[1] && (given == registers.end() || *it < *given))
        given = it;
    if (lane == lanes.end() || given == registers.end())
      return layout;
    *lane = *given;
    registers.erase(given);
    registers.insert(registers.begin() + 1, neighbours[1]);
    return layout::distributed(nv::paddedShape(pointer.getType()), registers, lanes,
                               vectors(layout::Warp));
  }

  void rewriteReduce(tile::ReduceOp reduce) {
    std::optional<LinearLayout> layout;
    for (Value source : reduce.getSources())
      if (!layout)
        layout = homes.naturalLayout(source);
    if (!layout)
      layout = homes.layoutToReduce(reduce);
    for (OpOperand &operand : reduce.getSourcesMutable())
      move(operand, *layout);
    for (Value result : reduce.getResults())
      if (tile::isTile(result.getType()))
        settle(result, layout::sliced(*layout, reduce.getAxis()).layout);
  }

  void rewriteFor(scf::ForOp loop) {
    moveAll(loop.getInitArgsMutable(), loop.getRegionIterArgs());
    for (BlockArgument argument : loop.getRegionIterArgs())
      settleAtHome(argument);
    for (auto [argument, result] : llvm::zip(loop.getRegionIterArgs(), loop.getResults()))
      if (tile::isTile(result.getType()))
        settle(result, homes.of(argument));
    rewrite(*loop.getBody());
    moveAll(*loop.getYieldedValuesMutable(), loop.getRegionIterArgs());
  }

  void rewriteWhile(scf::WhileOp loop) {
    moveAll(loop.getInitsMutable(), loop.getBeforeArguments());
    for (BlockArgument argument : loop.getBeforeArguments())
      settleAtHome(argument);
    for (auto [argument, result] : llvm::zip(loop.getAfterArguments(), loop.getResults()))
      if (tile::isTile(result.getType()))
        settle(result, homes.of(argument));
    for (BlockArgument argument : loop.getAfterArguments())
      settleAtHome(argument);
    rewrite(*loop.getBeforeBody());
    moveAll(loop.getConditionOp().getArgsMutable(), loop.getAfterArguments());
    rewrite(*loop.getAfterBody());
    moveAll(loop.getYieldOp().getResultsMutable(), loop.getBeforeArguments());
  }

  void rewriteIf(scf::IfOp branch) {
    for (Value result : branch.getResults())
      settleAtHome(result);
    for (Region &region : branch->getRegions()) {
      if (region.empty())
        continue;
      rewrite(region.front());
      auto yield = llvm::cast<scf::YieldOp>(region.front().getTerminator());
      moveAll(yield.getResultsMutable(), branch.getResults());
    }
  }

  template <typename Operands> void moveAll(Operands &&operands, ValueRange targets) {
    for (auto [operand, target] : llvm::zip(operands, targets))
      if (tile::isTile(target.getType()))
        move(operand, homes.of(target));
  }

  void moveOperands(Operation *op, const LinearLayout &result) {
    for (OpOperand &operand : op->getOpOperands())
      if (tile::isTile(operand.get().getType()))
        move(operand, isTakenAnywhere(operand) ? naturalOrDefault(operand.get())
                      : liesAsFirst(operand)   ? nv::layoutOf(op->getOperand(0))
                      : op->getNumResults()    ? nv::sourceLayout(operand, result)
                                               : result);
  }

  void move(OpOperand &operand, const LinearLayout &layout) {
    operand.set(inLayout(operand.get(), layout, operand.getOwner()));
  }

  void settle(Value value, const LinearLayout &layout) {
    value.setType(nv::withLayout(value.getType(), layout));
  }
  void settleAtHome(Value value) {
    if (tile::isTile(value.getType()))
      settle(value, homes.of(value));
  }

  static bool isIn(Value value, const LinearLayout &layout) {
    const LinearLayout *own = nv::findLayout(value.getType());
    return own && *own == layout;
  }

  /// The value in this layout: itself, computed once more beside its definition, as it was sent
  /// before `user`, or made or sent there.
  Value inLayout(Value value, const LinearLayout &layout, Operation *user) {
    if (isIn(value, layout))
      return value;
    if (Value lying = lyingBefore(value, layout))
      return lying;
    if (homes.settlingOf(value) != Settling::Settled)
      return clonedIn(value, layout);
    if (Value sent = sentBefore(user, value, layout))
      return sent;
    OpBuilder builder(user);
    auto isSettled = [&](Value tile) { return homes.settlingOf(tile) == Settling::Settled; };
    if (followsFromSent(value, layout, user, isSettled) ||
        shorterSource(value, layout, target, isSettled) ||
        followsFromLying(value, layout, isSettled))
      return madeAgain(value, layout, user);
    return nv::ConvertOp::create(builder, value.getLoc(), nv::withLayout(value.getType(), layout),
                                 value);
  }

  /// By the operation that made it, of operands in this layout.
  Value madeAgain(Value value, const LinearLayout &layout, Operation *user) {
    llvm::SmallVector<Value> operands;
    for (OpOperand &operand : value.getDefiningOp()->getOpOperands()) {
      Value source = operand.get();
      operands.push_back(tile::isTile(source.getType())
                             ? inLayout(source, nv::sourceLayout(operand, layout), user)
                             : source);
    }
    Operation *again = OpBuilder(user).clone(*value.getDefiningOp());
    clones.insert(again);
    again->setOperands(operands);
    settle(again->getResult(0), layout);
    return again->getResult(0);
  }

  /// A value, and its type with the layout that is asked for.
  using InLayout = std::pair<Value, Type>;

  Value clonedIn(Value value, const LinearLayout &layout) {
    const InLayout asked{value, nv::withLayout(value.getType(), layout)};
    auto sourcesOf = [&](InLayout each, llvm::SmallVectorImpl<InLayout> &sources) {
      if (inLayouts.contains(each))
        return true;
      const LinearLayout &own = *nv::findLayout(each.second);
      Operation *op = each.first.getDefiningOp();
      if (std::optional<InLayout> once = loadedOnce(each)) {
        // Behind the load as it is made once, or where that will be made, before this.
        Value loaded = inLayouts.lookup(*once);
        OpBuilder builder(op->getContext());
        builder.setInsertionPointAfter(loaded ? loaded.getDefiningOp() : op);
        inLayouts[each] = nv::ConvertOp::create(builder, op->getLoc(), each.second, each.first);
        sources.push_back(*once);
        return true;
      }
      inLayouts[each] =
          cloneAs(op, own)->getResult(llvm::cast<OpResult>(each.first).getResultNumber());
      for (OpOperand &operand : op->getOpOperands()) {
        Value source = operand.get();
        if (!tile::isTile(source.getType()))
          continue;
        const LinearLayout wanted = nv::sourceLayout(operand, own);
        if (!isIn(source, wanted) && homes.settlingOf(source) != Settling::Settled)
          sources.emplace_back(source, nv::withLayout(source.getType(), wanted));
      }
      return true;
    };
    auto takeSources = [&](InLayout each) {
      Operation *op = each.first.getDefiningOp(), *clone = inLayouts[each].getDefiningOp();
      const LinearLayout &own = *nv::findLayout(each.second);
      if (std::optional<InLayout> once = loadedOnce(each)) {
        clone->setOperand(0, inLayouts[*once]);
        return;
      }
      for (auto [operand, original] : llvm::zip(clone->getOpOperands(), op->getOpOperands()))
        if (tile::isTile(original.get().getType()) && operand.get() == original.get())
          operand.set(inLayout(original.get(), nv::sourceLayout(original, own), clone));
    };
    if (!inLayouts.contains(asked))
      analysis::walkBack<InLayout>(asked, sourcesOf, takeSources);
    return inLayouts[asked];
  }

  /// A row of which each thread would load many is loaded once, and sent to who wants it.
  std::optional<InLayout> loadedOnce(const InLayout &each) {
    auto row = each.first.getDefiningOp<tile::LoadOp>();
    if (!row || !homes.isLoadedOnce(row, *nv::findLayout(each.second)))
      return std::nullopt;
    const LinearLayout once = homes.accessLayoutOf(row.getPointer(), row.getMask());
    if (*nv::findLayout(each.second) == once)
      return std::nullopt;
    return InLayout{each.first, nv::withLayout(each.first.getType(), once)};
  }

  /// Beside the operation, with results in this layout.
  Operation *cloneAs(Operation *op, const LinearLayout &layout) {
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Operation *clone = builder.clone(*op);
    clones.insert(clone);
    for (Value result : clone->getResults())
      settle(result, layout);
    if (auto constant = llvm::dyn_cast<arith::ConstantOp>(clone))
      constant.setValueAttr(llvm::cast<DenseElementsAttr>(constant.getValue())
                                .reshape(llvm::cast<ShapedType>(constant.getType())));
    return clone;
  }

  /// The originals of what was cloned.
  void eraseUnassigned() {
    llvm::SmallVector<Operation *> unassigned;
    kernel.walk([&](Operation *op) {
      if (llvm::any_of(op->getResultTypes(),
                       [](Type type) { return tile::isTile(type) && !nv::findLayout(type); }))
        unassigned.push_back(op);
    });
    for (Operation *op : llvm::reverse(unassigned)) {
      op->dropAllUses();
      op->erase();
    }
  }

  func::FuncOp kernel;
  unsigned warps;
  const Target &target;
  HomeLayouts homes;
  llvm::DenseMap<std::pair<Value, Type>, Value> inLayouts;
  llvm::DenseSet<Operation *> clones;
};

} // namespace

void assignLayouts(func::FuncOp kernel, const Configuration &configuration) {
  Assigner(kernel, configuration).run();
}

} // namespace nereid::backend::gpu
