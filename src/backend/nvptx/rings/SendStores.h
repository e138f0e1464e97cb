// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores of what products have added up, and atomic adds of it, which the copy engine can do.
#pragma once

#include "backend/nvptx/rings/Boxes.h"
#include "dialect/nv/Nv.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::backend::nvptx {

struct Send {
  mlir::Operation *store; // or the atomic that adds
  Box box;
  nv::ProductAttr product; // whose sums lie as the tile does
  nv::LayoutAttr lies;     // or how it lies if the sums were turned; else null
  nv::SharedType piece;    // what is copied at a time

  bool adds() const { return llvm::isa<tile::AtomicRmwOp>(store); }
  /// How many pieces there is shared memory for: one is written while another one is copied. Who
  /// adds in each round of a loop writes all of them, and waits once.
  unsigned stages() const;
  uint64_t roomBytes() const;
  /// Whether the other goes through the same room, as parts of one store do.
  bool sharesRoom(const Send &other) const;
};

/// What the rooms take of all these.
uint64_t bytesOfRooms(llvm::ArrayRef<const Send *> sends);

/// The stores, and the relaxed adds of floats whose result nobody reads, whose values come from
/// sums of products of warpgroups and whose addresses are boxes of arrays that the kernel does not
/// touch otherwise.
std::vector<Send> findSends(mlir::func::FuncOp kernel, analysis::AffineTiles &tiles,
                            const analysis::AxisAnalysis &axes);

} // namespace nereid::backend::nvptx
