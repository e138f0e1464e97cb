// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What decides which addresses a kernel accesses and how often, and nothing else: the kernel as the
// back end's passes left it, without its products and sums, in a form that the interpreter runs.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/ADT/DenseSet.h"

#include <optional>
#include <string>
#include <vector>

namespace nereid::analyzer {

/// A function whose loads stand for all accesses of the kernel, those of the copy engine among them
/// (as tiles of the addresses of a box), and for the beginning of each block of operations. It
/// writes nothing.
///
/// Its programs are counted along x. After the kernel's parameters it has two pointers: one to
/// three i32 for each program, where in the kernel's grid it is; and one to a byte, which is loaded
/// where a block begins. Then the grid's extents, i32.
class AddressSlice {
public:
  explicit AddressSlice(mlir::func::FuncOp kernel);

  mlir::func::FuncOp function() const { return slice; }
  /// The same without the accesses on which no round and no branch depends: much less to run. Null
  /// where rounds and branches are all programs' alike.
  mlir::func::FuncOp rounds() const { return roundsAlone; }
  /// Of an access: the operation that it stands for.
  mlir::Operation *accessAt(mlir::Location location) const;
  /// Of the beginning of a block: the kernel's.
  mlir::Block *blockAt(mlir::Location location) const;
  /// Whether addresses, masks or rounds depend on what this load finds.
  bool decides(mlir::Operation *access) const { return deciding.contains(access); }
  /// Whether what lanes have loaded says where each of them accesses.
  bool isFound(mlir::Operation *access) const { return found.contains(access); }
  /// Whether addresses or rounds depend on values that are not computed here: on what the kernel
  /// sends through shared memory. They count as zero.
  bool isGuessed() const { return guesses; }

private:
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp slice, roundsAlone;
  std::vector<mlir::Operation *> accesses;
  std::vector<mlir::Block *> blocks;
  llvm::DenseSet<mlir::Operation *> deciding, found;
  bool guesses = false;

  friend class Slicer;
};

} // namespace nereid::analyzer
