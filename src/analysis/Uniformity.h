// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which values of a kernel of threads differ between the threads of a block.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace nereid::analysis {

/// Of every block together: a value that is uniform is the same for all threads of a block that
/// come to it in the same turn of the loops around it.
class Uniformity {
public:
  explicit Uniformity(mlir::func::FuncOp kernel);

  bool differs(mlir::Value value) const { return differing.contains(value); }
  /// Whether threads part there: the condition of an if, the number of turns of a loop.
  bool parts(mlir::Operation *op) const { return parting.contains(op); }

private:
  void visit(mlir::Block &block);
  void visit(mlir::Operation *op);
  void visitIf(mlir::Operation *op);
  void visitFor(mlir::Operation *op);
  void visitWhile(mlir::Operation *op);
  void mark(mlir::Value value);
  void markWhere(mlir::Value value, bool doesDiffer) {
    if (doesDiffer)
      mark(value);
  }
  void part(mlir::Operation *op);

  llvm::DenseSet<mlir::Value> differing;
  llvm::DenseSet<mlir::Operation *> parting;
  bool hasChanged = false;
};

} // namespace nereid::analysis
