// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs that do unequally much, dealt out to a card's SMs as it does it: in the grid's order,
// each to the first place that is free. Blocks that are on an SM at once share what it has, and all
// of them share what the card has: a block goes on faster when others have ended.
#pragma once

#include "analyze/CountLaunch.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace nereid::analyzer {

/// What an SM has room for, and what there is.
struct Places {
  unsigned multiprocessors = 1, blocksOfSm = 1;
  uint64_t programs = 1, blocks = 1; ///< fewer blocks than programs: each has every so many-th
};

/// Which program of the grid is dealt out as the Nth.
using ProgramOrder = llvm::function_ref<uint64_t(uint64_t)>;

/// What blocks do, in programs of the mean.
struct BlockWorks {
  uint64_t longestProgram = 0;
  double longest = 1;
  /// Of blocks in the order in which they begin; of very many the last alone, and what those before
  /// them do, which is spread evenly.
  std::vector<double> ofBlocks;
  double before = 0;
  /// What programs take alone in the mean, by what one takes that does as much as they in the mean.
  double ofMean = 1;
};

/// Of all programs, where each kind takes so long.
double meanOf(const ProgramKinds &kinds, llvm::ArrayRef<double> works);

/// `works` takes each kind of program how long.
BlockWorks worksOfBlocks(const ProgramKinds &kinds, llvm::ArrayRef<double> works,
                         const Places &places, ProgramOrder programAt);

/// Seconds that a program of the mean takes: alone, of what an SM has for its blocks, of what the
/// card has for all, and of what one SM gets of that at most. Those get in one another's way as the
/// sum of these powers has it.
struct Shares {
  double alone = 0, ofSm = 0, ofCard = 0, ofPort = 0, overlap = 1;

  double secondsOf(double blocksOfSm, double blocks) const;
};

struct BlockSchedule {
  double seconds = 0;    ///< until the last block ends
  double timeAtWork = 1; ///< how long the mean SM has any, as a share
};

BlockSchedule scheduleBlocks(const BlockWorks &works, const Shares &shares,
                             unsigned multiprocessors, unsigned blocksOfSm);

} // namespace nereid::analyzer
