// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats that round correctly on every target: quotients and square roots of float32, others of
// which may be approximated where upstream approximates them, to 2 units in the last place on GPUs;
// exponentials, which are then as near as a library's and not as the hardware's; and products,
// others of which may become one rounding with the sum that they are part of, as upstream has it on
// GPUs.
#pragma once

#include "mlir/Dialect/Math/IR/Math.h"

namespace nereid::tile {

/// The attribute that marks such an operation.
inline constexpr llvm::StringLiteral exactAttr = "tile.exact";

inline bool isExact(mlir::Operation *op) { return op->hasAttr(exactAttr); }

/// Marks the operation that makes the value, if it is one of these.
inline void makeExact(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  if (op && llvm::isa<mlir::arith::DivFOp, mlir::arith::MulFOp, mlir::math::SqrtOp,
                      mlir::math::ExpOp, mlir::math::Exp2Op>(op))
    op->setAttr(exactAttr, mlir::UnitAttr::get(op->getContext()));
}

} // namespace nereid::tile
