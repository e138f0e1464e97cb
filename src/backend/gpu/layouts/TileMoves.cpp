// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/layouts/TileMoves.h"

#include "dialect/tile/Tile.h"

using namespace mlir;

namespace nereid::backend::gpu {

layout::Conversion conversionOf(nv::ConvertOp op, layout::MatrixInstructions matrices) {
  return layout::planConversion(nv::layoutOf(op.getSource()), nv::layoutOf(op.getType()),
                                tile::byteSizeOf(tile::elementOf(op.getType())),
                                {.matrices = matrices});
}

layout::SharedAccess readAccess(Type tile, nv::SharedType room,
                                layout::MatrixInstructions matrices) {
  return layout::cheapestAccess(nv::layoutOf(tile), room.getLayout(),
                                tile::byteSizeOf(room.getElementType()), matrices.load);
}

layout::SharedAccess writeAccess(Type tile, nv::SharedType room,
                                 layout::MatrixInstructions matrices) {
  return layout::cheapestAccess(nv::layoutOf(tile), room.getLayout(),
                                tile::byteSizeOf(room.getElementType()), matrices.store);
}

layout::LinearLayout sentLayout(nv::SendOp op) {
  auto part = llvm::cast<nv::SharedType>(op.getRoom().getType());
  auto shape = tile::shapeOf(op.getTile().getType());
  std::vector<layout::Coordinates> bases;
  layout::Shape counts;
  for (unsigned dimension : {0, 1}) {
    counts.push_back(shape[dimension] / part.getShape()[dimension]);
    for (uint64_t step = 1; step < counts.back(); step *= 2) {
      bases.push_back({0, 0});
      bases.back()[dimension] = step;
    }
  }
  return part.getLayout() *
         layout::LinearLayout({{layout::Offset, bases}}, layout::tileSpaces(counts));
}

SendAccess sendAccess(nv::SendOp op, layout::MatrixInstructions matrices) {
  auto part = llvm::cast<nv::SharedType>(op.getRoom().getType());
  const bool isOfColumns = part.getShape()[0] == tile::shapeOf(op.getTile().getType())[0];
  // Lanes' addresses of a matrix's rows may be of several parts, down the rows.
  const bool allowMatrices = isOfColumns && matrices.store;
  const unsigned bytes = tile::byteSizeOf(part.getElementType());
  const layout::LinearLayout threads = nv::layoutOf(op.getTile()), room = sentLayout(op);
  const auto swap = layout::helpfulSwap(threads, room, bytes, allowMatrices,
                                        part.getShape()[0] * part.getShape()[1]);
  return {swap, layout::cheapestAccess(swap ? layout::swapped(threads, *swap) : threads, room,
                                       bytes, allowMatrices)};
}

} // namespace nereid::backend::gpu
