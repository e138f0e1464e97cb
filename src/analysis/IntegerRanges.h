// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between which bounds the integers of a kernel of threads are, by what they are computed from and
// by the conditions under which a place is come to.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/ConstantRange.h"

#include <optional>

namespace nereid::analysis {

/// A comparison of two integers that holds.
struct Fact {
  mlir::arith::CmpIPredicate predicate;
  mlir::Value lhs, rhs;
};

/// Of scalars; the ranges hold in wrapping arithmetic, as the operations compute. What loops carry
/// is bounded where every turn keeps the bound.
class IntegerRanges {
public:
  explicit IntegerRanges(mlir::func::FuncOp kernel);

  /// Of an integer, where `place` comes to it.
  llvm::ConstantRange rangeOf(mlir::Value value, mlir::Operation *place);
  /// What the comparison gives wherever it is come to, if that is one answer.
  std::optional<bool> decide(mlir::arith::CmpIOp comparison);

private:
  using Ranges = llvm::SmallVector<llvm::ConstantRange, 2>;

  llvm::ConstantRange search(mlir::Value value, mlir::Block *block, unsigned depth);
  llvm::ConstantRange computed(mlir::Value value, mlir::Block *block, unsigned depth);
  llvm::ConstantRange narrowed(llvm::ConstantRange range, mlir::Value value, mlir::Block *block,
                               unsigned depth);
  llvm::ConstantRange difference(mlir::arith::SubIOp op, const Ranges &operands,
                                 mlir::Block *block);
  llvm::ConstantRange counted(mlir::scf::ForOp loop, mlir::Block *block, unsigned depth);
  llvm::ConstantRange chosen(mlir::scf::IfOp branch, unsigned result, unsigned depth);
  llvm::ArrayRef<Fact> factsAt(mlir::Block *block);
  void prove(mlir::ValueRange initial, mlir::ValueRange carried, mlir::ValueRange next,
             mlir::Block *lastBlock);

  mlir::func::FuncOp kernel;
  llvm::DenseMap<mlir::Value, llvm::ConstantRange> carriedRanges;
  llvm::DenseMap<mlir::Block *, llvm::SmallVector<Fact, 4>> facts;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Block *>, llvm::ConstantRange> found;
};

} // namespace nereid::analysis
