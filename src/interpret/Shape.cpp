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

/// The elements move as the operation's lane map says.
template <typename Op> static Step planGather(Planner &planner, Op op) {
  llvm::SmallVector<int64_t> extents(tile::shapeOf(op.getType()));
  llvm::SmallVector<int64_t> strides(extents.size(), 0);
  OpOperand &operand = op->getOpOperand(0);
  llvm::SmallVector<int64_t> from = rowMajorStrides(tile::shapeOf(operand.get().getType()));
  for (auto [dim, to] : llvm::enumerate(tile::laneMapOf(operand)))
    if (to != tile::none)
      strides[to] = from[dim];
  Slot source = planner.slotOf(operand.get()), out = planner.define(op.getResult());
  return visitBits(out.kind, [&](auto bits) -> Step {
    using T = decltype(bits);
    return [=](Execution &) { gather(out.as<T>(), source.as<T>(), extents, strides); };
  });
}

void addShapeOperations(OperationTable &table) {
  table.add<tile::SplatOp>(planSplat);
  table.add<tile::ExpandDimsOp>(planCopy<tile::ExpandDimsOp>);
  table.add<tile::ReshapeOp>(planCopy<tile::ReshapeOp>);
  table.add<tile::BroadcastOp>(planGather<tile::BroadcastOp>);
  table.add<tile::PermuteOp>(planGather<tile::PermuteOp>);
}

} // namespace nereid::interpret
