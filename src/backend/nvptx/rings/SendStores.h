// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores of what products have added up, which the copy engine can do.
#pragma once

#include "backend/nvptx/rings/Boxes.h"
#include "dialect/nv/Nv.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::backend::nvptx {

struct Send {
  tile::StoreOp store;
  Box box;
  nv::ProductAttr product; // whose sums lie as the tile does
  nv::LayoutAttr lies;     // or how it lies if the sums were turned; else null
  nv::SharedType piece;    // what is copied at a time

  /// The shared memory for it: one piece is written while another one is copied.
  uint64_t roomBytes() const;
};

/// The stores whose values come from sums of products of warpgroups and whose addresses are boxes
/// of arrays that the kernel does not touch otherwise.
std::vector<Send> findSends(mlir::func::FuncOp kernel, analysis::AffineTiles &tiles,
                            const analysis::AxisAnalysis &axes);

} // namespace nereid::backend::nvptx
