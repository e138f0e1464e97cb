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

} // namespace nereid::backend::gpu
