// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analyze/predict/Predict.h"

#include "analyze/Figures.h"
#include "analyze/Units.h"
#include "support/SortStably.h"
#include "target/SmShares.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace nereid::analyzer {
namespace {

/// An SM begins a block in this time: 22100 blocks that do little took 15.8 us on an H200 and 65536
/// took 42.2 us, measured.
constexpr double blockStart = 78e-9;

/// What is written and stays in L2 takes so much of what memory takes for it: 33 MB that are copied
/// took 6.7 us and 268 MB 60 us on an H200, of which 17 and 244 MB reached memory.
constexpr double shareOfKept = 0.5;
/// Schedulers of an SM, each with warps of its own, and how many more warps one of them wants so
/// that it has an instruction ready in each cycle, by the cycles of a warp's instruction.
constexpr double schedulers = 4, spareWarps = 0.5;
/// Where an SM has so many warps for each of which there is one part of the card, they keep all of
/// them at work.
constexpr double warpsForOverlap = 6, mostOverlap = 3;
/// Of what warps compute between products that wait for it, what tensor cores wait for: the
/// compiler has the next round's product under way meanwhile, so it is not all. Of products by
/// wgmma it is little: 12 launches of attention of 64 and 128 columns on an H200, causal and not,
/// are then off by 4 % at the median, and by 11 % with 0.4 (benchmarks/analyze/unequal.py).
constexpr double shareInChain = 0.4, shareAhead = 0.1;
/// Where copies are on their way while warps compute, there are few warps and barriers of rounds.
constexpr double overlapOfCopies = 2;

/// L2 combines at one place so often: 131,072 maxima of blocks took 110 us on an H200, and 4096
/// sums of floats 9 us.
constexpr double timeOfCollision = 0.85e-9, timeOfFloatSum = 2.2e-9;

constexpr const char *blockStarts = "block starts";

/// One SM alone gets no more than its part of the rate of L2 and of memory, twice over.
constexpr double partOfPort = 2;

/// From a warp's arrival at a barrier, where the others are already, to its next instruction.
constexpr double cyclesOfBarrier = 30;
/// What a launch's first access takes, whose pages nobody has asked for before, and what a wait of
/// a round, by the latency of memory (0081).
constexpr double latenciesOfFirst = 2, latenciesOfWait = 1.1;
/// What the copy engine takes more, once: until it has a box's description and until what it sends
/// has left. A product of one round took 5.0 us on an H200 where a kernel with one access of lanes
/// took 2.9, and products of up to 32 rounds as much more than their rounds.
constexpr double latenciesOfEngine = 4;

std::string textOfMemory(const Demand &demand) {
  std::string text = bytesText(demand.memoryBytes);
  if (demand.keptBytes > 0)
    text += " and " + bytesText(demand.keptBytes) + " that stay in L2";
  if (demand.leavingBytes > 0)
    text += " and " + bytesText(demand.leavingBytes) + " that others left there";
  return text;
}

std::string textOfL2(const Demand &demand) {
  constexpr double worthSaying = 1.05;
  std::string asked = bytesText(demand.l2Asked), busy = bytesText(demand.l2Bytes);
  return demand.l2Asked > 0 && demand.l2Bytes > worthSaying * demand.l2Asked
             ? asked + " in parts of sectors, which take as long as " + busy
             : busy;
}

/// One program after the other, each alone.
Analysis::Bound latencyBound(const Demand &demand, const target::Card &card) {
  const double rounds = std::max(1.0, wavesOf(demand, card)) * demand.programsOfBlock;
  const double own = demand.ownCycles / card.clockHertz;
  std::string text = llvm::formatv("{0:f1} times {1:f1} waits of {2:f0} ns", rounds, demand.waits,
                                   secondsOfWait(card) * 1e9);
  if (demand.barriers > 0)
    text += llvm::formatv(", {0:f1} barriers", demand.barriers).str();
  if (own > 0)
    text += ", " + timeText(own) + " of instructions";
  return {"latency", rounds * secondsAlone(demand, card), text};
}

} // namespace

Demand::Spilled spilledOf(const Analysis &analysis, const target::Card &card, double accesses,
                          double l1Bytes) {
  // An access is of a warp. What threads of an SM have and L1 does not hold comes from L2, and what
  // L2 does not hold of all of them from memory; a warp that is alone waits for it some cycles each
  // time, more for L2 (backward passes of mamba and of layer norm on an H200).
  constexpr double bytesOfAccess = 128, cyclesOfL1 = 4, cyclesOfL2 = 27;
  const double smsAtWork = std::min<double>(analysis.blocks, card.multiprocessors);
  const double blocksOfSm =
      std::min<double>(analysis.residentBlocks, std::ceil(double(analysis.blocks) / smsAtWork));
  const double ofSm = double(analysis.stackBytes) * analysis.threads * blocksOfSm;
  auto notHeld = [](double bytes, double room) {
    return bytes > room ? 1 - std::max(0.0, room) / bytes : 0;
  };
  Demand::Spilled spilled;
  spilled.l1Cycles = accesses * bytesOfAccess / sectorBytes / card.sectors;
  spilled.l2Bytes = accesses * bytesOfAccess * notHeld(ofSm, l1Bytes);
  spilled.memoryBytes = spilled.l2Bytes * notHeld(ofSm * smsAtWork, card.l2Bytes * shareOfL2);
  const double ofWarp =
      accesses * target::warpSize / (double(analysis.programs) * analysis.threads);
  spilled.ownCycles = ofWarp * (spilled.l2Bytes > 0 ? cyclesOfL2 : cyclesOfL1);
  return spilled;
}

