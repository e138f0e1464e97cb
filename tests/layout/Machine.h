// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block of threads that executes plans, register by register. It shares nothing with the planner:
// it follows what the headers say the plans mean.
#pragma once

#include "layout/Conversion.h"

namespace nereid::layout::test {

/// By warp, lane and register: the number of the element that is held; -1 if none is.
using Block = std::vector<std::vector<std::vector<int64_t>>>;

/// What the layout says that everybody holds.
Block holding(const LinearLayout &layout);
Block execute(const ConversionPlan &plan, const Block &source, const LinearLayout &target);

/// Elements by offset.
using SharedMemory = std::vector<int64_t>;
void write(const SharedAccess &access, unsigned elementBytes, const Block &block,
           SharedMemory &memory);
void read(const SharedAccess &access, unsigned elementBytes, const SharedMemory &memory,
          Block &block);

/// The most wavefronts that a step of the access takes in any warp, counted bank by bank.
unsigned countWavefronts(const SharedAccess &access, unsigned elementBytes, unsigned warps);

} // namespace nereid::layout::test
