// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/products/FactorPlaces.h"

#include "backend/gpu/products/Products.h"
#include "layout/OperandImage.h"

using namespace mlir;

namespace nereid::backend::nvptx {

using namespace gpu;

/// The dimension along which the sum runs.
static unsigned depthOf(Side side) { return side == Side::Lhs ? 1 : 0; }

bool isReadable(nv::SharedType type, Side side) {
  unsigned bytes = tile::byteSizeOf(type.getElementType());
  std::optional<layout::OperandImage> image = layout::findImage(type.getLayout(), bytes);
  return image && (bytes == 2 || image->contiguous == depthOf(side));
}

nv::SharedType stagedType(Value factor, Side side) {
  Type tile = factor.getType();
  unsigned bytes = tile::byteSizeOf(tile::elementOf(tile));
  unsigned contiguous = bytes != 2                                ? depthOf(side)
                        : factor.getDefiningOp<tile::PermuteOp>() ? 0
                                                                  : 1;
  return nv::SharedType::get(tile.getContext(), tile::shapeOf(tile), tile::elementOf(tile),
                             layout::widestImage(nv::paddedShape(tile), contiguous, bytes).layout);
}

/// Whether the right factor is a slot, perhaps turned, as products read it.
static bool isReadInSlot(Value factor, llvm::function_ref<nv::SharedType(tile::LoadOp)> slotOf) {
  bool isTurned = false;
  while (auto permute = factor.getDefiningOp<tile::PermuteOp>()) {
    isTurned = !isTurned;
    factor = permute.getSource();
  }
  auto load = factor.getDefiningOp<tile::LoadOp>();
  nv::SharedType slot = load ? slotOf(load) : nv::SharedType();
  // The sum of a turned tile runs along the other dimension.
  return slot && isReadable(slot, isTurned ? Side::Lhs : Side::Rhs);
}

uint64_t bytesStagedInRound(scf::ForOp loop,
                            llvm::function_ref<nv::SharedType(tile::LoadOp)> slotOf) {
  uint64_t most = 0;
  for (auto dot : loop.getBody()->getOps<tile::DotOp>()) {
    Value factor = dot.getRhs();
    if (factor.getParentBlock() == loop.getBody() && isOfWarpgroups(dot) &&
        !isReadInSlot(factor, slotOf))
      most = std::max(most, stagedType(factor, Side::Rhs).getSlotBytes());
  }
  return most;
}

} // namespace nereid::backend::nvptx
