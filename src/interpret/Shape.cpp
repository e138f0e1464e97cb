// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that copy elements to other places.
#include "dialect/tile/Tile.h"
#include "interpret/OperationTable.h"
#include "interpret/RowMajor.h"

#include <algorithm>
#include <cstring>

using namespace mlir;

namespace nereid::interpret {

static Step planSplat(Planner &planner, tile::SplatOp op) {
  Slot value = planner.slotOf(op.getValue()), out = planner.define(op.getResult());
  return visitBits(out.kind, [=](auto bits) -> Step {
    using T = decltype(bits);
    return [=](Execution &) { std::fill_n(out.as<T>(), out.capacity, *value.as<T>()); };
  });
}

/// The elements stay in their order.
template <typename Op> static Step planCopy(Planner &planner, Op op) {
  Slot source = planner.slotOf(op.getSource()), out = planner.define(op.getResult());
  return [=](Execution &) { std::memcpy(out.data, source.data, out.bytes()); };
}

static Step gatherStep(Slot out, Slot source, llvm::ArrayRef<int64_t> shape,
                       llvm::SmallVector<int64_t> strides) {
  llvm::SmallVector<int64_t> extents(shape);
  return visitBits(out.kind, [&](auto bits) -> Step {
    using T = decltype(bits);
    return [=](Execution &) { gather(out.as<T>(), source.as<T>(), extents, strides); };
  });
}

static Step planBroadcast(Planner &planner, tile::BroadcastOp op) {
  llvm::ArrayRef<int64_t> from = tile::shapeOf(op.getSource().getType());
  llvm::SmallVector<int64_t> strides = rowMajorStrides(from);
  for (size_t i = 0; i < from.size(); ++i)
    if (from[i] == 1)
      strides[i] = 0;
  Slot source = planner.slotOf(op.getSource()), out = planner.define(op.getResult());
  return gatherStep(out, source, tile::shapeOf(op.getType()), strides);
}

static Step planPermute(Planner &planner, tile::PermuteOp op) {
  llvm::SmallVector<int64_t> strides;
  for (int64_t dim : op.getOrder())
    strides.push_back(rowMajorStrides(tile::shapeOf(op.getSource().getType()))[dim]);
  Slot source = planner.slotOf(op.getSource()), out = planner.define(op.getResult());
  return gatherStep(out, source, tile::shapeOf(op.getType()), strides);
}

void addShapeOperations(OperationTable &table) {
  table.add<tile::SplatOp>(planSplat);
  table.add<tile::ExpandDimsOp>(planCopy<tile::ExpandDimsOp>);
  table.add<tile::ReshapeOp>(planCopy<tile::ReshapeOp>);
  table.add<tile::BroadcastOp>(planBroadcast);
  table.add<tile::PermuteOp>(planPermute);
}

} // namespace nereid::interpret
