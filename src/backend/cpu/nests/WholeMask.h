// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backend/cpu/emit/KernelEmitter.h"

namespace nereid::backend::cpu {

/// Looks whether a mask is true everywhere, in time that grows with the sides of the tile and not
/// with its area: masks are conjunctions of rows and columns.
class WholeMask {
public:
  explicit WholeMask(KernelEmitter &kernel) : kernel(kernel), b(kernel.builder()) {}

  /// Whether test() has an answer.
  static bool canTest(mlir::Value mask);
  /// Null is a mask that is true.
  llvm::Value *test(mlir::Value mask);

private:
  llvm::Value *testLine(mlir::Value mask);

  KernelEmitter &kernel;
  Builder &b;
};

} // namespace nereid::backend::cpu
