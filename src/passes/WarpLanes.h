// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What threads of a warp tell one another, where a block's threads are the lanes of a tile: each
// leaves it in memory of the block, and all have before any reads, for all lanes do one operation
// before the next.
#pragma once

#include "passes/ThreadLanes.h"

namespace nereid::passes {

/// tile.shuffle: the value of the lane `source` of each thread's warp. `mask`: who goes on here;
/// null: all. A thread that asks for one beyond the block gets its own.
mlir::Value shuffleLanes(ThreadLanes &lanes, mlir::OpBuilder &b, mlir::Value value,
                         mlir::Value source, mlir::Value mask);
/// tile.ballot: a bit for each member of a thread's warp for which `holds` does.
mlir::Value ballotLanes(ThreadLanes &lanes, mlir::OpBuilder &b, mlir::Value holds,
                        mlir::Value members);

} // namespace nereid::passes
