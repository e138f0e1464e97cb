// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What nvptx-choose-products wrote on a product.
#pragma once

#include "dialect/nv/Nv.h"

namespace nereid::backend::gpu {

nv::ProductAttr productOf(tile::DotOp dot);

inline bool isOfWarpgroups(tile::DotOp dot) {
  return productOf(dot).getBy() == nv::Multiplier::Warpgroups;
}

/// The product that the tile is made from by arithmetic of lanes, perhaps in the rounds of a loop;
/// null if there is none.
tile::DotOp productBehind(mlir::Value tile);

/// How the product does overlap with the next round's, which is how it may or not at all.
nv::Overlap overlapOf(tile::DotOp dot);
void setOverlap(tile::DotOp dot, nv::Overlap overlap);

} // namespace nereid::backend::gpu
