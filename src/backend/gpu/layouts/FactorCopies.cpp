// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What products' factors are made of, and by how many threads alike.
#include "backend/gpu/layouts/HomeLayouts.h"
#include "backend/gpu/products/DotLayouts.h"
#include "backend/gpu/products/Products.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace nereid::backend::gpu {

/// Threads that hold the same element: each of lanes and warps whose number makes no difference
/// doubles them.
static unsigned copiesIn(const layout::LinearLayout &layout) {
  unsigned copies = 1;
  for (const char *space : {layout::Lane, layout::Warp})
    for (layout::Vector basis : layout.bases(space))
      copies *= basis == 0 ? 2 : 1;
  return copies;
}

void HomeLayouts::countCopies(func::FuncOp kernel) {
  auto count = [&](Value factor, unsigned copies) {
    llvm::SetVector<Value> made;
    made.insert(factor);
    for (size_t i = 0; i < made.size(); ++i) {
      unsigned &most = copiesInFactors[made[i]];
      most = std::max(most, copies);
      Operation *op = made[i].getDefiningOp();
      if (!op || !tile::isLanewise(op) || tile::movesLanes(op) || op->getNumRegions() > 0)
        continue;
      for (Value operand : op->getOperands())
        if (tile::isTile(operand.getType()))
          made.insert(operand);
    }
  };
  kernel.walk([&](tile::DotOp dot) {
    if (productOf(dot).getBy() != nv::Multiplier::Warps)
      return;
    DotLayouts layouts = dotLayouts(dot, warps);
    count(dot.getLhs(), copiesIn(layouts.lhs));
    count(dot.getRhs(), copiesIn(layouts.rhs));
  });
}

} // namespace nereid::backend::gpu
