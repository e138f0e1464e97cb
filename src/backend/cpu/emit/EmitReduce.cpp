// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions. Along the vector dimension, lanes of a wide accumulator are combined at the end;
// along another, every lane accumulates its own result.
#include "backend/cpu/emit/KernelEmitter.h"
#include "backend/llvm/Combine.h"

using namespace mlir;

namespace nereid::backend::cpu {

namespace {

using Values = Combiner::Values;

/// Running results of one reduction at one vector width, in stack slots that LLVM makes registers
/// of.
class Accumulators {
public:
  Accumulators(KernelEmitter &kernel, tile::ReduceOp op, unsigned width)
      : b(kernel.builder()), lanes(kernel.lanes()),
        combine(lanes, op.getCombine().front(), [&](Value value) { return kernel.scalar(value); }) {
    for (Value source : op.getSources()) {
      types.push_back(lanes.vectorOf(lanes.laneType(tile::elementOf(source.getType())), width));
      slots.push_back(lanes.stackSlot(types.back()));
    }
    if (llvm::Value *scalar = identityOf(op, lanes))
      identity = lanes.splat(scalar, width);
  }

  void clear() {
    for (auto [slot, type] : llvm::zip(slots, types))
      b.CreateStore(identity ? identity : llvm::Constant::getNullValue(type), slot);
  }
  /// `isFirst` says at run time that nothing has been added since clear().
  void add(llvm::ArrayRef<llvm::Value *> values, llvm::Value *isFirst) {
    Values combined = combine(get(), values);
    for (auto [i, slot] : llvm::enumerate(slots))
      b.CreateStore(identity ? combined[i] : b.CreateSelect(isFirst, values[i], combined[i]), slot);
  }
  Values get() {
    Values values;
    for (auto [slot, type] : llvm::zip(slots, types)) {
      values.push_back(b.CreateLoad(type, slot));
      if (identity) // one operation made what is there, and none makes a NaN that signals
        lanes.setKnownQuiet(values.back());
    }
    return values;
  }
  /// All lanes combined into one, halves first.
  Values combineLanes() {
    Values values = get();
    for (unsigned width = LaneBuilder::widthOf(values[0]); width > 1; width /= 2) {
      Values low, high;
      for (llvm::Value *value : values) {
        low.push_back(lanes.slice(value, 0, width / 2));
        high.push_back(lanes.slice(value, width / 2, width / 2));
      }
      values = combine(low, high);
    }
    return values;
  }
  Values combineWith(llvm::ArrayRef<llvm::Value *> left, llvm::ArrayRef<llvm::Value *> right) {
    return combine(left, right);
  }

private:
  Builder &b;
  LaneBuilder &lanes;
  Combiner combine;
  llvm::SmallVector<llvm::Type *> types;
  Values slots;
  llvm::Value *identity = nullptr;
};

} // namespace

void KernelEmitter::emitReduce(Operation *op) {
  auto reduce = llvm::cast<tile::ReduceOp>(op);
  llvm::SmallVector<Value> sources(reduce.getSources());
  llvm::ArrayRef<Value> written = plan.tilesWrittenBy(reduce);
  llvm::ArrayRef<int64_t> shape = tile::shapeOf(sources[0].getType());
  unsigned axis = reduce.getAxis();
  unsigned vectorDim = vectorDimFor(sources, shape);
  bool isAlongLanes = vectorDim == axis;
  llvm::SmallVector<unsigned, 4> order;
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    if (dim != axis && dim != vectorDim)
      order.push_back(dim);
  if (!isAlongLanes)
    order.push_back(vectorDim);
  order.push_back(axis);

  // An addition takes about four cycles: four registers of independent sums keep one unit busy.
  // Along another dimension every lane is a sum of its own, and two registers are as elsewhere.
  unsigned width = widthFor(sources, shape[vectorDim], isAlongLanes ? 4 : 2);
  Nest nest(*this, shape, order, vectorDim, width);
  nest.distinguishInactive();
  for (Value source : sources)
    nest.expect(source, nest.identity());
  for (Value tile : written)
    nest.expectDefinition(tile, nest.identity());
  // One set of accumulators for whole vectors, one for the single lanes at the end.
  Accumulators whole(*this, reduce, width), single(*this, reduce, 1);
  int64_t tailBegin = isAlongLanes ? shape[axis] - shape[axis] % width : 0;
  bool hasTail = isAlongLanes && tailBegin < shape[axis];
  auto current = [&]() -> Accumulators & { return nest.width() == width ? whole : single; };

  auto enter = [&] {
    whole.clear();
    single.clear();
  };
  auto body = [&] {
    for (Value tile : written)
      nest.define(tile);
    Values values;
    for (Value source : sources)
      values.push_back(nest.vector(nest.evaluate(source, nest.identity())));
    bool isTail = isAlongLanes && nest.width() != width;
    llvm::Value *isFirst = b.CreateICmpEQ(nest.index(axis), b.getInt64(isTail ? tailBegin : 0));
    current().add(values, isFirst);
  };
  auto leave = [&] {
    Values results = isAlongLanes ? whole.combineLanes() : current().get();
    if (hasTail)
      results = single.combineWith(results, single.get());
    Coordinates at = nest.identity();
    at.erase(at.begin() + axis);
    for (auto [result, value] : llvm::zip(reduce.getResults(), results)) {
      if (!tile::isTile(result.getType()))
        scalars[result] = value;
      else
        nest.writeScratch(plan.offsetOf(result), tile::shapeOf(result.getType()),
                          tile::elementOf(result.getType()), at, value);
    }
  };
  nest.emit(body, enter, leave);
}

} // namespace nereid::backend::cpu
