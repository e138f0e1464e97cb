// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Grids whose programs wait for one another: all of them are under way at once.
#pragma once

#include <cstdint>
#include <functional>

namespace nereid::runtime::cpu {

/// Called by generated code: comes back when all programs of the grid have called it, or ended.
extern "C" void nereidSyncGrid();

/// Runs program(number, scratch) for all numbers below `count`, each on a stack of its own with its
/// own scratch memory, aligned to 64 bytes. `threads` threads share them. What a program throws is
/// thrown when all have ended. Throws Error(Usage) for more programs than there are stacks for.
void runWholeGrid(uint64_t count, uint64_t scratchBytes, unsigned threads,
                  const std::function<void(uint64_t number, void *scratch)> &program);

} // namespace nereid::runtime::cpu
