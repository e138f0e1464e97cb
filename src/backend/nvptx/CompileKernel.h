// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backend/CompileOptions.h"
#include "backend/nvptx/EmittedCosts.h"
#include "dialect/tile/Kernel.h"
#include "runtime/Artifact.h"
#include "support/Dump.h"

namespace nereid::backend::nvptx {

/// What the back end does, for a target that is one of NVIDIA's. `sink`, which may be empty, sees
/// the kernel when its code is there, before it is gone.
runtime::Artifact compileKernel(tile::Kernel kernel, const CompileOptions &options, Dump &dump,
                                const EmittedSink &sink);

/// What ptxas says of a kernel's code.
struct AssemblyReport {
  unsigned registers = 0;                                   // of a thread
  unsigned spillStores = 0, spillLoads = 0, stackBytes = 0; // bytes, of a thread
};
/// Nothing where PATH has no ptxas, or it refuses the code.
std::optional<AssemblyReport> assemble(const std::string &ptx, const target::NvidiaTarget &target);

} // namespace nereid::backend::nvptx
