// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of the NVIDIA back end as one pipeline. pipeline.def is their order.
#pragma once

#include "backend/nvptx/Passes.h"
#include "passes/Pipeline.h"

#include <string_view>
#include <vector>

namespace nereid::backend::nvptx {

/// The passes that only make kernels faster, by their names ("nvptx-delay-products"), in order.
std::vector<std::string_view> dispensablePasses();

/// All of them but those named in `without`, each of which is dispensable.
void buildPipeline(mlir::OpPassManager &manager, const ConfigureOptions &configuration,
                   llvm::ArrayRef<std::string> without);

/// Gives the tiles of the module's kernel to threads. `onChange`, if given, is told of each pass
/// that changed the IR.
void giveToThreads(mlir::ModuleOp module, const ConfigureOptions &configuration,
                   llvm::ArrayRef<std::string> without, passes::OnChange onChange);

/// Registers the passes and the pipeline "nvptx-pipeline" for nereid-opt.
void registerPipeline();

} // namespace nereid::backend::nvptx
