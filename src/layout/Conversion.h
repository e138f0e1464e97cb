// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From one distributed layout of a tile to another. inverse(source) . target says where each thread
// finds what it is to hold, and what that map looks like decides what must be done. Plans are data:
// an emitter follows them, and tests execute them.
#pragma once

#include "layout/SharedLayout.h"

#include <variant>

namespace nereid::layout {

/// Each register holds already what it shall hold.
struct NoConversion {};

/// Within each thread: register r of the result is register `source[r]`.
struct RenameRegisters {
  std::vector<unsigned> source;
};

/// Within each warp. Small elements that stay together travel as words of up to 4 bytes:
/// 1. word[i] = registers words[i] of the source, the first in the low bits;
/// 2. gathered[i] = word[i ^ before(lane, warp)];
/// 3. for each shuffle: received[to] = the gathered[from] of lane sourceLane(lane, warp) ^ laneXor;
/// 4. result register r = element results[r].element of received[results[r].word ^ after(lane,
/// warp)]. Where a number is XORed with bits of the thread, each bit that adds something costs one
/// pass of selects over the words.
struct ShufflePlan {
  struct Shuffle {
    unsigned laneXor, from, to;
  };
  struct Result {
    unsigned word, element;
  };
  std::vector<std::vector<unsigned>> words; // a power of two of them
  ThreadMap before;
  ThreadMap sourceLane;
  std::vector<Shuffle> shuffles; // by laneXor
  unsigned received;             // how many words step 3 makes, a power of two
  ThreadMap after;
  std::vector<Result> results;

  /// Only renames: each lane receives from itself.
  bool staysInLane(const Shuffle &shuffle) const { return sourceLane.isLane() && !shuffle.laneXor; }
};

/// Through shared memory: write, wait, read. Result register r is register `results[r]` of those
/// that the reading steps name.
struct SharedPlan {
  SharedPath path;
  uint64_t bytes;
  /// Nobody reads what another warp wrote: a barrier of the warp is enough.
  bool withinWarps;
  std::vector<unsigned> results;
};

using ConversionPlan = std::variant<NoConversion, RenameRegisters, ShufflePlan, SharedPlan>;

struct Conversion {
  ConversionPlan plan;
  /// For choosing between plans, in cycles of an SM per warp: a wavefront or a shuffled word is 1,
  /// a select or a packing operation 1/2, a barrier with the latency that it exposes 24 in a warp
  /// and 40 in a block. Estimates from issue rates, not measurements.
  double cost;
};

struct ConversionOptions {
  bool allowShuffles = true;
  MatrixInstructions matrices;
};

/// The cheapest conversion. Both layouts hold every element of the same tile, some perhaps more
/// than once, and have as many lanes and warps. Elements are 1, 2, 4 or 8 bytes.
Conversion planConversion(const LinearLayout &source, const LinearLayout &target,
                          unsigned elementBytes, ConversionOptions options = {});

/// The plan within warps, if each warp holds what it is to hold.
std::optional<ShufflePlan> planShuffles(const LinearLayout &source, const LinearLayout &target,
                                        unsigned elementBytes);

} // namespace nereid::layout
