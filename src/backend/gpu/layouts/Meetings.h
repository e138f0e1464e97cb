// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which tiles meet element by element.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace nereid::backend::gpu {

/// Tiles of one shape that lanewise operations, loops and branches bring together, in classes; not
/// those that are made anew wherever they are wanted, which are in no layout of their own. If that
/// is asked for, with their reshaped ones: so many neighbours along the last axis stay such.
class Meetings {
public:
  Meetings(mlir::func::FuncOp kernel, llvm::function_ref<bool(mlir::Value)> isSettled,
           std::optional<int64_t> neighbours = std::nullopt);

  const void *classOf(mlir::Value tile) {
    return classes.getOrInsertLeaderValue(tile.getAsOpaquePointer());
  }

private:
  void meet(mlir::ValueRange tiles, llvm::function_ref<bool(mlir::Value)> isSettled);
  void visit(mlir::Operation *op, llvm::function_ref<bool(mlir::Value)> isSettled);

  std::optional<int64_t> neighbours;
  llvm::EquivalenceClasses<const void *> classes;
};

} // namespace nereid::backend::gpu
