// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a scan of a thread's registers needs, and its ways: by runs, or element for element.
#pragma once

#include "backend/gpu/emit/Emit.h"
#include "backend/llvm/Combine.h"

namespace nereid::backend::gpu {

/// Bits of a place: masks of register numbers, lanes and warps.
struct PlaceBits {
  unsigned registers = 0, lanes = 0, warps = 0;

  void add(const PlaceBits &other) {
    registers |= other.registers;
    lanes |= other.lanes;
    warps |= other.warps;
  }
};

struct Scan {
  using Values = Combiner::Values;

  /// Where threads leave elements for other warps: for each number one of each warp and each lane
  /// whose run is another.
  struct Slots {
    llvm::Value *base = nullptr, *lane = nullptr;
    unsigned laneBits = 0;
    uint64_t ofNumber = 0, bytes = 1;
  };

  Builder &b;
  Threads &threads;
  SharedStack &shared;
  const Policy &policy;
  Combiner combine;
  const layout::LinearLayout &layout;
  unsigned axis;
  int64_t size;
  bool isReverse;

  /// Writes these registers' elements where the lane has `givers` in its bits `fixed`, for readers
  /// who look for what this warp gave as that of `warp`.
  Slots give(llvm::ArrayRef<Values> elements, llvm::ArrayRef<unsigned> registers, unsigned fixed,
             unsigned givers, llvm::Value *warp);
  llvm::Value *address(const Slots &slots, llvm::Value *warp, llvm::Value *number);
};

/// `elements[r]` is what register r holds of each tile; `bits` says for each bit of the coordinate
/// along the axis which bit of the place it is.
void scanRuns(Scan &scan, llvm::MutableArrayRef<Combiner::Values> elements,
              llvm::ArrayRef<PlaceBits> bits);
void scanSteps(Scan &scan, llvm::MutableArrayRef<Combiner::Values> elements,
               llvm::ArrayRef<PlaceBits> bits);

} // namespace nereid::backend::gpu
