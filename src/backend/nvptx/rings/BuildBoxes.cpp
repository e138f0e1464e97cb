// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/rings/Boxes.h"
#include "layout/OperandImage.h"

using namespace mlir;

namespace nereid::backend::nvptx {

using analysis::AffineTiles;
using analysis::Polynomial;

static constexpr int64_t unbounded = int64_t(1) << 31;
static constexpr int64_t mostRows = 256; // of one copy

/// Rows of the slot's swizzle, up to as many as the engine takes.
static llvm::SmallVector<int64_t> copyShape(nv::SharedType slot, size_t rank) {
  unsigned bytes = tile::byteSizeOf(slot.getElementType());
  layout::OperandImage image = *layout::findImage(slot.getLayout(), bytes);
  llvm::SmallVector<int64_t> shape(rank, 1);
  shape[0] = image.rowGroupBytes / 8 / bytes;
  shape[1] = std::min<int64_t>(slot.getShape()[1 - image.contiguous], mostRows);
  return shape;
}

nv::BoxOp buildBox(const Box &box, nv::SharedType slot, const AffineTiles &tiles,
                   OpBuilder &builder, Location loc) {
  Type i64 = builder.getI64Type();
  llvm::SmallVector<Value> extents, strides, multiples;
  llvm::SmallVector<int64_t> divisors;
  for (auto [i, dimension] : llvm::enumerate(box.dimensions)) {
    Polynomial extent = dimension.extent ? *dimension.extent : Polynomial(unbounded);
    extents.push_back(tiles.materialize(extent, builder, loc, i64));
    if (i > 0)
      strides.push_back(tiles.materialize(dimension.stride, builder, loc, i64));
    for (const AffineTiles::Condition &condition : tiles.conditionsOf(dimension.start)) {
      multiples.push_back(condition.value);
      divisors.push_back(condition.divisor);
    }
  }
  return nv::BoxOp::create(builder, loc, nv::BoxType::get(builder.getContext()), box.base,
                           tiles.materialize(box.offset, builder, loc, i64), extents, strides,
                           multiples, builder.getDenseI64ArrayAttr(divisors),
                           builder.getDenseI64ArrayAttr(copyShape(slot, box.dimensions.size())));
}

llvm::SmallVector<Value> buildStarts(const Box &box, const AffineTiles &tiles, OpBuilder &builder,
                                     Location loc) {
  llvm::SmallVector<Value> at;
  for (const Box::Dimension &dimension : box.dimensions)
    at.push_back(tiles.materialize(dimension.start, builder, loc, builder.getI32Type()));
  return at;
}

} // namespace nereid::backend::nvptx
