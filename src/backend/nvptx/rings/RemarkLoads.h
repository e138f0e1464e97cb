// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Aliasing.h"
#include "analysis/AxisInfo.h"
#include "dialect/tile/Remark.h"
#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::backend::nvptx {

/// Whether a round's address and mask can be computed in an earlier round.
bool isKnownAhead(tile::LoadOp load, mlir::scf::ForOp loop, const analysis::Aliasing &aliasing);

/// Remarks of each load of the loop's body that feeds products why it gets no ring, but for those
/// that `isFetched` names and those that could have one: whether rings fit is said by who builds
/// them.
void remarkLoads(mlir::scf::ForOp loop, const analysis::AxisAnalysis &axes,
                 const analysis::Aliasing &aliasing,
                 llvm::function_ref<bool(tile::LoadOp)> isFetched);

/// Remarks at the kernel's first loop whose products warpgroups compute of what it loads that no
/// warp fetches for it, and why.
void remarkNoRoles(mlir::func::FuncOp kernel, llvm::StringRef reason);

} // namespace nereid::backend::nvptx
