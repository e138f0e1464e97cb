// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop of products whose rounds several threads may share, where a launch has fewer programs than
// there are cores: each adds up some of the rounds, from zeros, and the sums are added in the end.
#pragma once

#include "runtime/Artifact.h"
#include "target/CpuTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace nereid::backend::cpu {

struct ShareableLoop {
  /// Stands in the kernel's own block. Nothing up to its end does what others could see, or takes
  /// long before it begins: each part runs that for itself.
  mlir::scf::ForOp loop;
  /// What a value that the loop carries grows by in each round, scalars that are the same in all;
  /// of a sum nothing.
  struct Carried {
    llvm::SmallVector<mlir::Value, 2> steps;
    bool isSum() const { return steps.empty(); }
  };
  llvm::SmallVector<Carried, 4> carried;

  /// What launches must know of it.
  runtime::SharedLoop described(const target::CpuTarget &cpu) const;
};

/// The kernel's loop if it is one: all that it carries are numbers and pointers that grow by as
/// much in each round, and sums, of which floats come from products, whose sums have no order
/// (docs/reference/tile-dialect.md, tile.dot).
std::optional<ShareableLoop> findShareableLoop(mlir::func::FuncOp kernel);

} // namespace nereid::backend::cpu
