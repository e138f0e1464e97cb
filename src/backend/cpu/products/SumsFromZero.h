// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums that a loop carries and that begin with zeros: a dot takes zeros in the first round instead
// of what lies in memory, so that nobody writes zeros there before the loop, and nobody reads them.
#pragma once

#include "backend/cpu/storage/StoragePlan.h"
#include "dialect/tile/Tile.h"
#include "target/CpuTarget.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::backend::cpu {

/// The dot that builds its sums in the buffer of what the loop carries at a position, is all that
/// reads it, and finds zeros there in the first round; or null.
tile::DotOp dotFromZero(mlir::scf::ForOp loop, unsigned position, const StoragePlan &plan,
                        const target::CpuTarget &cpu);

/// The loop whose first round a dot begins with zeros in; or null.
mlir::scf::ForOp loopFromZero(tile::DotOp dot, const StoragePlan &plan,
                              const target::CpuTarget &cpu);

} // namespace nereid::backend::cpu
