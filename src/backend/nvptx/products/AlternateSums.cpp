// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/tiles/LoopRounds.h"
#include "backend/nvptx/Passes.h"
#include "backend/nvptx/products/ProductRegisters.h"
#include "backend/nvptx/rings/ResidentBlocks.h"
#include "dialect/nv/LaneSources.h"
#include "dialect/nv/Nv.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace nereid::backend::nvptx {

#define GEN_PASS_DEF_ALTERNATESUMS
#include "backend/nvptx/Passes.h.inc"

namespace {

/// What threads compute of what they hold, register by register.
bool isArithmetic(Operation *op) {
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         (nv::hasSourceElements(op) || llvm::isa<tile::SplatOp>(op) ||
          op->hasTrait<OpTrait::Elementwise>());
}

/// A round in two parts: what leads to its product, and what its sums are used for, which the next
/// round's product goes on beside.
class Round {
public:
  explicit Round(scf::ForOp loop) : loop(loop), body(loop.getBody()) {}

  /// Whether the round has one product, from shared memory into sums of its own, and two parts of
  /// which the first knows nothing of what rounds before made in the second.
  bool isInTwoParts() {
    auto products = llvm::to_vector(body->getOps<nv::MultiplyOp>());
    auto finishes = llvm::to_vector(body->getOps<nv::FinishOp>());
    if (products.size() != 1 || finishes.size() != 1 || body->getOps<nv::AwaitSlotOp>().empty())
      return false;
    product = products[0];
    finish = finishes[0];
    if (finish.getProducts() != product.getResult() || !product.getResult().hasOneUse() ||
        tile::isTile(product.getLhs().getType()) || product.getTurned() != nv::Turned::None ||
        !matchPattern(product.getAccumulator(), m_Constant()))
      return false;
    return findUses() && isFirstPartApart();
  }

  unsigned sums() { return sumRegisters(product); }

  /// The fewest slots of the rings that the round reads.
  unsigned leastStages() {
    unsigned least = ~0u;
    for (auto await : body->getOps<nv::AwaitSlotOp>())
      least = std::min<unsigned>(least, await.getRing().getDefiningOp<nv::RingOp>().getStages());
    return least;
  }

  /// The registers of what rounds make of the sums and carry on.
  uint64_t carriedRegisters() {
    uint64_t registers = 0;
    for (unsigned number : used)
      registers += nv::registersOf(loop.getResult(number).getType());
    return registers;
  }

  void cloneFirst(OpBuilder &builder, IRMapping &map) {
    for (Operation &op : body->without_terminator())
      if (!second.contains(&op))
        builder.clone(op, map);
  }

  /// With so many products begun behind the one whose sums these are.
  void cloneSecond(OpBuilder &builder, IRMapping &map, unsigned newer) {
    for (Operation &op : body->without_terminator()) {
      if (!second.contains(&op))
        continue;
      Operation *clone = builder.clone(op, map);
      if (auto wait = llvm::dyn_cast<nv::FinishOp>(clone))
        wait.setPending(newer);
      if (auto release = llvm::dyn_cast<nv::ReleaseOp>(clone))
        release.setPending(newer);
    }
  }

  /// Whether this is carried by the loop and made in second parts.
  bool isUsed(Value value) const {
    auto argument = llvm::dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == body && argument.getArgNumber() > 0 &&
           used.contains(argument.getArgNumber() - 1);
  }

private:
  bool isOfSecond(Value value) {
    return value.getDefiningOp() && second.contains(value.getDefiningOp());
  }

  /// The second part: the wait, what is released behind it, and what is computed from the sums or
  /// from what rounds before made of theirs; and what is computed for that alone. False if that is
  /// more than arithmetic.
  bool findUses() {
    second.insert(finish);
    for (auto release : body->getOps<nv::ReleaseOp>()) {
      if (release->isBeforeInBlock(finish) || release.getPending() != 0)
        return false;
      second.insert(release);
    }
    for (size_t known = 0; known != second.size() + used.size();) {
      known = second.size() + used.size();
      for (Operation &op : body->without_terminator())
        if (!second.contains(&op) && llvm::any_of(op.getOperands(), [&](Value operand) {
              return isUsed(operand) || isOfSecond(operand);
            })) {
          if (!isArithmetic(&op))
            return false;
          second.insert(&op);
        }
      for (auto [number, yielded] : llvm::enumerate(loop.getYieldedValues()))
        if (isOfSecond(yielded))
          used.insert(number);
    }
    for (Operation &op : llvm::reverse(body->without_terminator()))
      if (!second.contains(&op) && isArithmetic(&op) && !op.use_empty() &&
          llvm::all_of(op.getUsers(), [&](Operation *user) { return second.contains(user); }))
        second.insert(&op);
    return !used.empty();
  }

  bool isFirstPartApart() {
    for (Operation &op : body->without_terminator())
      if (op.getNumRegions() != 0)
        return false;
    for (auto [number, yielded] : llvm::enumerate(loop.getYieldedValues()))
      if (!used.contains(number) && isUsed(yielded))
        return false;
    return true;
  }

