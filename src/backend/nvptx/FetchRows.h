// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "target/NvidiaTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::backend::nvptx {

/// A program whose rows (RowLoads) leave an SM's registers no room for a second program's leaves
/// memory idle while it computes. So a block runs one program after the other (LoopOverPrograms),
/// and a warp of its own (giveRoles) fetches rows ahead, into a ring that has all of shared memory:
///
///   ring
///   programs: fetch_row first, count -> ring; row = read_row ring; compute; store
///
/// A slot is a piece of a row, so that more than a row is on its way. False, and nothing is
/// changed, if there are no such rows.
bool fetchRows(mlir::func::FuncOp kernel, const target::NvidiaTarget &target, unsigned warps);

} // namespace nereid::backend::nvptx
