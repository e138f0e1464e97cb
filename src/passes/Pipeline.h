// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace nereid::passes {

/// The target-independent recipe, in order.
void buildTilePipeline(mlir::OpPassManager &manager);

/// Runs it. `changes`, if given, gets the IR after each pass that changed it.
void runTilePipeline(mlir::ModuleOp module, llvm::raw_ostream *changes);

/// Registers the passes and the pipeline "tile-pipeline" for nereid-opt.
void registerPipelines();

} // namespace nereid::passes
