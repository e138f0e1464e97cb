// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How regular integers and addresses are along each dimension of a tile: what wide memory accesses
// rest on.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Value.h"

#include <optional>

namespace nereid::analysis {

/// Of one dimension. A run of n is the indices [i * n, (i + 1) * n) for every i.
struct Axis {
  /// The values of each run of this length are v, v + 1, v + 2, ... (of pointers: elements).
  int64_t contiguity = 1;
  /// The values of each run of this length are equal.
  int64_t constancy = 1;
  /// The first value of each run of `contiguity` is a multiple of this power of two (of pointers:
  /// in bytes).
  int64_t divisibility = 1;

  bool operator==(const Axis &) const = default;
};

struct AxisInfo {
  /// One for each dimension; one for a scalar, of a single index.
  llvm::SmallVector<Axis, 4> axes;
  /// The value that every element has, if it is known.
  std::optional<int64_t> constant;
  /// No element is below zero, unless arithmetic on 32 bits or more has wrapped.
  bool isNonNegative = false;
  /// The same, if no parameter is below zero.
  bool isCount = false;

  bool operator==(const AxisInfo &) const = default;
};

/// Of every integer and pointer of a kernel.
class AxisAnalysis {
public:
  explicit AxisAnalysis(mlir::func::FuncOp kernel);
  /// Knowing nothing, for what the analysis has not seen.
  AxisInfo of(mlir::Value value) const;

private:
  void visit(mlir::Block &block);
  void visit(mlir::Operation *op);
  void visitLoop(mlir::Operation *loop, mlir::ValueRange inits, mlir::ValueRange carried,
                 mlir::Block &body, llvm::function_ref<mlir::ValueRange()> next);
  void set(mlir::Value value, AxisInfo info);

  llvm::DenseMap<mlir::Value, AxisInfo> known;
};

/// How many elements, from one at a multiple of the result on, may be accessed together along
/// `dim`: they are neighbours in memory, aligned as a whole, and masked alike. `mask` may be null.
/// A power of two; `mostBytes` bounds the access.
int64_t vectorLength(const AxisAnalysis &analysis, mlir::Value pointer, mlir::Value mask,
                     unsigned dim, unsigned mostBytes);

/// Whether no two elements of this tile of pointers are the same, as far as that is seen: of a row
/// of neighbours it is.
bool isDistinct(const AxisAnalysis &analysis, mlir::Value pointer);

} // namespace nereid::analysis
