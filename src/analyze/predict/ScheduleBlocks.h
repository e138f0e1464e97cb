// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs that do unequally much, dealt out to a card's SMs as it does it: in the grid's order,
// each to the first place that is free.
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

struct BlockSchedule {
  uint64_t longestProgram = 0;
  double longest = 1; ///< as many programs of the mean
  /// Until the last program ends: programs of the mean that the place has which is busy longest,
  /// above those of as many equal programs; and how long the mean SM has any, as a share.
  double moreRounds = 0, timeAtWork = 1;
  /// What the mean SM has to do of what the one has that has most.
  double shareAtWork = 1;
};

/// `works` takes each kind of program how long. Of very large grids the last programs alone are
/// dealt out, and those before them are spread evenly.
BlockSchedule scheduleBlocks(const ProgramKinds &kinds, llvm::ArrayRef<double> works,
                             const Places &places, ProgramOrder programAt);

} // namespace nereid::analyzer
