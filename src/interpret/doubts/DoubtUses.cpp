// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a doubt becomes a mistake.
#include "dialect/tile/Access.h"
#include "dialect/tile/Tile.h"
#include "interpret/LaneAccess.h"
#include "interpret/doubts/Doubts.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;

namespace nereid::interpret {

namespace {

/// A value that something is done with that matters.
struct Use {
  Shadow shadow;
  Slot value, mask; // without data: all lanes
  DoubtUse how;
  DoubtKinds kinds;
  Location location;
};

/// Of a number that was born infinite somewhere, only what is so still is worth a word.
bool isFiniteNow(const Use &use, int64_t lane) {
  return !isFloat(use.value.kind) || visitFloat(use.value.kind, [&](auto element) {
    using T = typename decltype(element)::Storage;
    return std::isfinite(double(element.load(use.value.as<T>()[lane])));
  });
}

void report(const Use &use, const DoubtSites &sites, Execution &execution) {
  if (!use.shadow.isAny())
    return;
  for (int64_t lane = 0; lane < use.shadow.count; ++lane) {
    uint8_t doubt = use.shadow.lanes[lane];
    bool takesPart = !use.mask.data || use.mask.as<uint8_t>()[lane];
    if (!takesPart || !sites.isOf(doubt, use.kinds))
      continue;
    const DoubtSites::Site &site = sites[doubt];
    if (site.kind == DoubtKind::NotFinite && isFiniteNow(use, lane))
      continue;
    execution.observer.doubtMatters({site.kind, site.location, use.how, use.location,
                                     execution.program, lane, use.value.capacity > 1, site.bits});
  }
}

} // namespace

Step Doubts::useOf(Planner &planner, Operation &op, Value value, DoubtUse how, DoubtKinds kinds,
                   Value mask) {
  Slot shadow = value ? planner.shadowOf(value) : Slot();
  if (!shadow.data || !(analysis.kindsOf(value) & kinds))
    return {};
  Use use{Shadow(shadow), planner.slotOf(value), optionalSlot(planner, mask), how, kinds,
          op.getLoc()};
  return [use, &sites = sites](Execution &execution) { report(use, sites, execution); };
}

Step Doubts::usesByAccess(Planner &planner, Operation &op) {
  tile::Access access = tile::accessOf(&op);
  if (!access.pointer)
    return {};
  std::vector<Step> steps;
  steps.push_back(useOf(planner, op, access.mask, DoubtUse::Mask, decisionDoubts));
  steps.push_back(useOf(planner, op, access.pointer, DoubtUse::Address,
                        decisionDoubts | addressDoubts, access.mask));
  for (Value operand : op.getOperands()) {
    bool isStored = access.writes && operand != access.pointer && operand != access.mask;
    if (isStored)
      steps.push_back(useOf(planner, op, operand, DoubtUse::Store,
                            decisionDoubts | only(DoubtKind::NotFinite), access.mask));
  }
  return inOrder(std::move(steps));
}

/// The sum is computed in memory, so that no value has a shadow for it.
Step Doubts::findsOverflow(Planner &planner, Operation &op) {
  auto atomic = dyn_cast<tile::AtomicRmwOp>(op);
  if (!findsNonFinite || !atomic || atomic.getKind() != tile::AtomicKind::FAdd)
    return {};
  Slot old = planner.slotOf(atomic.getResult()), value = planner.slotOf(atomic.getValue());
  Slot mask = optionalSlot(planner, atomic.getMask());
  return visitFloat(old.kind, [=, location = op.getLoc()](auto element) -> Step {
    using T = typename decltype(element)::Storage;
    return [=](Execution &execution) {
      for (int64_t lane = 0; lane < old.capacity; ++lane) {
        auto before = element.load(old.as<T>()[lane]), added = element.load(value.as<T>()[lane]);
        double sum = double(element.load(element.round(before + added)));
        bool wereNumbers = !std::isnan(double(before)) && !std::isnan(double(added));
        bool wereFinite = std::isfinite(double(before)) && std::isfinite(double(added));
        bool isBorn = (wereNumbers && std::isnan(sum)) || (wereFinite && !std::isfinite(sum));
        bool takesPart = !mask.data || mask.as<uint8_t>()[lane];
        if (isBorn && takesPart)
          execution.observer.doubtMatters({DoubtKind::NotFinite, location, DoubtUse::Store,
                                           location, execution.program, lane, old.capacity > 1,
                                           8 * bytesOf(old.kind)});
      }
    };
  });
}

Step Doubts::before(Planner &planner, Operation &op) {
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return useOf(planner, op, branch.getCondition(), DoubtUse::Branch, decisionDoubts);
  if (auto condition = dyn_cast<scf::ConditionOp>(op))
    return useOf(planner, *op.getParentOp(), condition.getCondition(), DoubtUse::Branch,
                 decisionDoubts);
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    std::vector<Step> steps;
    for (Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
      steps.push_back(useOf(planner, op, bound, DoubtUse::Branch, decisionDoubts));
    return inOrder(std::move(steps));
  }
  return usesByAccess(planner, op);
}

} // namespace nereid::interpret
