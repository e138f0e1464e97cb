// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::backend::nvptx {

/// Of a loop no two rounds of which touch one element of memory, unless both only read it.
inline constexpr llvm::StringLiteral disjointRoundsAttr = "nv.disjoint_rounds";

/// Puts an nv.sync before each access of global memory that may touch an element which another
/// thread of the program touched before it, one of the two writing. A program's own accesses keep
/// the order of its text that way (docs/memory-model.md). Layouts are assigned.
void orderAccesses(mlir::func::FuncOp kernel);

} // namespace nereid::backend::nvptx
