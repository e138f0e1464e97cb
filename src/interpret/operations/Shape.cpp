// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that copy elements to other places.
#include "dialect/tile/Tile.h"
#include "interpret/operations/OperationTable.h"
#include "interpret/operations/RowMajor.h"

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
template <typename Op> static Step planMove(Planner &planner, Op op) {
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

static Step planGather(Planner &planner, tile::GatherOp op) {
  llvm::ArrayRef<int64_t> from = tile::shapeOf(op.getSource().getType());
  llvm::ArrayRef<int64_t> to = tile::shapeOf(op.getType());
  int64_t stride = rowMajorStrides(from)[op.getAxis()]; // the same in the result
  int64_t length = from[op.getAxis()], outer = to[op.getAxis()] * stride;
  Slot source = planner.slotOf(op.getSource()), indices = planner.slotOf(op.getIndices());
  Slot out = planner.define(op.getResult());
  return visitBits(out.kind, [=](auto bits) -> Step {
    using T = decltype(bits);
    return [=](Execution &) {
      for (int64_t i = 0; i < out.capacity; ++i) {
        int64_t index = indices.kind == ElementKind::Int64 ? indices.as<int64_t>()[i]
                                                           : indices.as<int32_t>()[i];
        int64_t first = i / outer * length * stride + i % stride;
        bool isInside = index >= 0 && index < length;
        out.as<T>()[i] = isInside ? source.as<T>()[first + index * stride] : T();
      }
    };
  });
}

/// Row-major, the last dimension is two elements next to each other.
static Step planJoin(Planner &planner, tile::JoinOp op) {
  Slot first = planner.slotOf(op.getFirst()), second = planner.slotOf(op.getSecond());
  Slot out = planner.define(op.getResult());
  return visitBits(out.kind, [=](auto bits) -> Step {
    using T = decltype(bits);
    return [=](Execution &) {
      for (int64_t i = 0; i < first.capacity; ++i) {
        out.as<T>()[2 * i] = first.as<T>()[i];
        out.as<T>()[2 * i + 1] = second.as<T>()[i];
      }
    };
  });
}

static Step planSplit(Planner &planner, tile::SplitOp op) {
  Slot source = planner.slotOf(op.getSource());
  Slot first = planner.define(op.getFirst()), second = planner.define(op.getSecond());
  return visitBits(source.kind, [=](auto bits) -> Step {
    using T = decltype(bits);
    return [=](Execution &) {
      for (int64_t i = 0; i < first.capacity; ++i) {
        first.as<T>()[i] = source.as<T>()[2 * i];
        second.as<T>()[i] = source.as<T>()[2 * i + 1];
      }
    };
  });
}

void addShapeOperations(OperationTable &table) {
  table.add<tile::SplatOp>(planSplat);
  table.add<tile::ExpandDimsOp>(planCopy<tile::ExpandDimsOp>);
  table.add<tile::ReshapeOp>(planCopy<tile::ReshapeOp>);
  table.add<tile::BroadcastOp>(planMove<tile::BroadcastOp>);
  table.add<tile::GatherOp>(planGather);
  table.add<tile::PermuteOp>(planMove<tile::PermuteOp>);
  table.add<tile::JoinOp>(planJoin);
  table.add<tile::SplitOp>(planSplit);
}

} // namespace nereid::interpret
