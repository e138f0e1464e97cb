// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which thread holds which element of each tile (docs/gpu.md, "Who decides").
#pragma once

#include "analysis/AxisInfo.h"
#include "target/NvidiaTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::backend::nvptx {

/// How many warps run a program whose author did not say: as many as keep the registers of the
/// largest tile few and its accesses wide.
unsigned chooseWarps(mlir::func::FuncOp kernel);

/// Gives the type of every tile a layout over `warps` warps, and puts an nv.convert where a value
/// is wanted in another layout than it has and cannot cheaply be computed in.
void assignLayouts(mlir::func::FuncOp kernel, const target::NvidiaTarget &target, unsigned warps);

} // namespace nereid::backend::nvptx
