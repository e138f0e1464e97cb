// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backend/CompileOptions.h"
#include "backend/nvptx/EmittedKernel.h"
#include "dialect/tile/Kernel.h"
#include "runtime/Artifact.h"
#include "support/Dump.h"

namespace nereid::backend::nvptx {

/// What the back end does, for a target that is one of NVIDIA's. `sink`, which may be empty, sees
/// the kernel when its code is there, before it is gone.
runtime::Artifact compileKernel(tile::Kernel kernel, const CompileOptions &options, Dump &dump,
                                const EmittedSink &sink);

} // namespace nereid::backend::nvptx
