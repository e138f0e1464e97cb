// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/products/Products.h"

#include "analysis/Slice.h"
#include "support/Check.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::backend::gpu {

nv::ProductAttr productOf(tile::DotOp dot) {
  auto product = dot->getAttrOfType<nv::ProductAttr>(nv::productAttr);
  NEREID_CHECK(product, "a tile.dot has no nv.product: nvptx-choose-products comes first");
  return product;
}

tile::DotOp productBehind(Value tile) {
  tile::DotOp found;
  auto isLink = [](Operation *op) {
    return llvm::isa<scf::ForOp>(op) || (tile::isLanewise(op) && !tile::movesLanes(op));
  };
  analysis::followSources(tile, isLink, [&](OpResult source) {
    found = llvm::dyn_cast<tile::DotOp>(source.getOwner());
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

nv::Overlap overlapOf(tile::DotOp dot) {
  auto mark = dot->getAttrOfType<nv::OverlapAttr>(nv::overlapAttr);
  return mark ? mark.getValue() : nv::Overlap::None;
}

void setOverlap(tile::DotOp dot, nv::Overlap overlap) {
  if (overlap == nv::Overlap::None)
    dot->removeAttr(nv::overlapAttr);
  else
    dot->setAttr(nv::overlapAttr, nv::OverlapAttr::get(dot.getContext(), overlap));
}

} // namespace nereid::backend::gpu
