// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analyze/BoxPointers.h"

#include "dialect/nv/Nv.h"
#include "dialect/tile/Tile.h"
#include "layout/OperandImage.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::analyzer {
namespace {

/// Rows of neighbours: of a box's dimensions the first two, in elements.
struct Extent {
  int64_t rows = 1, along = 1;
};

Extent extentOf(nv::FetchOp op) {
  auto type = llvm::cast<nv::SharedType>(op.getRing().getType());
  unsigned bytes = tile::byteSizeOf(type.getElementType());
  unsigned along = layout::findImage(type.getLayout(), bytes)->contiguous;
  return {type.getShape()[1 - along], type.getShape()[along]};
}

Extent extentOf(nv::SendOp op) {
  llvm::ArrayRef<int64_t> shape = tile::shapeOf(op.getTile().getType());
  return {shape[0], shape[1]};
}

class Builder {
public:
  Builder(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  Value constant(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  }
  Value wide(Value value) {
    return value.getType() == b.getI64Type()
               ? value
               : Value(arith::ExtSIOp::create(b, loc, b.getI64Type(), value));
  }
  Value splat(Value value, llvm::ArrayRef<int64_t> shape) {
    return tile::SplatOp::create(b, loc, tile::tileOf(shape, value.getType()), value);
  }
  /// 0, 1, ... along the dimension.
  Value counted(llvm::ArrayRef<int64_t> shape, unsigned dim) {
    Type i32 = b.getI32Type();
    Value range = tile::RangeOp::create(b, loc, tile::tileOf({shape[dim]}, i32), 0,
                                        static_cast<int32_t>(shape[dim]));
    Type wide = tile::tileOf({shape[dim]}, b.getI64Type());
    Value numbers = arith::ExtSIOp::create(b, loc, wide, range);
    if (shape.size() == 1)
      return numbers;
    llvm::SmallVector<int64_t, 2> thin(shape.size(), 1);
    thin[dim] = shape[dim];
    numbers =
        tile::ExpandDimsOp::create(b, loc, tile::tileOf(thin, b.getI64Type()), numbers, 1 - dim);
    return tile::BroadcastOp::create(b, loc, tile::tileOf(shape, b.getI64Type()), numbers);
  }
  Value add(Value a, Value c) { return arith::AddIOp::create(b, loc, a, c); }
  Value subtract(Value a, Value c) { return arith::SubIOp::create(b, loc, a, c); }
  Value smaller(Value a, Value c) { return arith::MinSIOp::create(b, loc, a, c); }
  Value larger(Value a, Value c) { return arith::MaxSIOp::create(b, loc, a, c); }
  Value notBelow(Value a, Value c) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, a, c);
  }
  Value multiply(Value a, Value c) { return arith::MulIOp::create(b, loc, a, c); }
  /// Below `end`, and not below zero.
  Value inside(Value value, Value end) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, value, end);
  }
  Value both(Value a, Value c) { return arith::AndIOp::create(b, loc, a, c); }
  Value pointers(Value base, Value offsets, llvm::ArrayRef<int64_t> shape) {
    Value tile = splat(base, shape);
    return tile::OffsetOp::create(b, loc, tile.getType(), tile, offsets);
  }

private:
  OpBuilder &b;
  Location loc;
};

/// Of the elements [first, last] the ends, where there are any.
struct Ends {
  Value places, exist;
};

Ends endsOf(Value first, Value last, llvm::ArrayRef<int64_t> shape, Builder b) {
  Value length = b.subtract(last, first);
  Value places = b.add(b.splat(first, shape),
                       b.multiply(b.counted(shape, shape.size() - 1), b.splat(length, shape)));
  return {places, b.splat(b.notBelow(last, first), shape)};
}

BoxPointers pointersOf(nv::BoxOp box, ValueRange at, Extent extent, Builder b) {
  const int64_t shape[] = {extent.rows, 2};
  Value start = b.wide(at[0]), behind = b.add(start, b.constant(extent.along));
  auto [places, mask] =
      endsOf(b.larger(start, b.constant(0)),
             b.subtract(b.smaller(behind, b.wide(box.getExtents()[0])), b.constant(1)), shape, b);
  Value offsets = b.add(b.splat(b.wide(box.getOffset()), shape), places);
  for (auto [dim, first] : llvm::drop_begin(llvm::enumerate(at))) {
    Value place = b.splat(b.wide(first), shape);
    if (dim == 1)
      place = b.add(place, b.counted(shape, 0));
    mask = b.both(mask, b.inside(place, b.splat(b.wide(box.getExtents()[dim]), shape)));
    place = b.multiply(place, b.splat(b.wide(box.getStrides()[dim - 1]), shape));
    offsets = b.add(offsets, place);
  }
  return {b.pointers(box.getBase(), offsets, shape), mask};
}

/// Of neighbours, as many as are counted.
template <typename Row> BoxPointers pointersOf(Row row, int64_t length, Builder b) {
  Value last = b.subtract(b.smaller(b.wide(row.getCount()), b.constant(length)), b.constant(1));
  auto [places, mask] = endsOf(b.constant(0), last, {2}, b);
  return {b.pointers(row.getFirst(), places, {2}), mask};
}

int64_t lengthOf(Type slot, unsigned slots) {
  return llvm::cast<nv::SharedType>(slot).getShape()[0] * slots;
}

uint64_t boxesOf(nv::BoxOp box, Extent extent) {
  return llvm::divideCeil(extent.along, box.getShape()[0]) *
         llvm::divideCeil(extent.rows, box.getShape().size() > 1 ? box.getShape()[1] : 1);
}

} // namespace

std::optional<BoxPointers> pointersOf(Operation *op, Operation *original, OpBuilder &builder,
                                      Location loc) {
  Builder b(builder, loc);
  if (auto fetch = llvm::dyn_cast<nv::FetchOp>(op))
    return pointersOf(fetch.getBox().getDefiningOp<nv::BoxOp>(), fetch.getAt(),
                      extentOf(llvm::cast<nv::FetchOp>(original)), b);
  if (auto send = llvm::dyn_cast<nv::SendOp>(op))
    return pointersOf(send.getBox().getDefiningOp<nv::BoxOp>(), send.getAt(),
                      extentOf(llvm::cast<nv::SendOp>(original)), b);
  if (auto row = llvm::dyn_cast<nv::FetchRowOp>(op))
    return pointersOf(
        row, lengthOf(llvm::cast<nv::FetchRowOp>(original).getRing().getType(), row.getSlots()), b);
  if (auto row = llvm::dyn_cast<nv::KeepRowOp>(op))
    return pointersOf(
        row, lengthOf(llvm::cast<nv::KeepRowOp>(original).getRoom().getType(), row.getSlots()), b);
  return std::nullopt;
}

uint64_t boxesOf(Operation *op) {
  if (auto fetch = llvm::dyn_cast<nv::FetchOp>(op))
    return boxesOf(fetch.getBox().getDefiningOp<nv::BoxOp>(), extentOf(fetch));
  if (auto send = llvm::dyn_cast<nv::SendOp>(op))
    return boxesOf(send.getBox().getDefiningOp<nv::BoxOp>(), extentOf(send));
  if (auto row = llvm::dyn_cast<nv::FetchRowOp>(op))
    return row.getSlots();
  if (auto row = llvm::dyn_cast<nv::KeepRowOp>(op))
    return row.getSlots();
  return 0;
}

} // namespace nereid::analyzer
