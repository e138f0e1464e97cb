// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factors of a product that is read out of shared memory.
#pragma once

#include "dialect/nv/Nv.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace nereid::backend::gpu {

class SharedFactors {
public:
  explicit SharedFactors(tile::DotOp dot) : dot(dot), builder(dot) {}

  /// The slot from which the factor is read, perhaps turned, if `isReadable` says that the product
  /// can read it there; or null.
  mlir::Value findView(mlir::Value factor, llvm::function_ref<bool(nv::SharedType)> isReadable);
  /// Put into shared memory where it is made: once for all rounds of loops that it is made before.
  mlir::Value stage(mlir::Value factor, nv::SharedType type);
  /// The same of bytes that lie in shared memory, but along the other dimension.
  mlir::Value turn(mlir::Value view, nv::SharedType type);
  /// Whether something was put there for this product alone.
  bool hasRooms() const { return !rooms.empty(); }
  /// Which is free from here on.
  void freeRooms(mlir::OpBuilder &builder);

private:
  mlir::Value stage(mlir::Value factor, nv::SharedType type,
                    llvm::function_ref<void(mlir::Value)> put);

  tile::DotOp dot;
  mlir::OpBuilder builder;
  llvm::SmallVector<mlir::Value> rooms;
};

} // namespace nereid::backend::gpu
