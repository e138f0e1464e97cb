// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/AffineTiles.h"
#include "analysis/FirstRound.h"
#include "backend/gpu/tiles/LoopRounds.h"
#include "backend/nvptx/Passes.h"
#include "backend/nvptx/products/ProductRegisters.h"
#include "backend/nvptx/rings/ResidentBlocks.h"
#include "dialect/nv/Nv.h"
#include "dialect/tile/Remark.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace nereid::backend::nvptx {

#define GEN_PASS_DEF_DELAYPRODUCTS
#include "backend/nvptx/Passes.h.inc"

namespace {

/// The slot that a factor is read from, perhaps turned.
nv::SlotOp slotOf(Value factor) {
  while (auto view = factor.getDefiningOp<nv::ViewOp>())
    factor = view.getSource();
  return factor.getDefiningOp<nv::SlotOp>();
}

class Delay {
public:
  explicit Delay(nv::FinishOp finish)
      : finish(finish), multiply(finish.getProducts().getDefiningOp<nv::MultiplyOp>()),
        loop(llvm::cast<scf::ForOp>(finish->getParentOp())), loc(finish.getLoc()), builder(loop),
        slot(slotOf(multiply.getRhs())),
        await(slot ? slot.getIndex().getDefiningOp<nv::AwaitSlotOp>() : nullptr),
        number(finish.getResult().use_begin()->getOperandNumber()) {
    for (Value factor = multiply.getRhs(); slot && factor != slot.getResult();
         factor = views.back()->getOperand(0))
      views.push_back(factor.getDefiningOp());
  }

  /// Not beside a product that stays in flight, which is counted by rounds.
  bool isPossible() {
    if (!loop.getBody()->getOps<nv::AwaitProductsOp>().empty())
      return false;
    if (!slot || slot->getBlock() != loop.getBody() || !tile::isTile(multiply.getLhs().getType()))
      return false;
    return !await || (await.getIndex().hasOneUse() && slot.getResult().hasOneUse() &&
                      llvm::all_of(views, [](Operation *view) { return view->hasOneUse(); }));
  }

  nv::MultiplyOp product() const { return multiply; }

  void run() {
    auto branch =
        scf::IfOp::create(builder, loc, loop.getResultTypes(), buildHasRounds(loop, builder),
                          /*withElseRegion=*/true);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, loop.getInitArgs());
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, loc, rounds());
    loop.replaceAllUsesWith(branch.getResults());
    loop.erase();
  }

