// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of the NVIDIA back end as one pipeline. pipeline.def is their order.
#pragma once

#include "backend/CompileOptions.h"
#include "backend/nvptx/Passes.h"
#include "passes/Pipeline.h"

#include <string_view>
#include <vector>

namespace nereid::backend::nvptx {

/// What may be chosen otherwise: the rows of policy.def, then the passes that only make kernels
/// faster, by their names ("nvptx-delay-products"), in order.
std::vector<PolicyRow> policyRows();

using Choices = llvm::ArrayRef<std::pair<std::string, unsigned>>;

/// All passes but those that `choices` set to 0; the others are numbers of policy.def. The clocks
/// are the last pass, where any are asked for.
void buildPipeline(mlir::OpPassManager &manager, ConfigureOptions configuration, Choices choices,
                   Clocks clocks);

/// Gives the tiles of the module's kernel to threads. Shows Stage::Passes, if that is wanted.
void giveToThreads(mlir::ModuleOp module, const ConfigureOptions &configuration, Choices choices,
                   Clocks clocks, Dump &dump);

/// The names of the passes, in their order.
std::vector<std::string> passNames();

/// Registers the passes and the pipeline "nvptx-pipeline" for nereid-opt.
void registerPipeline();

} // namespace nereid::backend::nvptx
