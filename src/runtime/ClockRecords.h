// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel that takes clocks leaves: of blocks when and where they ran, and of the warps of
// some blocks what they did when.
//
// The entry has seven parameters for it: the table of blocks and the records (pointers), and five
// numbers of 32 bits (ClockShares::numbers). Blocks are numbered along x first. Block b writes row
// b / blocksPerRow of the table if that divides b without a rest, and its warp w the area
// (b / blocksPerArea) * warps + w of the records, likewise. An area begins with a record of
// ClockName::begin, holds one for each interval that ends, in order, and zeros behind them; its
// last record is the warp's end, whether there was room for all before it or not. areaBytes is a
// power of two, and areas begin at multiples of it.
#pragma once

#include "runtime/CodePlace.h"
#include "support/Clocks.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace nereid::runtime {

/// One place of a kernel where warps read the clock.
struct ClockSite {
  ClockName name = ClockName::compute;
  /// It is the warp that fetches for the others.
  bool isProducer = false;
  CodePlace place = {};

  bool operator==(const ClockSite &) const = default;
};

/// One interval's end.
struct ClockRecord {
  uint32_t clock = 0; ///< the low half of the SM's cycles
  uint32_t site = 0;  ///< from 1; 0: not written
};
static_assert(sizeof(ClockRecord) == 8);

/// One block, as its first warp sees it.
struct BlockRow {
  uint64_t beginNanoseconds = 0; ///< the GPU's clock, in steps of up to a microsecond
  uint64_t beginCycles = 0;      ///< the SM's own
  uint64_t endCycles = 0;
  uint64_t endNanoseconds = 0;
  uint64_t multiprocessor = 0;
};
static_assert(sizeof(BlockRow) == 40);

/// How much may be noted.
struct ClockLimits {
  /// Whose warps note what they do. Fewer than there is room for are of the grid's first three
  /// quarters: who notes takes longer, and the launch would wait for one that began last.
  uint64_t blocks = uint64_t(1) << 32;
  uint64_t rows = 1 << 16;    ///< of the table of blocks
  uint64_t records = 1 << 22; ///< of all warps together
  uint64_t recordsOfWarp = 1 << 12;
};

/// How the blocks of a launch share what may be noted. Steps of blocks are odd.
struct ClockShares {
  uint32_t blocksPerRow = 1, blocksPerArea = 1, areaBytes = 0;
  uint64_t rows = 0, areas = 0; ///< an area for each warp of each block that has one

  /// The entry's: for rows, then for areas, what a block's number is multiplied by (modulo 2^32,
  /// the inverse of the step) and how many there are: a product below that is the row of a block
  /// that has one (Hacker's Delight, "Test for Zero Remainder after Division by a Constant"); and
  /// areaBytes.
  std::array<uint32_t, 5> numbers(unsigned warps) const;

  /// Each area has at least 64 records, so one block may have more than `records` in all.
  static ClockShares of(uint64_t blocks, unsigned warps, const ClockLimits &limits);
};

/// What one launch left.
struct ClockReadings {
  std::vector<ClockSite> sites;
  uint64_t blocks = 0;   ///< of the launch
  unsigned warps = 0;    ///< of a block, with those that fetch
  double clockHertz = 0; ///< of an SM, as the driver says
  unsigned multiprocessors = 0;
  ClockShares shares;
  std::vector<BlockRow> rows;
  std::vector<ClockRecord> records;
};

} // namespace nereid::runtime