private:
  /// All rounds, of which there is at least one; what the loop gives.
  llvm::SmallVector<Value> rounds() {
    IRMapping first;
    first.map(loop.getInductionVar(), loop.getLowerBound());
    first.map(loop.getRegionIterArgs(), loop.getInitArgs());
    for (Operation &op : loop.getBody()->without_terminator())
      if (!isDelayed(&op))
        builder.clone(op, first);
    auto rest = scf::ForOp::create(builder, loc, secondRound(), loop.getUpperBound(),
                                   loop.getStep(), stateAfter(first));
    rest.setUnsignedCmp(loop.getUnsignedCmp());
    buildRound(rest);
    builder.setInsertionPointAfter(rest);
    llvm::SmallVector<Value> results(rest.getResults().take_front(loop.getNumResults()));
    Value products = delayed(rest.getResults());
    results[number] = nv::FinishOp::create(builder, loc, products);
    return results;
  }

  bool isDelayed(Operation *op) { return op == multiply || op == finish || isWayToSlot(op); }

  /// The tile is awaited by the product itself.
  bool isWayToSlot(Operation *op) {
    return await && (op == await || op == slot || llvm::is_contained(views, op));
  }

  /// Where the induction variable of a second round would be; the end, if there is none. (Their sum
  /// may wrap.)
  Value secondRound() {
    Value lower = loop.getLowerBound(), upper = loop.getUpperBound(), step = loop.getStep();
    Value left = arith::SubIOp::create(builder, loc, upper, lower);
    Value hasSecond = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt, left, step);
    Value next = arith::AddIOp::create(builder, loc, lower, step);
    auto begin = arith::SelectOp::create(builder, loc, hasSecond, next, upper);
    begin->setAttr(analysis::firstRoundAttr, builder.getUnitAttr());
    return begin;
  }

  /// What goes from a round to the next: what the loop carries, with the sums before the product;
  /// and the product's left factor and, if it is not awaited when it is wanted, the slot of its
  /// right one.
  llvm::SmallVector<Value> stateAfter(const IRMapping &round) {
    llvm::SmallVector<Value> state;
    for (Value yielded : loop.getYieldedValues())
      state.push_back(round.lookupOrDefault(yielded));
    state[number] = round.lookupOrDefault(multiply.getAccumulator());
    state.push_back(round.lookupOrDefault(multiply.getLhs()));
    if (!await)
      state.push_back(round.lookupOrDefault(slot.getIndex()));
    return state;
  }

  /// The product of the round before, begun.
  Value delayed(ValueRange state) {
    IRMapping map;
    auto ofDelayed = state.drop_front(loop.getNumResults());
    Value index = await ? builder.clone(*await)->getResult(0) : ofDelayed[1];
    map.map(slot.getResult(), nv::SlotOp::create(builder, loc, slot.getRoom(), index).getResult());
    for (Operation *view : llvm::reverse(views))
      builder.clone(*view, map);
    map.map(multiply.getLhs(), ofDelayed[0]);
    map.map(multiply.getAccumulator(), state[number]);
    return builder.clone(*multiply, map)->getResult(0);
  }

  /// Whether a round has nothing to wait for but this product, and does nothing else with its sums.
  bool isAlone() {
    return llvm::none_of(loop.getBody()->without_terminator(), [&](Operation &op) {
      return !isDelayed(&op) &&
             (llvm::isa<nv::FinishOp>(op) ||
              llvm::is_contained(op.getOperands(), loop.getRegionIterArg(number)));
    });
  }

  void buildRound(scf::ForOp rest) {
    builder.setInsertionPointToStart(rest.getBody());
    IRMapping map;
    map.map(loop.getInductionVar(), rest.getInductionVar());
    map.map(loop.getRegionIterArgs(), rest.getRegionIterArgs().take_front(loop.getNumResults()));
    BlockArgument sums = loop.getRegionIterArg(number);
    Value products;
    auto begin = [&] { products = delayed(rest.getRegionIterArgs()); };
    auto finish = [&] { map.map(sums, nv::FinishOp::create(builder, loc, products).getResult()); };
    bool isFinished = false;
    if (isAlone())
      begin();
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (isDelayed(&op))
        continue;
      // Beside the product that is waited for first, which is older.
      bool isFirstWait = !products && llvm::isa<nv::FinishOp>(op);
      if (isFirstWait)
        begin();
      if (llvm::is_contained(op.getOperands(), sums)) {
        if (!products)
          begin();
        finish();
        isFinished = true;
      }
      Operation *clone = builder.clone(op, map);
      if (isFirstWait)
        llvm::cast<nv::FinishOp>(clone).setPending(1);
    }
    if (!isFinished)
      finish();
    scf::YieldOp::create(builder, loc, stateAfter(map));
  }

  nv::FinishOp finish;
  nv::MultiplyOp multiply;
  scf::ForOp loop;
  Location loc;
  OpBuilder builder;
  nv::SlotOp slot;
  nv::AwaitSlotOp await;                // of the slot's tile; null if all threads await it together
  llvm::SmallVector<Operation *> views; // of the slot, the last first
  unsigned number;
};

