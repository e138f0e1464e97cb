// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "passes/WatchChanges.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace nereid::passes {

/// Whether this build is one that is tested: what is believed of the code is compared with it.
bool isVerifying();

/// Runs passes that must succeed, with the IR verified after each in builds that are tested.
/// Shows Stage::Passes, if that is wanted.
void run(mlir::PassManager &manager, mlir::ModuleOp module, Dump &dump);

/// The target-independent recipe, in order.
void buildTilePipeline(mlir::OpPassManager &manager);
/// Its passes, each once.
std::vector<std::string> passNames();

void runTilePipeline(mlir::ModuleOp module, Dump &dump);

/// Registers the passes and the pipeline "tile-pipeline" for nereid-opt.
void registerPipelines();

} // namespace nereid::passes
