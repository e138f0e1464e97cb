// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/LimitRegisters.h"

#include "backend/nvptx/ProductLoads.h"
#include "dialect/nv/Nv.h"

using namespace mlir;

namespace nereid::backend::nvptx {
namespace {

constexpr unsigned registersOfSm = 65536, mostRegisters = 255;
/// Warps get registers in units of this many a thread.
constexpr unsigned registerUnit = 8;
/// For addresses, factors in registers, and what is computed from sums.
constexpr unsigned registersBesideSums = 48;

unsigned mostSumRegisters(func::FuncOp kernel) {
  llvm::DenseMap<Block *, unsigned> ofBlocks;
  unsigned most = 0;
  kernel.walk([&](nv::MultiplyOp product) {
    unsigned &sum = ofBlocks[product->getBlock()];
    sum += 1u << product.resultLayout().bases(layout::Register).size();
    most = std::max(most, sum);
  });
  return most;
}

} // namespace

std::optional<unsigned> registersForTwoBlocks(func::FuncOp kernel,
                                              const target::NvidiaTarget &target, unsigned threads,
                                              uint64_t sharedBytes) {
  unsigned sums = mostSumRegisters(kernel);
  unsigned limit = llvm::alignDown(registersOfSm / (2 * threads), registerUnit);
  bool isPossible = sums > 0 && 2 * (sharedBytes + blockOverhead) <= target.sharedPerSm;
  return isPossible && limit < mostRegisters && sums + registersBesideSums <= limit
             ? std::optional(limit)
             : std::nullopt;
}

} // namespace nereid::backend::nvptx
