// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/products/ProductRegisters.h"

#include "backend/gpu/products/Products.h"

#include "llvm/Support/FormatVariadic.h"

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

std::string whyNotBeside(unsigned registers, const Configuration &configuration) {
  const unsigned all = registers + configuration.policy.other_registers,
                 most = configuration.target.registersPerThread;
  if (all <= most)
    return "";
  return llvm::formatv("both products take {0} registers, of {1} that a thread has", all, most);
}

std::string whyNotBeside(tile::DotOp dot, const Configuration &configuration) {
  auto elements = [&](Type tile) { return tile::elementCount(tile) / configuration.threads(); };
  uint64_t others = 0, left = 0;
  for (auto other : dot->getBlock()->getOps<tile::DotOp>())
    if (other != dot && gpu::isOfWarpgroups(other))
      others = std::max<uint64_t>(others, elements(other.getType()));
  if (gpu::productOf(dot).getLeftOfRound())
    left = elements(dot.getLhs().getType()) *
           tile::elementOf(dot.getLhs().getType()).getIntOrFloatBitWidth() / 32;
  return whyNotBeside(unsigned(elements(dot.getType()) + others + left), configuration);
}

} // namespace nereid::backend::nvptx
