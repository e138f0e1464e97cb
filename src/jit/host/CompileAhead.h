// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/Compiler.h"
#include "nereid/compile.h"
#include "nereid/host.h"
#include "runtime/Artifact.h"

#include <memory>
#include <vector>

namespace nereid::jit {

/// The code for `options.target`, with the code for launches whose arrays are no boxes, from the
/// cache on disk if it is there; else the cache keeps it.
std::shared_ptr<const runtime::Artifact> compileAhead(const driver::KernelRequest &request,
                                                      const CompileOptions &options);

/// Compiles to the end, and gives the outputs of `options.stages`.
std::vector<StageOutput> dumpStages(driver::KernelRequest request, const CompileOptions &options);

/// Compiles to the end, and gives what is remarked.
std::vector<Remark> remarksOf(driver::KernelRequest request, const CompileOptions &options);

/// Compiles as far as the passes that all targets have.
host::Accesses accessesOf(const driver::KernelRequest &request, const CompileOptions &options);

std::vector<Remark> toPublic(const RemarkList &list);

} // namespace nereid::jit
