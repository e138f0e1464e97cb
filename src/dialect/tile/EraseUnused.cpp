// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/tile/EraseUnused.h"

#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nereid::tile {

void eraseUnused(Operation *root) {
  // Users stand behind what they use, so that one walk from the end finds all.
  root->walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
    if (op != root && isOpTriviallyDead(op))
      op->erase();
  });
}

} // namespace nereid::tile
