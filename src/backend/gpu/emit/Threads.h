// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that follow from which thread it is.
#pragma once

#include "backend/gpu/Target.h"
#include "layout/ThreadMap.h"
#include "layout/TileLayout.h"

#include <functional>
#include <map>

namespace nereid::backend::gpu {

class Threads {
public:
  Threads(Builder &builder, const Target &target, unsigned warps, unsigned laneBits)
      : b(builder), target(target), warps(warps), laneBits(laneBits) {}

  /// `end` is the end of the entry block: numbers are computed before it, so that they are at hand
  /// everywhere. Leaves the builder there.
  void begin(llvm::Instruction *end);

  unsigned warpCount() const { return warps; }
  unsigned laneBitCount() const { return laneBits; }
  unsigned count() const { return warps << laneBits; }
  llvm::Value *thread() const { return threadId; }
  llvm::Value *lane() const { return laneId; }
  llvm::Value *warp() const { return warpId; }

  /// The value of the lane with this number, i32, or whose number differs from this one's by XOR
  /// with `laneMask`. All lanes take part.
  llvm::Value *shuffleFrom(llvm::Value *value, llvm::Value *lane) {
    return target.shuffleFrom(b, value, lane);
  }
  llvm::Value *shuffleXor(llvm::Value *value, unsigned laneMask) {
    return target.shuffleXor(b, value, laneMask);
  }
  /// The value of the lane whose number has `bits` where `mask` has ones, and is this one's
  /// elsewhere.
  llvm::Value *shuffleWithin(llvm::Value *value, unsigned mask, unsigned bits) {
    return target.shuffleWithin(b, value, mask, bits);
  }

  /// The i32 of all lanes brought together, for each of them. All lanes take part.
  llvm::Value *reduceLanes(WholeReduction kind, llvm::Value *value) {
    return target.reduceLanes(b, kind, value);
  }

  /// So many more shuffles of a network stand behind each other. Now and then the warp meets, which
  /// costs it nothing: NVIDIA's assembler takes time that grows with the square of the shuffles
  /// between two such places (3,237 of them, sm_89: 25 s; 3 s with one behind each 64; sm_90a has
  /// no such trouble).
  void countShuffles(size_t more) {
    constexpr size_t shufflesTogether = 64;
    if ((shuffles += more) < shufflesTogether)
      return;
    target.syncWarp(b);
    if (tellMeeting)
      tellMeeting();
    shuffles = 0;
  }
  /// Whoever counts where warps meet.
  void whenMeeting(std::function<void()> tell) { tellMeeting = std::move(tell); }

  /// The map's value for this thread, i32.
  llvm::Value *apply(const layout::ThreadMap &map);
  /// The sum (xor) of the bases of the warp's number, i32, which the hardware can tell to be the
  /// same in all its lanes.
  llvm::Value *applyToWarp(const std::vector<layout::Vector> &bases);
  /// The map's value, with the bits of `constant` turned over.
  llvm::Value *applyWith(const layout::ThreadMap &map, layout::Vector constant);
  /// The same as a sum: a value that constants share which differ in bits that no thread has, and
  /// what those bits add, which an instruction's address takes as its offset.
  std::pair<llvm::Value *, layout::Vector> applyAndOffset(const layout::ThreadMap &map,
                                                          layout::Vector constant);
  /// The index along `dim` of the element in a register; i32. May lie beyond the tile.
  llvm::Value *coordinate(const layout::LinearLayout &layout, unsigned dim, unsigned reg);
  /// Whether this thread is the one, of those that hold the same elements, that acts for all; null
  /// if no two hold the same.
  llvm::Value *isFirstHolder(const layout::LinearLayout &layout);
  llvm::Value *isFirstThread() { return isZero(~0u); }
  /// What the set bits of a number, i32, add by XOR; null if none adds anything.
  llvm::Value *linear(llvm::Value *number, llvm::ArrayRef<layout::Vector> bases);

private:
  /// Whether the bits of the thread's number that `mask` names are all zero.
  llvm::Value *isZero(unsigned mask);

  Builder &b;
  const Target &target;
  unsigned warps, laneBits;
  size_t shuffles = 0;
  std::function<void()> tellMeeting;
  llvm::Instruction *end = nullptr;
  llvm::Value *threadId = nullptr, *laneId = nullptr, *warpId = nullptr;
  llvm::Value *uniformWarpId =
      nullptr; // the same number, read from the first lane; null until used
  std::map<std::pair<std::vector<layout::Vector>, std::vector<layout::Vector>>, llvm::Value *>
      known;
  std::map<unsigned, llvm::Value *> zeroTests;
};

/// The bits of an i32 that `mask` names, side by side.
llvm::Value *bitsSideBySide(Builder &b, llvm::Value *number, unsigned mask);

} // namespace nereid::backend::gpu
