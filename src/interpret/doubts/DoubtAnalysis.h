// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which values of a kernel can be in doubt at all, so that only those get a shadow.
#pragma once

#include "interpret/doubts/DoubtSites.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace nereid::interpret {

class DoubtAnalysis {
public:
  DoubtAnalysis(mlir::func::FuncOp kernel, bool findsNonFinite);

  /// The kinds of doubt that an operation can raise, whatever its operands.
  DoubtKinds raisedBy(mlir::Operation *op) const;
  /// The kinds that a value can have.
  DoubtKinds kindsOf(mlir::Value value) const { return kinds.lookup(value); }
  /// Whether `op` is a reduction or scan whose combining can raise a doubt.
  bool raisesInside(mlir::Operation *op) const;

private:
  void findAddresses(mlir::func::FuncOp kernel);
  bool spread(mlir::Value value, mlir::Operation *op);

  bool findsNonFinite;
  llvm::DenseSet<mlir::Value> inAddresses;
  llvm::DenseMap<mlir::Value, DoubtKinds> kinds;
};

/// The kinds that leave `op` with its result if they come in with an operand.
DoubtKinds passedBy(mlir::Operation *op);

} // namespace nereid::interpret