double secondsOfFirstWait(const target::Card &card) {
  return latenciesOfFirst * card.memoryLatency;
}

double secondsOfWait(const target::Card &card) { return latenciesOfWait * card.memoryLatency; }

double secondsAlone(const Demand &demand, const target::Card &card) {
  return demand.waits * secondsOfWait(card) + demand.barriers * secondsOfBarrier(card) +
         demand.ownCycles / card.clockHertz;
}

double secondsOfBarrier(const target::Card &card) { return cyclesOfBarrier / card.clockHertz; }

double shareAtWork(const Demand &demand, const target::Card &card) {
  if (demand.unequal) // scheduleOf says it
    return 1;
  const double ofSm = std::ceil(double(demand.blocks) / card.multiprocessors);
  return double(demand.blocks) / (ofSm * card.multiprocessors);
}

double wavesOf(const Demand &demand, const target::Card &card) {
  const double places = double(card.multiprocessors) * std::max(1u, demand.residentBlocks);
  return double(demand.blocks) / places;
}

namespace {

std::vector<Analysis::Bound> partsOf(const Demand &demand, const target::Card &card) {
  std::vector<Analysis::Bound> bounds;
  auto addBytes = [&](const char *name, std::string text, double bytes, double rate) {
    bounds.push_back(
        {name, bytes / rate, llvm::formatv("{0} at {1:f0} GB/s", text, rate / 1e9).str()});
  };
  const double atWork = shareAtWork(demand, card);
  const double asks =
      demand.unequal ? 1 : std::min(1.0, partOfPort * double(demand.blocks) / card.multiprocessors);
  addBytes("memory", textOfMemory(demand),
           demand.memoryBytes + demand.keptBytes * shareOfKept + demand.leavingBytes,
           card.memoryReached * asks);
  addBytes("L2", textOfL2(demand), demand.l2Bytes, card.l2Rate * asks);
  const double cyclesPerSecond = card.clockHertz * card.multiprocessors * atWork;
  // A warp is one scheduler's.
  const double ofScheduler = demand.warpsOfSm / schedulers;
  const double taken = std::min(1.0, ofScheduler);
  // What one warp waits for by itself is a part of latency: others make it wait for the scheduler.
  const double others = std::max(0.0, 1 - 1 / ofScheduler);
  const double spare = spareWarps * demand.cyclesOfInstruction * others;
  const double ready = taken * std::max(1.0, ofScheduler) / (std::max(1.0, ofScheduler) + spare);
  auto addCycles = [&](const char *name, double cycles) {
    if (cycles > 0)
      bounds.push_back({name, cycles / cyclesPerSecond,
                        llvm::formatv("{0:f0} cycles of {1} SMs",
                                      cycles / card.multiprocessors / atWork, card.multiprocessors)
                            .str()});
  };
  addCycles("L1", demand.l1Cycles);
  addCycles("shared memory", demand.sharedCycles);
  addCycles("tensor cores", demand.tensorCycles);
  addCycles("FMA", demand.fmaCycles / taken);
  addCycles("integers", demand.integerCycles / taken);
  addCycles("special functions", demand.specialCycles / taken);
  addCycles("f64", demand.doubleCycles / taken);
  addCycles("instructions", demand.issueCycles / ready);
  if (demand.collisions > 1)
    bounds.push_back({"atomics",
                      demand.collisions * (demand.addsFloats ? timeOfFloatSum : timeOfCollision),
                      llvm::formatv("{0:f0} of one place", demand.collisions)});
  bounds.push_back({blockStarts, double(demand.blocks) / card.multiprocessors * blockStart,
                    llvm::formatv("{0} blocks", demand.blocks).str()});
  bounds.push_back(latencyBound(demand, card));
  return bounds;
}

double overlapOf(const Demand &demand) {
  if (demand.usesEngine)
    return mostOverlap;
  if (demand.copies)
    return overlapOfCopies;
  return std::min(mostOverlap, 1 + (mostOverlap - 1) * demand.warpsOfSm / warpsForOverlap);
}

/// All parts, by who shares them.
struct Parts {
  double alone = 0;                 // of a program after the other
  std::vector<double> ofSm, ofCard; // of SMs that have equally much, and of the whole card
  double fromCard = 0;              // of these, the longest of what comes over an SM's port
  double starts = 0;                // of blocks, however much they do
};

Parts partsBy(llvm::ArrayRef<Analysis::Bound> bounds, const Demand &demand) {
  // Schedulers give each unit its instructions: the busiest of them is what warps compute.
  constexpr llvm::StringLiteral units[] = {"FMA", "integers", "special functions", "f64",
                                           "instructions"};
  Parts parts;
  double computed = 0, multiplied = 0;
  for (const Analysis::Bound &bound : bounds) {
    const llvm::StringRef name = bound.name;
    if (llvm::is_contained(units, name)) {
      computed = std::max(computed, bound.seconds);
    } else if (name == "tensor cores") {
      multiplied = bound.seconds;
    } else if (name == "latency") {
      parts.alone = bound.seconds;
    } else if (name == "memory" || name == "L2") {
      parts.ofCard.push_back(bound.seconds);
      parts.fromCard = std::max(parts.fromCard, bound.seconds);
    } else if (name == "atomics") {
      parts.ofCard.push_back(bound.seconds);
    } else if (name == blockStarts) {
      parts.starts = bound.seconds;
    } else {
      parts.ofSm.push_back(bound.seconds);
    }
  }
  if (demand.hasChainedProducts)
    multiplied += (demand.areProductsAhead ? shareAhead : shareInChain) * computed;
  parts.ofSm.push_back(multiplied);
  parts.ofSm.push_back(computed);
  return parts;
}

double sumOfPowers(llvm::ArrayRef<double> list, double power) {
  double sum = 0;
  for (double each : list)
    sum += std::pow(each, power);
  return sum;
}

/// Of each program, where all of them are equal to the mean one.
Shares sharesOf(const Parts &parts, const Demand &demand, const target::Card &card) {
  Shares shares;
  shares.overlap = overlapOf(demand);
  const double programs = double(demand.blocks) * demand.programsOfBlock;
  const double rounds = std::max(1.0, wavesOf(demand, card)) * demand.programsOfBlock;
  shares.alone = parts.alone / rounds * (demand.unequal ? demand.unequal->ofMean : 1);
  const double root = 1 / shares.overlap;
  shares.ofSm =
      std::pow(sumOfPowers(parts.ofSm, shares.overlap), root) * card.multiprocessors / programs;
  shares.ofCard = std::pow(sumOfPowers(parts.ofCard, shares.overlap), root) / programs;
  shares.ofPort = parts.fromCard * card.multiprocessors / programs / partOfPort;
  return shares;
}

BlockSchedule scheduleOf(const Parts &parts, const Demand &demand, const target::Card &card) {
  return scheduleBlocks(*demand.unequal, sharesOf(parts, demand, card), card.multiprocessors,
                        std::max(1u, demand.residentBlocks));
}

/// All parts beside one another, behind the launch and its first access to memory, which is a part
/// of waiting, too.
double joined(llvm::ArrayRef<Analysis::Bound> bounds, const Demand &demand,
              const target::Card &card) {
  const Parts parts = partsBy(bounds, demand);
  const double overlap = overlapOf(demand);
  double sum = std::pow(parts.starts, overlap);
  if (demand.unequal) {
    const double last = scheduleOf(parts, demand, card).seconds;
    sum += std::pow(std::max(0.0, last - secondsOfFirstWait(card)), overlap);
  } else {
    sum += std::pow(std::max(0.0, parts.alone - secondsOfFirstWait(card)), overlap) +
           sumOfPowers(parts.ofSm, overlap) + sumOfPowers(parts.ofCard, overlap);
  }
  const double ofEngine = demand.usesEngine ? latenciesOfEngine * card.memoryLatency : 0;
  return card.launchTime + secondsOfFirstWait(card) + ofEngine + std::pow(sum, 1 / overlap);
}

/// Until the last block has what it needs of one part, if there is no other.
double secondsOfPart(const Analysis::Bound &bound, const Demand &demand, const target::Card &card) {
  if (!demand.unequal || bound.name == blockStarts)
    return bound.seconds;
  Demand alone = demand;
  alone.hasChainedProducts = false;
  return scheduleOf(partsBy(bound, alone), alone, card).seconds;
}

} // namespace

BlockSchedule scheduleOf(const Demand &demand, const target::Card &card) {
  return scheduleOf(partsBy(partsOf(demand, card), demand), demand, card);
}

double secondsOf(const Demand &demand, const target::Card &card) {
  return joined(partsOf(demand, card), demand, card);
}

std::vector<Analysis::Bound> boundsOf(const Demand &demand, const target::Card &card) {
  std::vector<Analysis::Bound> bounds = partsOf(demand, card);
  const double all = joined(bounds, demand, card);
  for (Analysis::Bound &bound : bounds) {
    const double seconds = std::exchange(bound.seconds, 0);
    bound.exposedSeconds = all - joined(bounds, demand, card);
    bound.seconds = seconds;
  }
  for (Analysis::Bound &bound : bounds)
    bound.seconds = secondsOfPart(bound, demand, card);
  sortStably(bounds, [](const auto &a, const auto &b) { return a.seconds > b.seconds; });
  return bounds;
}

} // namespace nereid::analyzer
