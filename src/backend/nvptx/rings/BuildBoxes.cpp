// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/rings/Boxes.h"
#include "layout/OperandImage.h"

using namespace mlir;

namespace nereid::backend::nvptx {

using analysis::AffineTiles;
using analysis::Polynomial;

static constexpr int64_t unbounded = int64_t(1) << 31;
static constexpr int64_t mostRows = 256; // that one copy moves or passes over

/// What one copy moves: rows of the slot's swizzle that follow one another there, up to as many as
/// the engine takes or passes over, and how far apart they are in the array.
struct CopyShape {
  llvm::SmallVector<int64_t> shape;
  int64_t step;
};

static CopyShape copyShape(nv::SharedType slot, size_t rank) {
  unsigned bytes = tile::byteSizeOf(slot.getElementType());
  layout::OperandImage image = *layout::findImage(slot.getLayout(), bytes);
  CopyShape copy{llvm::SmallVector<int64_t>(rank, 1),
                 image.rows == layout::RowOrder::EvenFirst ? 2 : 1};
  copy.shape[0] = image.rowGroupBytes / 8 / bytes;
  copy.shape[1] = std::min<int64_t>(slot.getShape()[1 - image.contiguous], mostRows) / copy.step;
  return copy;
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
  const CopyShape copy = copyShape(slot, box.dimensions.size());
  return nv::BoxOp::create(builder, loc, nv::BoxType::get(builder.getContext()), box.base,
                           tiles.materialize(box.offset, builder, loc, i64), extents, strides,
                           multiples, builder.getDenseI64ArrayAttr(divisors),
                           builder.getDenseI64ArrayAttr(copy.shape), copy.step);
}

llvm::SmallVector<Value> buildStarts(const Box &box, const AffineTiles &tiles, OpBuilder &builder,
                                     Location loc) {
  llvm::SmallVector<Value> at;
  for (const Box::Dimension &dimension : box.dimensions)
    at.push_back(tiles.materialize(dimension.start, builder, loc, builder.getI32Type()));
  return at;
}

} // namespace nereid::backend::nvptx
