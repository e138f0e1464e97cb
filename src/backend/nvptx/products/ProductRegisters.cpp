// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/products/ProductRegisters.h"

using namespace mlir;

namespace nereid::backend::nvptx {

static unsigned elementsOfThread(const layout::LinearLayout &layout) {
  return 1u << layout.bases(layout::Register).size();
}

unsigned sumRegisters(nv::MultiplyOp multiply) { return elementsOfThread(multiply.resultLayout()); }

unsigned sumRegisters(Block &round) {
  unsigned registers = 0;
  for (auto multiply : round.getOps<nv::MultiplyOp>())
    registers += sumRegisters(multiply);
  return registers;
}

unsigned leftRegisters(nv::MultiplyOp multiply) {
  if (!tile::isTile(multiply.getLhs().getType()))
    return 0;
  unsigned bits = tile::elementOf(multiply.getLhs().getType()).getIntOrFloatBitWidth();
  return elementsOfThread(multiply.lhsLayout()) * bits / 32;
}

} // namespace nereid::backend::nvptx
