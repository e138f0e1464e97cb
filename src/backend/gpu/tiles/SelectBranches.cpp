// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/SelectBranches.h"

#include "backend/gpu/Passes.h"
#include "backend/gpu/tiles/AlikeBranches.h"
#include "dialect/tile/Tile.h"

namespace nereid::backend::gpu {

void selectBranches(mlir::func::FuncOp kernel, const Configuration &configuration) {
  if (tile::blockOf(kernel))
    return; // a thread's branch is its author's
  mergeAlikeBranches(kernel);
  backend::selectBranches(kernel, configuration.policy.selected_operations);
}

} // namespace nereid::backend::gpu
