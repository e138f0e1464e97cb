// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/products/ProductRegisters.h"

#include "analysis/Slice.h"
#include "backend/gpu/products/Products.h"

#include "mlir/IR/Matchers.h"

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

namespace {

/// A product whose sums begin at nothing in each round, and what it is computed from there.
struct ProductOfRound {
  nv::MultiplyOp multiply;
  llvm::SetVector<Operation *> sources;
};

} // namespace

static llvm::SetVector<Operation *> sourcesInRound(nv::MultiplyOp multiply) {
  using analysis::Belongs;
  Block *round = multiply->getBlock();
  return *analysis::backwardSlice(multiply->getOperands(), [round](Operation *source) {
    return source->getBlock() == round ? Belongs::Yes : Belongs::No;
  });
}

/// Whether everything that is computed from the sums, but for products, stands before the other.
static bool isReadBefore(nv::MultiplyOp multiply, Operation *other) {
  Block *round = multiply->getBlock();
  llvm::SetVector<Operation *> readers;
  readers.insert(multiply);
  for (size_t i = 0; i < readers.size(); ++i)
    for (Operation *user : readers[i]->getUsers()) {
      Operation *reader = round->findAncestorOpInBlock(*user);
      if (!reader || reader == round->getTerminator())
        return false;
      if (llvm::isa<nv::MultiplyOp>(reader))
        continue;
      if (!reader->isBeforeInBlock(other))
        return false;
      readers.insert(reader);
    }
  return true;
}

unsigned sumRegistersAtOnce(Block &round) {
  unsigned carried = 0, most = 0, left = 0;
  llvm::SmallVector<ProductOfRound> products;
  for (auto multiply : round.getOps<nv::MultiplyOp>())
    if (matchPattern(multiply.getAccumulator(), m_Constant()))
      products.push_back({multiply, sourcesInRound(multiply)});
    else {
      carried += sumRegisters(multiply);
      left = std::max(left, leftRegisters(multiply));
    }
  auto follows = [](const ProductOfRound &one, const ProductOfRound &other) {
    return one.sources.contains(other.multiply) && isReadBefore(other.multiply, one.multiply);
  };
  for (const ProductOfRound &one : products) {
    unsigned registers = 0;
    for (const ProductOfRound &other : products)
      if (!follows(one, other) && !follows(other, one))
        registers += sumRegisters(other.multiply);
    most = std::max(most, registers);
  }
  return carried + most + left;
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
