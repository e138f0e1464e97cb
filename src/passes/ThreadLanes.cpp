// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/ThreadLanes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace nereid::passes {

ThreadLanes::ThreadLanes(OpBuilder &builder, tile::BlockShape block) : b(builder), block(block) {
  if (block.z > 1)
    shape = {block.z, block.y, block.x};
  else if (block.y > 1)
    shape = {block.y, block.x};
  else
    shape = {block.x};
}

Value ThreadLanes::integer(int64_t value, unsigned bits) {
  return arith::ConstantIntOp::create(b, loc(), value, bits);
}

Value ThreadLanes::spread(Value value) {
  if (tile::isTile(value.getType()))
    return value;
  return tile::SplatOp::create(b, loc(), typeOf(value.getType()), value);
}

Value ThreadLanes::index(uint32_t axis) {
  int64_t extent = axis == 0 ? block.x : axis == 1 ? block.y : block.z;
  Type i32 = b.getI32Type();
  if (extent == 1)
    return spread(integer(0, 32));
  Value result =
      tile::RangeOp::create(b, loc(), tile::tileOf({extent}, i32), 0, static_cast<int32_t>(extent));
  llvm::SmallVector<int64_t, 3> extents = {extent};
  size_t behind = axis, before = shape.size() - 1 - axis;
  for (size_t i = 0; i < behind; ++i) {
    extents.push_back(1);
    result = tile::ExpandDimsOp::create(b, loc(), tile::tileOf(extents, i32), result,
                                        extents.size() - 1);
  }
  for (size_t i = 0; i < before; ++i) {
    extents.insert(extents.begin(), 1);
    result = tile::ExpandDimsOp::create(b, loc(), tile::tileOf(extents, i32), result, 0);
  }
  if (result.getType() == typeOf(i32))
    return result;
  return tile::BroadcastOp::create(b, loc(), typeOf(i32), result);
}

Value ThreadLanes::number() {
  Value sum = index(0);
  int64_t before = block.x;
  for (uint32_t axis : {1u, 2u}) {
    if ((axis == 1 ? block.y : block.z) == 1)
      continue;
    Value scaled = arith::MulIOp::create(b, loc(), index(axis), spread(integer(before, 32)));
    sum = arith::AddIOp::create(b, loc(), sum, scaled);
    before *= block.y;
  }
  return sum;
}

Value ThreadLanes::sharedMemory(Type pointer, uint64_t count) {
  return tile::SharedOp::create(b, loc(), pointer, count);
}

Value ThreadLanes::memory(tile::LocalOp local) {
  Value all =
      sharedMemory(local.getType(), local.getCount() * static_cast<uint64_t>(block.threads()));
  Value before = arith::MulIOp::create(b, loc(), number(),
                                       spread(integer(static_cast<int64_t>(local.getCount()), 32)));
  return tile::OffsetOp::create(b, loc(), spread(all), before);
}

Value ThreadLanes::zero(Type type) {
  Type element = tile::elementOf(type);
  Value result;
  if (llvm::isa<tile::PointerType>(element))
    result = tile::IntToPointerOp::create(b, loc(), element, integer(0, 64));
  else
    result = arith::ConstantOp::create(b, loc(), b.getZeroAttr(element));
  return tile::isTile(type) ? spread(result) : result;
}

Value ThreadLanes::everyone() { return spread(integer(1, 1)); }

Value ThreadLanes::opposite(Value condition) {
  Value yes = integer(1, 1);
  if (tile::isTile(condition.getType()))
    yes = spread(yes);
  return arith::XOrIOp::create(b, loc(), condition, yes);
}

/// All lanes of a tile of integers.
template <typename Combine> Value ThreadLanes::combine(Value tile) {
  while (tile::isTile(tile.getType())) {
    Type element = tile::elementOf(tile.getType());
    Type rest = tile::tileOf(tile::shapeOf(tile.getType()).drop_front(), element);
    auto reduce = tile::ReduceOp::create(b, loc(), TypeRange{rest}, ValueRange{tile}, uint32_t(0));
    OpBuilder::InsertionGuard guard(b);
    Block *block = b.createBlock(&reduce.getCombine(), {}, {element, element}, {loc(), loc()});
    Value both = Combine::create(b, loc(), block->getArgument(0), block->getArgument(1));
    tile::YieldOp::create(b, loc(), both);
    tile = reduce.getResult(0);
  }
  return tile;
}

Value ThreadLanes::any(Value condition) {
  if (!tile::isTile(condition.getType()))
    return condition;
  return combine<arith::OrIOp>(condition);
}

Value ThreadLanes::count(Value condition) {
  Type words = typeOf(b.getI32Type());
  return combine<arith::AddIOp>(arith::ExtUIOp::create(b, loc(), words, condition));
}

/// The bits of a thread's value: those of all others are zero before they are combined.
Value ThreadLanes::ofThread(Value value, Value isThread) {
  if (!tile::isTile(value.getType()))
    return value;
  Type element = tile::elementOf(value.getType());
  Value bits = value;
  if (llvm::isa<tile::PointerType>(element))
    bits = tile::PointerToIntOp::create(b, loc(), typeOf(b.getI64Type()), value);
  else if (llvm::isa<FloatType>(element))
    bits = arith::BitcastOp::create(
        b, loc(), typeOf(b.getIntegerType(element.getIntOrFloatBitWidth())), value);
  Value own = arith::SelectOp::create(b, loc(), isThread, bits, zero(bits.getType()));
  Value combined = combine<arith::OrIOp>(own);
  if (llvm::isa<tile::PointerType>(element))
    return tile::IntToPointerOp::create(b, loc(), element, combined);
  return llvm::isa<FloatType>(element)
             ? arith::BitcastOp::create(b, loc(), element, combined).getResult()
             : combined;
}

void ThreadLanes::forEach(Value mask,
                          llvm::function_ref<void(llvm::function_ref<Value(Value)>)> emit) {
  Value count = integer(block.threads(), 32);
  auto loop = scf::ForOp::create(b, loc(), integer(0, 32), count, integer(1, 32));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value isThread = arith::CmpIOp::create(b, loc(), arith::CmpIPredicate::eq, number(),
                                         spread(loop.getInductionVar()));
  if (mask) {
    Value comesBy = any(arith::AndIOp::create(b, loc(), isThread, spread(mask)));
    auto branch = scf::IfOp::create(b, loc(), comesBy, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  emit([&](Value value) { return ofThread(value, isThread); });
}

} // namespace nereid::passes
