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
  llvm::Value *test(mlir::Value mask) { return test(mask, {}); }
  /// Of lines along that dimension of `at` that is 0 no more is looked at than `end` elements.
  llvm::Value *testUpTo(llvm::Value *end, mlir::Value mask, Coordinates at);

private:
  /// `at` is empty where all of each line counts.
  llvm::Value *test(mlir::Value mask, Coordinates at);
  llvm::Value *testLine(mlir::Value mask, const Coordinates &at);
  llvm::Value *hasNoGap(Nest &nest, unsigned along, llvm::Value *lanes);

  KernelEmitter &kernel;
  Builder &b;
  llvm::Value *end = nullptr;
};

} // namespace nereid::backend::cpu
