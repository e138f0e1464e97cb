// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/cpu/products/SumsFromZero.h"

#include "backend/cpu/products/DotShape.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::backend::cpu {

tile::DotOp dotFromZero(scf::ForOp loop, unsigned position, const StoragePlan &plan,
                        const target::CpuTarget &cpu) {
  Value initial = loop.getInitArgs()[position];
  BlockArgument carried = loop.getRegionIterArg(position);
  if (!carried.hasOneUse() ||
      !(matchPattern(initial, m_PosZeroFloat()) || matchPattern(initial, m_Zero())))
    return {};
  auto dot = llvm::dyn_cast<tile::DotOp>(*carried.user_begin());
  if (!dot || dot->getParentOp() != loop || dot.getAccumulator() != carried ||
      !plan.shareBuffer(carried, dot.getResult()) || DotShape(dot, cpu).needsOwnSums(dot))
    return {};
  return dot;
}

scf::ForOp loopFromZero(tile::DotOp dot, const StoragePlan &plan, const target::CpuTarget &cpu) {
  auto carried = llvm::dyn_cast<BlockArgument>(dot.getAccumulator());
  auto loop = llvm::dyn_cast<scf::ForOp>(dot->getParentOp());
  if (!carried || !loop || carried.getOwner() != loop.getBody() ||
      carried == loop.getInductionVar())
    return {};
  bool isFromZero = dotFromZero(loop, carried.getArgNumber() - 1, plan, cpu) == dot;
  return isFromZero ? loop : scf::ForOp();
}

} // namespace nereid::backend::cpu
