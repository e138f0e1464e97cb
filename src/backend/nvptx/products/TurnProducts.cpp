// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/products/Products.h"
#include "backend/nvptx/Passes.h"
#include "backend/nvptx/products/FactorPlaces.h"
#include "backend/nvptx/products/TensorCores.h"

using namespace mlir;

namespace nereid::backend::nvptx {

#define GEN_PASS_DEF_TURNPRODUCTS
#include "backend/nvptx/Passes.h.inc"

namespace {

using namespace gpu;

/// The factor of bytes that lies along the result. If both do, the right one is turned in shared
/// memory (nv.turn).
nv::Turned factorAlongResult(tile::DotOp dot, const analysis::AxisAnalysis &axes) {
  for (Value factor : {dot.getLhs(), dot.getRhs()})
    if (tile::byteSizeOf(tile::elementOf(factor.getType())) != 1)
      return nv::Turned::None;
  const auto left = dimensionOfNeighbours(dot.getLhs(), axes),
             right = dimensionOfNeighbours(dot.getRhs(), axes);
  if (!left || !right)
    return nv::Turned::None;
  if (*left == 0)
    return nv::Turned::Left;
  return *right == 1 ? nv::Turned::Right : nv::Turned::None;
}

/// How warpgroups compute the product if they turn this factor: its rows are the instructions', and
/// each warpgroup has some of them if there are enough, so that none reads what another one does.
std::optional<nv::ProductAttr> withTurned(tile::DotOp dot, nv::Turned turned) {
  const bool isRight = turned == nv::Turned::Right;
  const auto shape = tile::shapeOf(dot.getType());
  const unsigned rows = shape[isRight ? 1 : 0], columns = shape[isRight ? 0 : 1];
  nv::ProductAttr product = productOf(dot);
  const unsigned groups = product.getBelow() * product.getBeside();
  if (rows < rowsPerGroup)
    return std::nullopt;
  const unsigned ofRows = std::min(groups, rows / rowsPerGroup), ofColumns = groups / ofRows;
  if (columns / ofColumns < leastColumns)
    return std::nullopt;
  const nv::Overlap overlap =
      product.getOverlap() == nv::Overlap::None ? nv::Overlap::None : nv::Overlap::InFlight;
  return nv::ProductAttr::get(
      dot.getContext(), product.getBy(), isRight ? ofColumns : ofRows, isRight ? ofRows : ofColumns,
      std::min(mostColumns, columns / ofColumns), product.getDepth(), overlap,
      product.getLeftOfRound(), product.getChained(), turned, product.getEvenColumnsFirst());
}

struct TurnProducts final : ConfiguredPass<impl::TurnProductsBase<TurnProducts>, TurnProducts> {
  void run(func::FuncOp kernel, const Configuration &) {
    const analysis::AxisAnalysis axes(kernel);
    kernel.walk([&](tile::DotOp dot) {
      if (!isOfWarpgroups(dot) || productOf(dot).getChained() || productOf(dot).getLeftOfRound())
        return;
      const nv::Turned turned = factorAlongResult(dot, axes);
      if (turned == nv::Turned::None)
        return;
      // What no round changes is turned once.
      Value factor = turned == nv::Turned::Right ? dot.getRhs() : dot.getLhs();
      if (factor.getParentBlock() != dot->getBlock())
        return;
      if (auto product = withTurned(dot, turned))
        dot->setAttr(nv::productAttr, *product);
    });
  }
};

} // namespace

} // namespace nereid::backend::nvptx
