// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/cpu/KernelEmitter.h"

using namespace mlir;

namespace nereid::backend::cpu {

void KernelEmitter::emitGather(Operation *op) {
  auto gather = llvm::cast<tile::GatherOp>(op);
  Value indices = gather.getIndices(), result = gather.getResult();
  llvm::ArrayRef<int64_t> shape = tile::shapeOf(result.getType());
  unsigned vectorDim = vectorDimFor(indices, shape);
  unsigned width = widthFor(result, shape[vectorDim], 2);
  Nest nest(*this, shape, innermostLast(shape.size(), vectorDim), vectorDim, width);
  nest.expect(indices, nest.identity());
  nest.emit([&] {
    llvm::Value *index = nest.vector(nest.evaluate(indices, nest.identity()));
    llvm::Value *value = nest.gather(gather.getSource(), gather.getAxis(), index, nest.identity());
    nest.writeScratch(plan.offsetOf(result), shape, tile::elementOf(result.getType()),
                      nest.identity(), value);
  });
}

} // namespace nereid::backend::cpu
