// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/llvm/MathNames.h"

#include "mlir/Dialect/Math/IR/Math.h"

namespace nereid::backend {

llvm::StringRef cNameOf(mlir::Operation *op) {
#define MATH_FUNCTION(operation, name, arity, promise32, promise64)                                \
  if (llvm::isa<mlir::math::operation>(op))                                                        \
    return #name;
#include "backend/llvm/math_functions.def"
  return {};
}

} // namespace nereid::backend
