// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analyze/Predict.h"

#include "analyze/Figures.h"
#include "support/SortStably.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

namespace nereid::analyzer {
namespace {

/// An SM begins a block in this time: 16384 blocks of one warp that do little took 12.3 us on an
/// H200, measured.
constexpr double blockStart = 70e-9;

/// The share of the card that has work, on average: blocks come in whole waves, of which the last
/// may fill some SMs only.
double shareAtWork(const Demand &demand, const target::Card &card) {
  const double ofSm = std::ceil(double(demand.blocks) / card.multiprocessors);
  return double(demand.blocks) / (ofSm * card.multiprocessors);
}

} // namespace

double wavesOf(const Demand &demand, const target::Card &card) {
  const double places = double(card.multiprocessors) * std::max(1u, demand.residentBlocks);
  return double(demand.blocks) / places;
}

std::vector<Analysis::Bound> boundsOf(const Demand &demand, const target::Card &card) {
  std::vector<Analysis::Bound> bounds;
  auto addBytes = [&](const char *name, double bytes, double rate) {
    bounds.push_back({name, bytes / rate,
                      llvm::formatv("{0} at {1:f0} GB/s", bytesText(bytes), rate / 1e9).str()});
  };
  // One SM alone gets no more than its part of L2's rate, twice over.
  const double atWork = shareAtWork(demand, card);
  const double asks = std::min(1.0, 2 * double(demand.blocks) / card.multiprocessors);
  addBytes("memory", demand.memoryBytes, card.memoryReached * asks);
  addBytes("L2", demand.l2Bytes, card.l2Rate * asks);
  const double cyclesPerSecond = card.clockHertz * card.multiprocessors * atWork;
  auto addCycles = [&](const char *name, double cycles) {
    if (cycles > 0)
      bounds.push_back(
          {name, cycles / cyclesPerSecond,
           llvm::formatv("{0:f0} cycles of {1} SMs", cycles / card.multiprocessors / atWork,
                         card.multiprocessors)
               .str()});
  };
  addCycles("L1", demand.l1Cycles);
  addCycles("shared memory", demand.sharedCycles);
  addCycles("tensor cores", demand.tensorCycles);
  addCycles("FMA", demand.fmaCycles);
  addCycles("integers", demand.integerCycles);
  addCycles("special functions", demand.specialCycles);
  addCycles("f64", demand.doubleCycles);
  addCycles("instructions", demand.issueCycles);
  bounds.push_back({"block starts", double(demand.blocks) / card.multiprocessors * blockStart,
                    llvm::formatv("{0} blocks", demand.blocks).str()});
  const double rounds = std::max(1.0, wavesOf(demand, card)) * demand.programsOfBlock;
  bounds.push_back({"latency", rounds * demand.waits * card.memoryLatency,
                    llvm::formatv("{0:f1} times {1:f1} waits of {2:f0} ns", rounds, demand.waits,
                                  card.memoryLatency * 1e9)
                        .str()});
  sortStably(bounds, [](const auto &a, const auto &b) { return a.seconds > b.seconds; });
  return bounds;
}

double secondsOf(const Demand &demand, const target::Card &card) {
  double sum = 0;
  for (const Analysis::Bound &bound : boundsOf(demand, card))
    sum += std::pow(bound.seconds, 3);
  return card.launchTime + card.memoryLatency + std::cbrt(sum);
}

} // namespace nereid::analyzer