/// Whether there are rounds enough for one to go on beside another, as far as bounds tell.
bool mayHaveManyRounds(scf::ForOp loop, int64_t few) {
  analysis::AffineTiles tiles;
  auto lower = tiles.of(loop.getLowerBound()), upper = tiles.of(loop.getUpperBound());
  APInt step;
  if (!lower || !upper || !matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return true;
  auto length = analysis::Polynomial::difference(upper->start, lower->start);
  std::optional<int64_t> elements = length ? length->constant() : std::nullopt;
  return !elements || *elements > few * step.getSExtValue();
}

/// Why a thread has no room for both products, or fewer warpgroups would share an SM than without
/// and than the tensor cores want; empty if it is worth its registers.
std::string whyNotWorthItsRegisters(nv::MultiplyOp multiply, func::FuncOp kernel,
                                    const Configuration &configuration) {
  constexpr unsigned warpsOfGroup = 4;
  const target::NvidiaTarget &target = configuration.target;
  const Policy &policy = configuration.policy;
  unsigned warps = configuration.warps;
  uint64_t bytes = bytesAt(multiply->getParentOp(), kernel);
  unsigned sums = 0;
  for (auto other : multiply->getBlock()->getOps<nv::MultiplyOp>())
    if (other != multiply)
      sums = std::max(sums, sumRegisters(other));
  sums += sumRegisters(multiply);
  // What does not fit is spilled, and the assembler lets products wait for each other.
  std::string reason = whyNotBeside(sums + leftRegisters(multiply), configuration);
  if (!reason.empty())
    return reason;
  bool hasProducer = false, turns = false;
  kernel.walk([&](nv::FetchOp fetch) {
    hasProducer = true;
    turns |= bool(fetch.getTurned());
  });
  const unsigned all = sums + leftRegisters(multiply) + policy.other_registers,
                 moved = turns ? movedRegistersBesideTurning : movedRegisters;
  if (hasProducer && warps == warpsOfTwoGroups && all > moved)
    return llvm::formatv("both products take {0} registers, of {1} that a thread has", all, moved);
  if (fillsSm(target, warps, bytes))
    return "";
  auto warpgroups = [&](unsigned tileRegisters) {
    const unsigned registers = tileRegisters + policy.other_registers;
    // nvptx-give-roles moves registers to those that multiply then, of the one block of an SM.
    if (hasProducer && needsMovedRegisters(target, warps, registers))
      return warps / warpsOfGroup;
    return residentBlocks(target, warps + hasProducer, registers, bytes) * warps / warpsOfGroup;
  };
  unsigned delayed = warpgroups(sums + leftRegisters(multiply)), now = warpgroups(sums);
  if (delayed >= policy.busy_warpgroups || delayed >= now)
    return "";
  return llvm::formatv("of such programs {0} warps would share a multiprocessor, and now {1} do",
                       delayed * warpsOfGroup, now * warpsOfGroup);
}

struct DelayProducts final : ConfiguredPass<impl::DelayProductsBase<DelayProducts>, DelayProducts> {
  void run(func::FuncOp kernel, const Configuration &configuration) {
    // One of a loop: of a second one, the wait for the first would take away the gain.
    llvm::MapVector<Operation *, nv::FinishOp> ofLoops;
    kernel.walk([&](nv::FinishOp finish) {
      if (finish.getMayBeDelayed())
        ofLoops.insert({finish->getParentOp(), finish});
    });
    for (auto [loop, finish] : ofLoops) {
      Delay delay(finish);
      if (!delay.isPossible())
        continue;
      if (!mayHaveManyRounds(llvm::cast<scf::ForOp>(loop), configuration.policy.delayed_rounds)) {
        tile::remark(delay.product(), RemarkId::product_not_delayed);
        continue;
      }
      std::string reason = whyNotWorthItsRegisters(delay.product(), kernel, configuration);
      if (reason.empty())
        delay.run();
      else
        tile::remark(delay.product(), RemarkId::product_delay_registers, reason);
    }
  }
};

} // namespace

} // namespace nereid::backend::nvptx