  scf::ForOp loop;
  Block *body;
  nv::MultiplyOp product;
  nv::FinishOp finish;
  llvm::SetVector<Operation *> second;
  llvm::SetVector<unsigned> used;
};

/// The loop's rounds by `together` of them, each beside the one before; and those that are left.
class Alternation {
public:
  Alternation(scf::ForOp loop, Round &round, int64_t step, int64_t together)
      : loop(loop), round(round), step(step), together(together), loc(loop.getLoc()),
        builder(loop) {}

  void run() {
    Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
    Value hasRounds = gpu::buildHasRounds(loop, builder);
    Value span = arith::SubIOp::create(builder, loc, upper, lower);
    Value beforeLast = arith::SubIOp::create(builder, loc, span, constant(1));
    Value others = arith::DivUIOp::create(builder, loc, beforeLast, constant(step));
    Value some = arith::AddIOp::create(builder, loc, others, constant(1));
    Value count = arith::SelectOp::create(builder, loc, hasRounds, some, constant(0));
    Value groups = arith::DivUIOp::create(builder, loc, count, constant(together));
    Value left = arith::RemUIOp::create(builder, loc, count, constant(together));
    Value isLeft = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, left, constant(0));

    llvm::SmallVector<Value> state = {lower};
    llvm::append_range(state, loop.getInitArgs());
    auto inGroups = scf::ForOp::create(builder, loc, constant(0), groups, constant(1), state);
    // What comes behind the last round may not be a number of the type.
    Value begin = arith::SelectOp::create(builder, loc, isLeft, inGroups.getResult(0), upper);
    loop.setLowerBound(begin);
    loop.getInitArgsMutable().assign(inGroups.getResults().drop_front());
    builder.setInsertionPointToStart(inGroups.getBody());
    buildGroup(inGroups);
  }

private:
  Value constant(int64_t value) {
    Type type = loop.getInductionVar().getType();
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
  }

  void buildGroup(scf::ForOp inGroups) {
    Value at = inGroups.getRegionIterArg(0);
    llvm::SmallVector<Value> state(inGroups.getRegionIterArgs().drop_front());
    std::vector<IRMapping> maps(together);
    for (int64_t number = 0; number < together; ++number) {
      IRMapping &map = maps[number];
      map.map(loop.getInductionVar(), at);
      map.map(loop.getRegionIterArgs(), state);
      round.cloneFirst(builder, map);
      updateState(state, map, /*ofSecond=*/false);
      if (number > 0)
        finish(state, maps[number - 1], 1);
      at = arith::AddIOp::create(builder, loc, at, constant(step));
    }
    finish(state, maps.back(), 0);
    state.insert(state.begin(), at);
    scf::YieldOp::create(builder, loc, state);
  }

  /// The second part of the round that `map` is of.
  void finish(llvm::SmallVectorImpl<Value> &state, IRMapping &map, unsigned newer) {
    for (auto [argument, value] : llvm::zip(loop.getRegionIterArgs(), state))
      if (round.isUsed(argument))
        map.map(argument, value);
    round.cloneSecond(builder, map, newer);
    updateState(state, map, /*ofSecond=*/true);
  }

  /// To what the round has made of what the loop carries, in this part.
  void updateState(llvm::SmallVectorImpl<Value> &state, const IRMapping &map, bool ofSecond) {
    auto carried = llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues());
    for (auto [value, of] : llvm::zip(state, carried))
      if (round.isUsed(std::get<0>(of)) == ofSecond)
        value = map.lookupOrDefault(std::get<1>(of));
  }

  scf::ForOp loop;
  Round &round;
  int64_t step, together;
  Location loc;
  OpBuilder builder;
};

/// Whether a second set of registers leaves an SM as many blocks as it has now.
bool hasRegisters(func::FuncOp kernel, Round &round, const Configuration &configuration) {
  const unsigned now = round.sums() + round.carriedRegisters(), both = now + round.sums();
  if (!whyNotBeside(both, configuration).empty())
    return false;
  const target::NvidiaTarget &target = configuration.target;
  if (fillsSm(target, configuration.warps, mostBytes(kernel)))
    return true;
  auto producers = kernel->getAttrOfType<IntegerAttr>(nv::producerWarpsAttr);
  const unsigned warps = configuration.warps + (producers ? producers.getInt() : 0);
  auto blocks = [&](unsigned registers) {
    return residentBlocks(target, warps, registers + configuration.policy.other_registers,
                          mostBytes(kernel));
  };
  return blocks(both) >= blocks(now);
}

struct AlternateSums final : ConfiguredPass<impl::AlternateSumsBase<AlternateSums>, AlternateSums> {
  void run(func::FuncOp kernel, const Configuration &configuration) {
    if (configuration.policy.alternating_rounds < 2)
      return;
    llvm::SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      APInt step;
      if (loop.getUnsignedCmp() || !loop.getInductionVar().getType().isInteger() ||
          !matchPattern(loop.getStep(), m_ConstantInt(&step)) || !step.isStrictlyPositive())
        continue;
      Round round(loop);
      if (!round.isInTwoParts() ||
          round.leastStages() <= unsigned(configuration.policy.enough_stages) ||
          !hasRegisters(kernel, round, configuration))
        continue;
      Alternation(loop, round, step.getSExtValue(), configuration.policy.alternating_rounds).run();
    }
  }
};

} // namespace

} // namespace nereid::backend::nvptx
