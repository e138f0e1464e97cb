// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How doubts go from operands to results: lane by lane, as the lanes do.
#include "dialect/tile/Lanes.h"
#include "dialect/tile/Tile.h"
#include "interpret/LaneAccess.h"
#include "interpret/doubts/Doubts.h"
#include "interpret/operations/RowMajor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cstring>

using namespace mlir;

namespace nereid::interpret {

void Shadow::settle() const {
  lanes[count] = 0;
  for (int64_t i = 0; i < count; ++i)
    lanes[count] |= uint8_t(lanes[i] != 0);
}

void Shadow::spellOut() const {
  if (!lanes[count])
    std::memset(lanes, 0, count);
}

namespace {

Shadow shadowOf(Planner &planner, Value value) {
  Slot slot = planner.shadowOf(value);
  return slot.data ? Shadow(slot) : Shadow();
}

/// An operand with a shadow, and where in it the lane lies that a lane of the result is made from.
struct Input {
  Shadow shadow;
  bool isStraight; // lane for lane
  llvm::SmallVector<int64_t> strides;
};

/// The shadow of an operand as the lanes of the result see it, in `room` unless it is straight.
const uint8_t *lanesFor(const Input &input, llvm::ArrayRef<int64_t> shape,
                        std::vector<uint8_t> &room) {
  if (input.isStraight)
    return input.shadow.lanes;
  gather(room.data(), input.shadow.lanes, shape, input.strides);
  return room.data();
}

Input inputOf(OpOperand &operand, Shadow shadow, llvm::ArrayRef<int64_t> result) {
  llvm::ArrayRef<int64_t> shape = tile::shapeOf(operand.get().getType());
  Input input{shadow, shape == result && tile::isLaneForLane(operand),
              llvm::SmallVector<int64_t>(result.size(), 0)};
  llvm::SmallVector<int64_t> from = rowMajorStrides(shape);
  for (auto [dim, to] : llvm::enumerate(tile::laneMapOf(operand)))
    if (to != tile::none)
      input.strides[to] = from[dim];
  return input;
}

/// Doubts of kinds that the operation does not pass on end here.
struct Filter {
  DoubtKinds passed;
  const DoubtSites &sites;
  uint8_t operator()(uint8_t doubt) const { return sites.isOf(doubt, passed) ? doubt : 0; }
};

/// The first doubt among the lanes of the operands.
Step flowByLanes(Planner &planner, Operation &op, Shadow out, Filter filter) {
  llvm::SmallVector<int64_t> shape(tile::shapeOf(op.getResult(0).getType()));
  std::vector<Input> inputs;
  for (OpOperand &operand : op.getOpOperands())
    if (Slot shadow = planner.shadowOf(operand.get()); shadow.data)
      inputs.push_back(inputOf(operand, Shadow(shadow), shape));
  return
      [=, inputs = std::move(inputs), room = std::vector<uint8_t>(out.count)](Execution &) mutable {
        out.clear();
        for (const Input &input : inputs) {
          if (!input.shadow.isAny())
            continue;
          out.spellOut();
          const uint8_t *from = lanesFor(input, shape, room);
          for (int64_t i = 0; i < out.count; ++i)
            out.lanes[i] = out.lanes[i] ? out.lanes[i] : filter(from[i]);
          out.settle();
        }
      };
}

/// Of the operand that is not chosen, nothing is passed on.
Step flowThroughSelect(Planner &planner, arith::SelectOp op, Shadow out, Filter filter) {
  Shadow condition = shadowOf(planner, op.getCondition());
  Shadow yes = shadowOf(planner, op.getTrueValue()), no = shadowOf(planner, op.getFalseValue());
  Slot chosen = planner.slotOf(op.getCondition());
  bool isWhole = chosen.capacity == 1;
  return [=](Execution &) {
    if (!condition.isAny() && !yes.isAny() && !no.isAny())
      return out.clear();
    for (int64_t i = 0; i < out.count; ++i) {
      int64_t from = isWhole ? 0 : i;
      uint8_t doubt = filter(condition.at(from));
      out.lanes[i] = doubt ? doubt : filter((chosen.as<uint8_t>()[from] ? yes : no).at(i));
    }
    out.settle();
  };
}

/// An operand that is sure decides alone where it is `deciding`: `x & 0`, `x | -1`, `x * 0`.
Step flowUnlessDecided(Planner &planner, Operation &op, Shadow out, Filter filter,
                       bool decidesWithOnes) {
  Slot x = planner.slotOf(op.getOperand(0)), y = planner.slotOf(op.getOperand(1));
  Shadow a = shadowOf(planner, op.getOperand(0)), b = shadowOf(planner, op.getOperand(1));
  return visitInteger(x.kind, [=](auto element) -> Step {
    using E = decltype(element);
    using T = typename E::Storage;
    T deciding = decidesWithOnes ? E::wrap(~uint64_t(0)) : T(0);
    return [=](Execution &) {
      if (!a.isAny() && !b.isAny())
        return out.clear();
      for (int64_t i = 0; i < out.count; ++i) {
        uint8_t first = a.at(i), second = b.at(i);
        bool isDecided =
            (!first && x.as<T>()[i] == deciding) || (!second && y.as<T>()[i] == deciding);
        uint8_t doubt = filter(first);
        out.lanes[i] = isDecided ? 0 : doubt ? doubt : filter(second);
      }
      out.settle();
    };
  });
}

/// A row-major shape with one axis in its middle.
struct Axis {
  int64_t outer = 1, length = 1, inner = 1;
  Axis(llvm::ArrayRef<int64_t> shape, unsigned axis) : length(shape[axis]) {
    for (int64_t size : shape.take_front(axis))
      outer *= size;
    for (int64_t size : shape.drop_front(axis + 1))
      inner *= size;
  }
};

/// Where a left-out lane is added as the zero that every executor gives for it, it changes nothing,
/// and kernels count on it. Of anything else than sums, nobody knows.
class AddedZeros {
public:
  /// Of the factors or terms in `slot`; without data: they are not added.
  AddedZeros(Slot slot, const DoubtSites &sites) : slot(slot), sites(sites) {}
  bool covers(int64_t lane, uint8_t doubt) const {
    return slot.data && sites.isOf(doubt, only(DoubtKind::Undefined)) &&
           visitBits(slot.kind, [&](auto bits) { return !slot.as<decltype(bits)>()[lane]; });
  }

private:
  Slot slot;
  const DoubtSites &sites;
};

/// Whether a reduction or scan only adds.
bool isSum(Operation &op) {
  Block &combine = op.getRegion(0).front();
  return op.getNumOperands() == 1 && llvm::hasSingleElement(combine.without_terminator()) &&
         isa<arith::AddFOp, arith::AddIOp>(combine.front());
}

/// Of a reduction, a doubt reaches the result of its row; of a scan, all that come after it. What
/// was raised while elements were combined stays.
Step flowAlongAxis(Planner &planner, Operation &op, Filter filter, unsigned axisNumber, bool isScan,
                   bool isReverse) {
  Axis axis(tile::shapeOf(op.getOperand(0).getType()), axisNumber);
  std::vector<Shadow> sources, results;
  for (Value source : op.getOperands())
    if (Slot slot = planner.shadowOf(source); slot.data)
      sources.emplace_back(slot);
  for (Value result : op.getResults())
    if (Slot slot = planner.shadowOf(result); slot.data)
      results.emplace_back(slot);
  AddedZeros zeros(isSum(op) ? planner.slotOf(op.getOperand(0)) : Slot(), filter.sites);
  bool isNew = !planner.isWatchedInside(op);
  return [=](Execution &) {
    for (const Shadow &out : results) {
      if (isNew)
        out.clear();
      for (const Shadow &source : sources) {
        if (!source.isAny())
          continue;
        out.spellOut();
        for (int64_t row = 0; row < axis.outer * axis.inner; ++row) {
          uint8_t doubt = 0;
          for (int64_t i = 0; i < axis.length; ++i) {
            int64_t step = isReverse ? axis.length - 1 - i : i;
            int64_t at = (row / axis.inner * axis.length + step) * axis.inner + row % axis.inner;
            if (!doubt && !zeros.covers(at, source.lanes[at]))
              doubt = filter(source.lanes[at]);
            int64_t to = isScan ? at : row;
            out.lanes[to] = out.lanes[to] ? out.lanes[to] : doubt;
          }
        }
        out.settle();
      }
    }
  };
}

/// A doubtful factor reaches its whole row or column.
Step flowThroughDot(Planner &planner, tile::DotOp op, Shadow out, const DoubtSites &sites) {
  Shadow lhs = shadowOf(planner, op.getLhs()), rhs = shadowOf(planner, op.getRhs());
  Shadow accumulator = shadowOf(planner, op.getAccumulator());
  int64_t k = tile::shapeOf(op.getLhs().getType()).back();
  llvm::ArrayRef<int64_t> shape = tile::shapeOf(op.getType());
  int64_t n = shape.back(), m = shape[shape.size() - 2];
  AddedZeros left(planner.slotOf(op.getLhs()), sites), right(planner.slotOf(op.getRhs()), sites);
  auto at = [](const Shadow &shadow, const AddedZeros &zeros, int64_t lane) {
    uint8_t doubt = shadow.at(lane);
    return zeros.covers(lane, doubt) ? uint8_t(0) : doubt;
  };
  return [=](Execution &) {
    if (!lhs.isAny() && !rhs.isAny() && !accumulator.isAny())
      return out.clear();
    for (int64_t i = 0; i < out.count; ++i) {
      int64_t column = i % n, row = i / n, batch = row / m;
      uint8_t doubt = accumulator.at(i);
      for (int64_t inner = 0; inner < k && !doubt; ++inner)
        doubt = std::max(at(lhs, left, row * k + inner),
                         at(rhs, right, (batch * k + inner) * n + column));
      out.lanes[i] = doubt;
    }
    out.settle();
  };
}

Step flowThroughGather(Planner &planner, tile::GatherOp op, Shadow out) {
  Shadow source = shadowOf(planner, op.getSource());
  Shadow indices = shadowOf(planner, op.getIndices());
  Axis from(tile::shapeOf(op.getSource().getType()), op.getAxis());
  Axis to(tile::shapeOf(op.getType()), op.getAxis());
  Slot index = planner.slotOf(op.getIndices());
  return [=](Execution &) {
    if (!source.isAny() && !indices.isAny())
      return out.clear();
    for (int64_t i = 0; i < out.count; ++i) {
      int64_t at =
          index.kind == ElementKind::Int64 ? index.as<int64_t>()[i] : index.as<int32_t>()[i];
      bool isInside = at >= 0 && at < from.length;
      int64_t outer = i / (to.length * to.inner);
      int64_t lane = (outer * from.length + at) * from.inner + i % to.inner;
      out.lanes[i] = indices.at(i) ? indices.at(i) : isInside ? source.at(lane) : 0;
    }
    out.settle();
  };
}

Step flowThroughJoin(Planner &planner, tile::JoinOp op, Shadow out) {
  Shadow first = shadowOf(planner, op.getFirst()), second = shadowOf(planner, op.getSecond());
  return [=](Execution &) {
    for (int64_t i = 0; i < out.count; ++i)
      out.lanes[i] = (i % 2 ? second : first).at(i / 2);
    out.settle();
  };
}

Step flowThroughSplit(Planner &planner, tile::SplitOp op) {
  Shadow source(planner.shadowOf(op.getSource()));
  Shadow outs[2] = {Shadow(planner.shadowOf(op.getFirst())),
                    Shadow(planner.shadowOf(op.getSecond()))};
  return [=](Execution &) {
    for (int64_t half : {0, 1}) {
      for (int64_t i = 0; i < outs[half].count; ++i)
        outs[half].lanes[i] = source.at(2 * i + half);
      outs[half].settle();
    }
  };
}

/// Any element that is counted changes the counts.
Step flowThroughHistogram(Planner &planner, tile::HistogramOp op, Shadow out) {
  Shadow source = shadowOf(planner, op.getSource());
  Shadow counted = op.getMask() ? shadowOf(planner, op.getMask()) : Shadow();
  Slot mask = optionalSlot(planner, op.getMask());
  int64_t count = tile::elementCount(op.getSource().getType());
  return [=](Execution &) {
    uint8_t doubt = 0;
    for (int64_t i = 0; i < count && !doubt; ++i) {
      bool takesPart = !mask.data || mask.as<uint8_t>()[i];
      doubt = counted.at(i) ? counted.at(i) : takesPart ? source.at(i) : 0;
    }
    std::memset(out.lanes, doubt, out.count);
    out.settle();
  };
}

/// Any doubt of any operand is one of each lane: of operations that nothing more is known of.
Step flowWhole(Planner &planner, Operation &op, Filter filter) {
  std::vector<Shadow> sources, results;
  for (Value source : op.getOperands())
    if (Slot slot = planner.shadowOf(source); slot.data)
      sources.emplace_back(slot);
  for (Value result : op.getResults())
    if (Slot slot = planner.shadowOf(result); slot.data)
      results.emplace_back(slot);
  return [=](Execution &) {
    uint8_t doubt = 0;
    for (const Shadow &source : sources)
      for (int64_t i = 0; i < source.count && source.isAny() && !doubt; ++i)
        doubt = filter(source.lanes[i]);
    for (const Shadow &out : results) {
      std::memset(out.lanes, doubt, out.count);
      out.settle();
    }
  };
}

Step copyDoubts(Shadow from, Shadow out) {
  return [=](Execution &) { std::memcpy(out.lanes, from.lanes, out.count + 1); };
}

} // namespace

Step planDoubtFlow(Planner &planner, Operation &op, const DoubtSites &sites) {
  auto hasShadow = [&](Value value) { return planner.shadowOf(value).data != nullptr; };
  if (llvm::none_of(op.getOperands(), hasShadow) || llvm::none_of(op.getResults(), hasShadow))
    return {};
  Filter filter{passedBy(&op), sites};
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return flowAlongAxis(planner, op, filter, reduce.getAxis(), false, false);
  if (auto scan = dyn_cast<tile::ScanOp>(op))
    return flowAlongAxis(planner, op, filter, scan.getAxis(), true, scan.getReverse());
  if (auto split = dyn_cast<tile::SplitOp>(op))
    return flowThroughSplit(planner, split);
  if (op.getNumResults() != 1)
    return flowWhole(planner, op, filter);
  Shadow out(planner.shadowOf(op.getResult(0)));
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return flowThroughSelect(planner, select, out, filter);
  if (isa<arith::AndIOp, arith::OrIOp, arith::MulIOp>(op))
    return flowUnlessDecided(planner, op, out, filter, isa<arith::OrIOp>(op));
  if (auto dot = dyn_cast<tile::DotOp>(op))
    return flowThroughDot(planner, dot, out, sites);
  if (auto gather = dyn_cast<tile::GatherOp>(op))
    return flowThroughGather(planner, gather, out);
  if (auto histogram = dyn_cast<tile::HistogramOp>(op))
    return flowThroughHistogram(planner, histogram, out);
  if (auto join = dyn_cast<tile::JoinOp>(op))
    return flowThroughJoin(planner, join, out);
  if (isa<tile::ReshapeOp, tile::ExpandDimsOp>(op))
    return copyDoubts(Shadow(planner.shadowOf(op.getOperand(0))), out);
  if (tile::isLanewise(&op))
    return flowByLanes(planner, op, out, filter);
  return flowWhole(planner, op, filter);
}

} // namespace nereid::interpret
