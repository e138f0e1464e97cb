// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backend/nvptx/emit/KernelContext.h"
#include "target/NvidiaTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::backend::nvptx {

/// In which order a kernel's operations are written, and what is said of blocks: by both `ptxas`
/// chooses how many registers a thread takes (docs/decisions/0067).
struct TextChoice {
  bool isByDemand = false; // else an operation's elements stand side by side
  /// `.minnctapersm`: no thread takes more registers than so many blocks on an SM leave to it, and
  /// `ptxas` does not take fewer for the sake of more of them. 0: it chooses.
  unsigned blocks = 0;
};

TextChoice chooseText(mlir::func::FuncOp kernel, const KernelContext &emitted,
                      const target::NvidiaTarget &target);

} // namespace nereid::backend::nvptx
