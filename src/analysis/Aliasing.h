// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which accesses of a kernel may be of one element: asked by all who move accesses past each other.
#pragma once

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::analysis {

class Aliasing {
public:
  /// Whether arrays that are arguments may overlap, the kernel says itself (tile.noalias).
  explicit Aliasing(mlir::func::FuncOp kernel)
      : areArgumentsApart(kernel->hasAttr(tile::noAliasAttr)) {}

  /// Whether two pointers, or tiles of them, may lead to one element. One that is null leads
  /// anywhere, as does one of which it cannot be seen what it was computed from. Equal addresses of
  /// one array that are certainly apart (other rows, other rounds) count as meeting.
  bool mayMeet(mlir::Value pointer, mlir::Value other) const;

  /// The first operation in `scope` that writes what the load may read, or waits for who writes it;
  /// null if there is none: then the load may be made before the scope. A barrier of the program's
  /// own threads waits for nobody else (tile::handsOver).
  mlir::Operation *findWriter(tile::LoadOp load, mlir::Operation *scope) const;
  bool isUnwritten(tile::LoadOp load, mlir::Operation *scope) const {
    return !findWriter(load, scope);
  }
  /// Whether nothing in `scope` itself writes what the load may read, whomever it waits for.
  bool isUnwrittenHere(tile::LoadOp load, mlir::Operation *scope) const;

  bool knowsArgumentsApart() const { return areArgumentsApart; }

private:
  bool mayWrite(mlir::Operation *op, tile::LoadOp load) const;

  bool areArgumentsApart;
};

} // namespace nereid::analysis
