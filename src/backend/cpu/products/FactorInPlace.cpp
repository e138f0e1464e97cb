// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A factor that lies in an array by rows, none of which is masked, is not copied before it is used:
// a left one as tiles of AMX want it, a right one that few rows multiply, and for products of lanes
// either one that the nearest cache holds as it lies.
#include "backend/cpu/nests/WholeMask.h"
#include "backend/cpu/products/DotEmitter.h"

#include "dialect/tile/Lanes.h"

using namespace mlir;

namespace nereid::backend::cpu {

/// The load of a factor, if what is loaded may be looked at in the array itself; or null.
tile::LoadOp DotEmitter::loadInPlace(Value factor) {
  auto load = factor.getDefiningOp<tile::LoadOp>();
  if (!load || load.getIsVolatile() || tile::shapeOf(load.getType()).size() != 2 ||
      kernel.storage().isStored(load) || !WholeMask::canTest(load.getMask()) ||
      !isArithmetic(load.getPointer(), kernel.storage()))
    return {};
  return load;
}

/// A factor of which all that lies between its first line and its last is no more is read where it
/// lies by products of lanes: no two lines of it are in one another's way in a cache of 32 KiB or
/// more, whatever their stride, and a copy would not lie nearer.
static constexpr int64_t nearestBytes = 32 << 10;

static llvm::Value *isNear(Builder &b, llvm::Value *stride, int64_t lines) {
  return b.CreateICmpULE(stride, b.getInt64(nearestBytes / lines)); // backwards is far
}

tile::LoadOp DotEmitter::lhsInPlace() {
  bool isPadded = shape.m != shape.paddedRows || shape.k != shape.paddedDepth;
  Type element = tile::elementOf(op.getLhs().getType());
  bool isForm = shape.form == DotForm::Tiles || (shape.form == DotForm::Lanes && shape.m > fewRows);
  bool isAsWanted = isForm && !isPadded && element == shape.factor;
  return isAsWanted ? loadInPlace(op.getLhs()) : tile::LoadOp();
}

/// If many rows multiply it, as it is: each would convert it anew.
tile::LoadOp DotEmitter::rhsInPlace() {
  Type element = tile::elementOf(op.getRhs().getType());
  bool isNarrower = tile::byteSizeOf(element) <= shape.factorBytes();
  bool isAsWanted = shape.form == DotForm::Lanes && shape.n == shape.paddedColumns &&
                    (shape.m <= fewRows ? isNarrower : element == shape.factor);
  return isAsWanted ? loadInPlace(op.getRhs()) : tile::LoadOp();
}

/// Whether no mask leaves anything out of what the micro-kernels read of the factor, whose depth is
/// the dimension `depth`: they go no further than the needed depth.
llvm::Value *DotEmitter::isThereAsRead(tile::LoadOp load, unsigned depth) {
  if (!neededDepth)
    return WholeMask(kernel).test(load.getMask());
  int64_t unit = shape.form == DotForm::Tiles ? DotShape::tileDepthBytes / shape.factorBytes()
                                              : unrolledSteps();
  Coordinates at = depth == 0 ? Coordinates{0, 1} : Coordinates{1, 0};
  return WholeMask(kernel).testUpTo(depthInUnits(unit), load.getMask(), at);
}

/// Takes the factor where it lies if it is all there; what is emitted by `pack` brings it to
/// scratch memory otherwise.
void DotEmitter::takeLhs(llvm::function_ref<void()> pack) {
  tile::LoadOp load = lhsInPlace();
  std::optional<Lanes> rows = load ? rowsOf(load, /*along=*/1) : std::nullopt;
  if (!rows) {
    pack();
    lhsRowBytes = b.getInt64(shape.paddedDepth * shape.factorBytes());
    return;
  }
  llvm::Value *stride = b.CreateSExtOrTrunc(rows->step, b.getInt64Ty());
  // Rows that are whole pages apart lie in one set of the nearest cache, and those of few in the
  // next one.
  llvm::Value *isSpread = shape.form == DotForm::Lanes
                              ? isNear(b, stride, shape.m)
                              : b.CreateIsNotNull(b.CreateAnd(stride, b.getInt64(pageBytes - 1)));
  llvm::Value *isInPlace = b.CreateAnd(isSpread, isThereAsRead(load, /*depth=*/1));
  llvm::BasicBlock *before = b.GetInsertBlock(), *copy = kernel.newBlock("copy.left"),
                   *done = kernel.newBlock("left");
  b.CreateCondBr(isInPlace, done, copy);
  b.SetInsertPoint(copy);
  pack();
  llvm::Value *packed = lhs, *packedBytes = b.getInt64(shape.paddedDepth * shape.factorBytes());
  copy = b.GetInsertBlock();
  b.CreateBr(done);
  b.SetInsertPoint(done);
  llvm::PHINode *base = b.CreatePHI(b.getPtrTy(), 2), *bytes = b.CreatePHI(b.getInt64Ty(), 2);
  base->addIncoming(rows->base, before);
  base->addIncoming(packed, copy);
  bytes->addIncoming(stride, before);
  bytes->addIncoming(packedBytes, copy);
  lhs = base;
  lhsRowBytes = bytes;
}

/// Packs the factor, unless few rows multiply it that take it by rows: where it lies, or if some of
/// it is masked as a copy.
void DotEmitter::takeRhs() {
  rhs = kernel.scratch(temporary + shape.panelsOffset());
  tile::LoadOp load = rhsInPlace();
  std::optional<Lanes> rows = load ? rowsOf(load, /*along=*/1) : std::nullopt;
  if (!rows) {
    if (!takeKept())
      packRhs();
    return;
  }
  if (shape.m > fewRows)
    return takeRhsWhereNear(load, *rows);
  rhsElement = tile::elementOf(load.getType());
  llvm::Value *stride = b.CreateSExtOrTrunc(rows->step, b.getInt64Ty());
  llvm::Value *isWhole = isThereAsRead(load, /*depth=*/0);
  llvm::BasicBlock *before = b.GetInsertBlock(), *copy = kernel.newBlock("copy.right"),
                   *done = kernel.newBlock("right");
  b.CreateCondBr(isWhole, done, copy);
  b.SetInsertPoint(copy);
  kernel.writeTile(load, temporary + shape.panelsOffset(), /*isDefinition=*/false);
  copy = b.GetInsertBlock();
  b.CreateBr(done);
  b.SetInsertPoint(done);
  llvm::PHINode *base = b.CreatePHI(b.getPtrTy(), 2), *bytes = b.CreatePHI(b.getInt64Ty(), 2);
  base->addIncoming(rows->base, before);
  base->addIncoming(rhs, copy);
  bytes->addIncoming(stride, before);
  bytes->addIncoming(b.getInt64(shape.n * tile::byteSizeOf(rhsElement)), copy);
  rhsRows = base;
  rhsRowBytes = bytes;
}

llvm::Value *DotEmitter::isRhsWhole(tile::LoadOp load) {
  if (!rhsWhole)
    rhsWhole = WholeMask(kernel).test(load.getMask());
  return rhsWhole;
}

/// Takes the factor where it lies, in lines that are as long as all of its columns, if the nearest
/// cache has room for that; packs it otherwise. Lines of a block that lie a page apart would be in
/// one set of the cache, while many rows go through them.
void DotEmitter::takeRhsWhereNear(tile::LoadOp load, const Lanes &rows) {
  llvm::Value *stride = b.CreateSExtOrTrunc(rows.step, b.getInt64Ty());
  llvm::Value *isInPlace =
      b.CreateAnd(isNear(b, stride, shape.k), isThereAsRead(load, /*depth=*/0));
  llvm::BasicBlock *before = b.GetInsertBlock(), *copy = kernel.newBlock("copy.right"),
                   *done = kernel.newBlock("right");
  b.CreateCondBr(isInPlace, done, copy);
  b.SetInsertPoint(copy);
  if (!takeKept())
    packRhs();
  llvm::Value *packed = rhs;
  copy = b.GetInsertBlock();
  b.CreateBr(done);
  b.SetInsertPoint(done);
  auto either = [&](llvm::Value *inPlace, llvm::Value *packed) {
    llvm::PHINode *value = b.CreatePHI(packed->getType(), 2);
    value->addIncoming(inPlace, before);
    value->addIncoming(packed, copy);
    return value;
  };
  auto bytes = [&](int64_t elements) { return b.getInt64(elements * shape.factorBytes()); };
  rhs = either(rows.base, packed);
  rhsLineBytes = either(stride, bytes(shape.panelWidth));
  rhsColumnBytes = either(bytes(1), bytes(shape.paddedDepth));
  if (isRhsThere)
    isRhsThere = either(b.getFalse(), isRhsThere);
}

/// Where lines of a tile in memory lie that go along a dimension, a lane each; nothing unless each
/// is contiguous, and all equally far from the next.
std::optional<Lanes> DotEmitter::rowsOf(tile::LoadOp load, unsigned along) {
  Value pointer = load.getPointer();
  llvm::ArrayRef<int64_t> dims = tile::shapeOf(pointer.getType());
  Type element = tile::elementOf(load.getType());
  // A line of which nothing is known, so that what holds of it holds of each.
  llvm::Value *place[2] = {b.getInt64(0), b.getInt64(0)};
  place[1 - along] = b.CreateLoad(b.getInt64Ty(), lanes.stackSlot(b.getInt64Ty()));
  Nest inLine(kernel, dims, {}, along, 2);
  inLine.standAt(place);
  Lanes neighbours = inLine.evaluate(pointer, inLine.identity());
  auto *step = llvm::dyn_cast_if_present<llvm::ConstantInt>(neighbours.step);
  if (neighbours.kind != Lanes::Kind::Affine || !step ||
      step->getSExtValue() != static_cast<int64_t>(tile::byteSizeOf(element)))
    return std::nullopt;
  Nest across(kernel, dims, {}, 1 - along, 2);
  across.standAt({b.getInt64(0), b.getInt64(0)});
  Coordinates at = across.identity();
  at[along] = none;
  Lanes lines = across.evaluate(pointer, at);
  return lines.kind == Lanes::Kind::Affine ? std::optional(lines) : std::nullopt;
}

} // namespace nereid::backend::cpu
