// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "passes/WatchChanges.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace nereid::passes {

/// Runs passes that must succeed, with the IR verified after each in builds that are tested.
/// `onChange`, if given, is told of each pass that changed the IR.
void run(mlir::PassManager &manager, mlir::ModuleOp module, OnChange onChange);

/// The target-independent recipe, in order.
void buildTilePipeline(mlir::OpPassManager &manager);

/// Runs it. `onChange`, if given, is told of each pass that changed the IR.
void runTilePipeline(mlir::ModuleOp module, OnChange onChange = {});

/// Registers the passes and the pipeline "tile-pipeline" for nereid-opt.
void registerPipelines();

} // namespace nereid::passes
