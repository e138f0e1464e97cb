// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/Compiler.h"
#include "nereid/compile.h"

#include <vector>

namespace nereid::jit {

/// Compiles to the end, and gives the outputs of `options.stages`.
std::vector<StageOutput> dumpStages(driver::KernelRequest request, const CompileOptions &options);

} // namespace nereid::jit
