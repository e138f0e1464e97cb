// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of its parameters' arrays a kernel reads and writes: for who plans around launches (graphs
// of operations, programs that own their arrays).
#pragma once

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/BitVector.h"

namespace nereid::analysis {

struct ParameterAccesses {
  /// By the arguments of the function. Where a pointer may be one of several, each counts.
  llvm::BitVector read, written;
  /// Whether an address comes from elsewhere, such as memory, so that the kernel may touch more.
  bool mayBeMore = false;
};

/// Whatever control flow stands between an argument and an access. An author's own instructions
/// read what they are given, and write it if they have effects.
ParameterAccesses parameterAccesses(mlir::func::FuncOp kernel);

} // namespace nereid::analysis
