// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/rings/RemarkLoads.h"

#include "backend/gpu/products/Products.h"
#include "backend/gpu/rings/ProductLoads.h"
#include "backend/gpu/rings/RoundSlice.h"
#include "dialect/tile/SourcePlace.h"

using namespace mlir;

namespace nereid::backend::nvptx {

using namespace gpu;
namespace {

/// What of isCopyable's does not hold, but for the value where the mask is false.
llvm::StringRef formOf(tile::LoadOp load) {
  auto type = llvm::dyn_cast<RankedTensorType>(load.getType());
  if (!type || type.getRank() != 2)
    return "its tile has more than two dimensions";
  if (load.getIsVolatile())
    return "it is volatile";
  if (!type.getElementType().isIntOrFloat() || type.getElementType().isInteger(1) ||
      tile::byteSizeOf(type.getElementType()) > 4)
    return "its elements are none of 1, 2 or 4 bytes";
  return "its tile has a side that is no power of two";
}

void remarkLoad(tile::LoadOp load, scf::ForOp loop, const analysis::AxisAnalysis &axes,
                const analysis::Aliasing &aliasing) {
  if (tile::shapeOf(load.getType()).size() < 2)
    return; // a row or a number that goes into a factor
  if (!isCopyable(load)) {
    if (!givesZeroOrNone(load))
      tile::remark(load, RemarkId::load_other);
    else
      tile::remark(load, RemarkId::load_form, formOf(load));
    return;
  }
  Run run = runOf(load, axes);
  if (Operation *writer = aliasing.findWriter(load, loop))
    tile::remark(load, RemarkId::load_overwritten, tile::placeText(writer->getLoc()));
  else if (!isKnownAhead(load, loop, aliasing))
    tile::remark(load, RemarkId::load_behind_memory);
  else if (!hasSlot(load, run.dimension))
    tile::remark(load, RemarkId::load_small,
                 llvm::join(llvm::map_range(tile::shapeOf(load.getType()),
                                            [](int64_t side) { return std::to_string(side); }),
                            " by "));
  else if (run.bytes < leastCopyBytes)
    tile::remark(load, RemarkId::load_narrow, run.bytes);
}

} // namespace

bool isKnownAhead(tile::LoadOp load, scf::ForOp loop, const analysis::Aliasing &aliasing) {
  llvm::SmallVector<Value> roots = {load.getPointer()};
  if (load.getMask())
    roots.push_back(load.getMask());
  return RoundSlice::of(loop, roots, aliasing).has_value();
}

void remarkLoads(scf::ForOp loop, const analysis::AxisAnalysis &axes,
                 const analysis::Aliasing &aliasing,
                 llvm::function_ref<bool(tile::LoadOp)> isFetched) {
  if (!tile::wantsRemarks(loop))
    return;
  const bool multiplies =
      loop->walk([](tile::DotOp) { return WalkResult::interrupt(); }).wasInterrupted();
  for (auto load : loop.getBody()->getOps<tile::LoadOp>())
    if (!productsOf(load).empty() && !isFetched(load))
      remarkLoad(load, loop, axes, aliasing);
    else if (!multiplies && tile::isTile(load.getType()) && !load.getIsVolatile() &&
             !aliasing.findWriter(load, loop) && isKnownAhead(load, loop, aliasing))
      tile::remark(load, RemarkId::load_in_round);
}

void remarkNoRoles(func::FuncOp kernel, llvm::StringRef reason) {
  if (!tile::wantsRemarks(kernel))
    return;
  kernel.walk([&](tile::LoadOp load) {
    auto loop = llvm::dyn_cast<scf::ForOp>(load->getParentOp());
    bool feedsGroups = loop && llvm::any_of(productsOf(load), isOfWarpgroups);
    if (!feedsGroups)
      return WalkResult::advance();
    tile::remark(loop, RemarkId::roles_withheld, reason);
    return WalkResult::interrupt();
  });
}

} // namespace nereid::backend::nvptx
