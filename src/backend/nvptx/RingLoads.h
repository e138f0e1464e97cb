// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "target/NvidiaTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace nereid::backend::nvptx {

/// Loads that feed products in a loop become copies into rings in shared memory, begun some rounds
/// before the round that multiplies them:
///
///   ring = alloc; for the first rounds: copy -> slot, commit
///   for: await the oldest; copy of a later round -> slot, commit; read slot; multiply
///
/// `stages` is how many slots a ring should have, where they fit, besides one for a product that is
/// still in flight; unset: as many as help. One stage leaves loops as they are.
void ringLoads(mlir::func::FuncOp kernel, const target::NvidiaTarget &target, unsigned warps,
               std::optional<unsigned> stages);

} // namespace nereid::backend::nvptx
