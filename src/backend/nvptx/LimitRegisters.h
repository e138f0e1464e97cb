// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "target/NvidiaTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::backend::nvptx {

/// With how many registers a thread two blocks of a kernel that multiplies by warpgroups fit into
/// an SM: while one waits, the other goes on. Nothing if shared memory is too small for two, if
/// they fit anyway, or if the sums of a loop leave too few for the rest.
std::optional<unsigned> registersForTwoBlocks(mlir::func::FuncOp kernel,
                                              const target::NvidiaTarget &target, unsigned threads,
                                              uint64_t sharedBytes);

} // namespace nereid::backend::nvptx
