// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analyze/predict/ProgramWorks.h"

#include "analyze/predict/ScheduleBlocks.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace nereid::analyzer {
namespace {

using CostsOfBlocks = llvm::DenseMap<mlir::Block *, double>;

double timesIn(const BlockTimes &kind, mlir::Block *block) {
  auto found = llvm::find_if(kind, [&](const auto &entry) { return entry.first == block; });
  return found == kind.end() ? 0.0 : double(found->second);
}

double sumIn(const BlockTimes &kind, const CostsOfBlocks &costs) {
  double sum = 0;
  for (auto [block, times] : kind)
    sum += double(times) * costs.lookup(block);
  return sum;
}

/// Of one program: what a round loads goes together, and loops come one after the other, as do the
/// rounds of a loop and those of the loops inside it. The warp that fetches goes its own way.
class BlockWaits {
public:
  void add(const RoundWait &round, double waits) {
    double &most = ofRoles[round.isOfProducer][round.block];
    most = std::max(most, waits);
  }
  /// And once for what is loaded outside of loops.
  double all() const { return 1 + std::max(sumOf(ofRoles[0]), sumOf(ofRoles[1])); }

private:
  using Waits = llvm::MapVector<mlir::Block *, double>;
  static double sumOf(const Waits &list) {
    double sum = 0;
    for (const auto &[block, waits] : list)
      sum += waits;
    return sum;
  }
  Waits ofRoles[2];
};

/// Of each kind of programs, alone, in seconds. `ownCycles`: of the mean program.
std::vector<double> worksOf(const ProgramCosts &costs, double ownCycles) {
  CostsOfBlocks barriers, instructions;
  for (const auto &[op, cost] : costs.kernel.costs)
    barriers[op->getBlock()] += cost.barriers;
  double all = 0;
  for (auto [block, count] : costs.instructions.ofBlocks)
    all += count;
  for (auto [block, count] : costs.instructions.ofBlocks)
    if (double times = costs.counts.blocks.lookup(block); times > 0)
      instructions[block] = count / times;
  const double cycles = all > 0 ? ownCycles * double(costs.counts.programs) / all : 0;
  std::vector<double> seconds;
  for (const BlockTimes &kind : costs.counts.kinds->kinds) {
    BlockWaits waits;
    for (const RoundWait &round : costs.rounds) {
      // Who does more rounds than most is alone in the rest of them.
      const double times = timesIn(kind, round.block);
      const double mean = costs.counts.blocks.lookup(round.block) / double(costs.counts.programs);
      const double together = std::min(times, mean);
      waits.add(round, together * round.waits + (times - together) * round.waitsAhead);
    }
    seconds.push_back(waits.all() * secondsOfWait(costs.card) +
                      sumIn(kind, barriers) * secondsOfBarrier(costs.card) +
                      cycles * sumIn(kind, instructions) / costs.card.clockHertz);
  }
  return seconds;
}

} // namespace

double waitsOf(llvm::ArrayRef<RoundWait> rounds, llvm::function_ref<double(mlir::Block *)> times) {
  BlockWaits waits;
  for (const RoundWait &round : rounds)
    waits.add(round, times(round.block) * round.waits);
  return waits.all();
}

void addInequality(Analysis &analysis, Demand &demand, const ProgramCosts &costs) {
  const ProgramKinds &kinds = *costs.counts.kinds;
  if (kinds.areAlike())
    return;
  // PTX has more instructions than machine code, but is alike in what is more than what.
  if (demand.ownCycles <= 0)
    demand.ownCycles = cyclesOfWarp(analysis, costs.instructions);
  const auto x = uint64_t(analysis.gridX), y = uint64_t(analysis.gridY);
  auto programAt = [&](uint64_t number) {
    return costs.kernel.order.programAt(number, analysis.blocks, x, analysis.programs / x);
  };
  const double alone = secondsAlone(demand, costs.card);
  const std::vector<double> seconds = worksOf(costs, demand.ownCycles);
  demand.unequal = worksOfBlocks(
      kinds, seconds,
      {costs.card.multiprocessors, analysis.residentBlocks, analysis.programs, analysis.blocks},
      programAt);
  if (alone > 0)
    demand.unequal->ofMean = meanOf(kinds, seconds) / alone;
  const BlockWorks &works = *demand.unequal;
  analysis.longestProgram = works.longest;
  analysis.longestX = int64_t(works.longestProgram % x);
  analysis.longestY = int64_t(works.longestProgram / x % y);
  analysis.longestZ = int64_t(works.longestProgram / x / y);
  analysis.timeAtWork = scheduleOf(demand, costs.card).timeAtWork;
}

} // namespace nereid::analyzer
