// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long a launch takes: what each part of a card needs for it, and what is left of waiting.
#pragma once

#include "analyze/InstructionCounts.h"
#include "analyze/predict/ScheduleBlocks.h"
#include "nereid/analyze.h"
#include "target/Card.h"

#include <optional>
#include <vector>

namespace nereid::analyzer {

/// What a whole launch asks of the card.
struct Demand {
  double memoryBytes = 0;
  /// Of L2: what is asked for, and as how much it is busy for that, since parts of sectors and of
  /// their pairs take as long as whole ones.
  double l2Asked = 0, l2Bytes = 0;
  /// That are written and stay in L2 when the launch ends, and that others wrote before and that
  /// leave it now.
  double keptBytes = 0, leavingBytes = 0;
  /// Of all SMs: cycles of one that L1 and shared memory are busy, and each unit.
  double l1Cycles = 0, sharedCycles = 0, tensorCycles = 0, fmaCycles = 0, integerCycles = 0,
         specialCycles = 0, doubleCycles = 0;
  /// Of l1Cycles, ownCycles, l2Bytes and memoryBytes, those for what a thread has in memory of its
  /// own: registers that are spilled, and its arrays.
  struct Spilled {
    double l1Cycles = 0, ownCycles = 0, l2Bytes = 0, memoryBytes = 0;
  } spilled;
  /// And that its schedulers give instructions of any kind; 0 where they were not counted.
  double issueCycles = 0;
  /// In which a warp gives its instructions of one program, one after the other, while its
  /// scheduler has no other warp; 0 where they were not counted.
  double ownCycles = 0;
  /// From an instruction of a warp to its next one, in the mean.
  double cyclesOfInstruction = usualCyclesOfInstruction;
  /// Atomics of one sector, which wait for one another.
  double collisions = 0;
  /// Some of those are sums of floats, which take longer than integers and extremes.
  bool addsFloats = false;
  uint64_t blocks = 1;
  double programsOfBlock = 1;
  unsigned residentBlocks = 1;
  /// That run on an SM at once, of those there are.
  double warpsOfSm = 64;
  /// The copy engine, or cp.async, fetches while warps compute.
  bool usesEngine = false, copies = false;
  /// Tensor cores wait for what warps compute from the product before, round by round.
  bool hasChainedProducts = false;
  /// And these are wgmma's, which go on by themselves while warps compute what the next one needs.
  bool areProductsAhead = false;
  /// How often a program waits for memory, one time after the other, and at a barrier.
  double waits = 1, barriers = 0;
  /// Of programs that do unequally much.
  std::optional<BlockWorks> unequal = {};
};

/// Of L2, what one launch's arrays fill before they put one another out.
constexpr double shareOfL2 = 0.8;

/// What warps that load and store memory of their own so often ask of the parts, where an SM's L1
/// has `l1Bytes` for it.
Demand::Spilled spilledOf(const Analysis &analysis, const target::Card &card, double accesses,
                          double l1Bytes);

/// What a launch waits for its first access to memory.
double secondsOfFirstWait(const target::Card &card);

/// What a program waits for memory each time.
double secondsOfWait(const target::Card &card);

/// What a barrier takes when all come to it at about the same time.
double secondsOfBarrier(const target::Card &card);

/// What one program takes where nothing else is to be done meanwhile: it waits for memory, for its
/// other warps, and for each instruction that the next one needs.
double secondsAlone(const Demand &demand, const target::Card &card);

/// How SMs have the blocks of programs that do unequally much.
BlockSchedule scheduleOf(const Demand &demand, const target::Card &card);

/// How often a card is filled with blocks, counting the last filling in part.
double wavesOf(const Demand &demand, const target::Card &card);

/// The share of the card that has work, on average: blocks come in whole waves, of which the last
/// may fill some SMs only.
double shareAtWork(const Demand &demand, const target::Card &card);

/// What each part takes if it does nothing else, the longest first, and what nothing else hides of
/// it.
std::vector<Analysis::Bound> boundsOf(const Demand &demand, const target::Card &card);
/// The launch, then one access to memory, then all parts beside one another: they get in one
/// another's way where two take about as long, so their sum is that of cubes. Few warps that fetch
/// for themselves do one thing after the other.
double secondsOf(const Demand &demand, const target::Card &card);

} // namespace nereid::analyzer
