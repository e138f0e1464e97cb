// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which elements a thread has of a tile that is stored along another axis than it is loaded along.
#pragma once

#include "layout/SharedLayout.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace nereid::backend::gpu {

using ElementBits = llvm::SmallVector<layout::Vector, 4>;

/// Elements that a thread is to have besides its neighbours, where an access lies as said: under
/// another mask, one through the same pointer may not.
struct CrossedAccess {
  layout::LinearLayout layout;
  ElementBits elements;
};

/// Elements that are loaded along one axis and stored along another change hands. Threads that have
/// loaded neighbours along both axes send whole words of what is stored; others a byte here and
/// there. By pointer, which elements a thread is to have besides its neighbours, where that costs
/// less: for the loads that stored tiles are made of, and all accesses that meet these and lie as
/// they do. `layoutOf` gives the layout of an access that knows nothing of this.
llvm::DenseMap<mlir::Value, CrossedAccess> crossedAccesses(
    mlir::func::FuncOp kernel, layout::MatrixInstructions matrices,
    llvm::function_ref<bool(mlir::Value tile)> isSettled,
    llvm::function_ref<layout::LinearLayout(mlir::Value pointer, mlir::Value mask)> layoutOf);

/// The layout of an access with these elements behind a thread's first neighbours.
layout::LinearLayout withElements(const layout::LinearLayout &layout, const ElementBits &elements);

} // namespace nereid::backend::gpu
