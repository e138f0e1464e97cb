// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of stored tiles by their numbers: one by one, or register by register where the numbers
// are places whose bits a mask turns over, as in sorting networks.
#include "backend/cpu/emit/KernelEmitter.h"

#include "llvm/IR/IntrinsicsX86.h"

using namespace mlir;

namespace nereid::backend::cpu {

/// Whether lane i of the tile, along the nest's vectors, is i and a multiple of `lanes`.
static bool isPlace(const Nest &nest, Value tile, Coordinates at, unsigned lanes) {
  Operation *op = tile.getDefiningOp();
  while (op && tile::movesLanes(op)) {
    OpOperand &source = op->getOpOperand(0);
    at = tile::mapThrough(tile::laneMapOf(source), at);
    op = source.get().getDefiningOp();
  }
  auto range = llvm::dyn_cast_if_present<tile::RangeOp>(op);
  return range && at[0] != none && nest.isVectorDim(at[0]) && range.getStart() % lanes == 0;
}

/// The elements at place ^ mask: those of a register lie in one, in the order of lane ^ mask. Null
/// where they are none of that, or where there is no instruction that permutes them.
llvm::Value *KernelEmitter::gatherExchanged(Nest &nest, tile::GatherOp gather) {
  Type element = tile::elementOf(gather.getType());
  auto exchange = gather.getIndices().getDefiningOp<arith::XOrIOp>();
  llvm::ArrayRef<int64_t> shape = tile::shapeOf(gather.getSource().getType());
  unsigned axis = gather.getAxis(), bytes = tile::byteSizeOf(element), most = target.vectorBytes;
  bool isPermuted =
      bytes == 4 && element.isIntOrFloat() && (most == 64 || (most == 32 && target.has("avx2")));
  unsigned count = most / bytes;
  bool isLast = axis + 1 == shape.size() && nest.isVectorDim(axis);
  if (!exchange || !isPermuted || !isLast || nest.width() % count != 0 ||
      shape[axis] % count != 0 || plan.isStored(gather.getIndices()))
    return nullptr;
  Coordinates at = nest.identity();
  OpOperand &left = exchange->getOpOperand(0), &right = exchange->getOpOperand(1);
  bool isLeft = isPlace(nest, left.get(), tile::mapThrough(tile::laneMapOf(left), at), count);
  OpOperand &place = isLeft ? left : right, &mask = isLeft ? right : left;
  if (!isPlace(nest, place.get(), tile::mapThrough(tile::laneMapOf(place), at), count))
    return nullptr;
  Lanes masks = nest.evaluate(mask.get(), tile::mapThrough(tile::laneMapOf(mask), at));
  Lanes places = nest.evaluate(place.get(), tile::mapThrough(tile::laneMapOf(place), at));
  if (masks.kind != Lanes::Kind::Uniform || places.kind != Lanes::Kind::Affine)
    return nullptr;

  llvm::Type *lane = laneBuilder.laneType(element), *i32 = b.getInt32Ty(), *i64 = b.getInt64Ty();
  bool isFloat = lane->isFloatTy();
  llvm::Intrinsic::ID permute = most == 64 ? isFloat ? llvm::Intrinsic::x86_avx512_permvar_sf_512
                                                     : llvm::Intrinsic::x86_avx512_permvar_si_512
                                : isFloat  ? llvm::Intrinsic::x86_avx2_permps
                                           : llvm::Intrinsic::x86_avx2_permd;
  llvm::Value *low = b.CreateTrunc(b.CreateAnd(masks.base, count - 1), i32);
  llvm::Value *high = b.CreateSExtOrTrunc(
      b.CreateAnd(masks.base, llvm::ConstantInt::getSigned(masks.base->getType(), -int64_t(count))),
      i64);
  llvm::SmallVector<llvm::Constant *, 16> counts;
  for (unsigned i = 0; i < count; ++i)
    counts.push_back(b.getInt32(i));
  llvm::Value *order =
      b.CreateXor(llvm::ConstantVector::get(counts), b.CreateVectorSplat(count, low));
  at[axis] = none;
  llvm::Value *row = nest.elementIndex(shape, at);
  llvm::SmallVector<llvm::Value *, 4> parts;
  for (unsigned begin = 0; begin < nest.width(); begin += count) {
    llvm::Value *first = b.CreateSExtOrTrunc(places.base, i64);
    first = b.CreateXor(b.CreateAdd(first, b.getInt64(begin)), high);
    llvm::Value *isInside = b.CreateICmpULT(first, b.getInt64(shape[axis]));
    first = b.CreateSelect(isInside, first, b.getInt64(0));
    llvm::Value *address =
        b.CreateGEP(lane, scratch(plan.offsetOf(gather.getSource())), b.CreateAdd(row, first));
    llvm::Value *loaded =
        b.CreateAlignedLoad(laneBuilder.vectorOf(lane, count), address, llvm::Align(bytes));
    loaded = b.CreateIntrinsic(permute, {loaded, order});
    parts.push_back(b.CreateSelect(isInside, loaded, laneBuilder.zero(element, count)));
  }
  return laneBuilder.concatenate(std::move(parts));
}

void KernelEmitter::emitGather(Operation *op) {
  auto gather = llvm::cast<tile::GatherOp>(op);
  Value indices = gather.getIndices(), result = gather.getResult();
  llvm::ArrayRef<int64_t> shape = tile::shapeOf(result.getType());
  unsigned vectorDim = vectorDimFor(indices, shape);
  unsigned width = widthFor(result, shape[vectorDim], 2);
  Nest nest(*this, shape, innermostLast(shape.size(), vectorDim), vectorDim, width);
  nest.expect(indices, nest.identity());
  nest.emit([&] {
    llvm::Value *value = gatherExchanged(nest, gather);
    if (!value) {
      llvm::Value *index = nest.vector(nest.evaluate(indices, nest.identity()));
      value = nest.gather(gather.getSource(), gather.getAxis(), index, nest.identity());
    }
    nest.writeScratch(plan.offsetOf(result), shape, tile::elementOf(result.getType()),
                      nest.identity(), value);
  });
}

} // namespace nereid::backend::cpu
