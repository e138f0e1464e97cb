// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/Combining.h"
#include "backend/gpu/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

#include <bit>

using namespace mlir;

namespace nereid::backend::gpu {

namespace {

/// The operation by which the function brings two elements together, if it is one that may be done
/// in any order and starts from a value that changes nothing.
Operation *combinerOf(tile::ReduceOp reduce) {
  Block &combine = reduce.getCombine().front();
  const bool isOne = reduce.getSources().size() == 1 && isCommutative(combine) &&
                     llvm::hasSingleElement(combine.without_terminator());
  return isOne && tile::identityOf(reduce) ? &combine.front() : nullptr;
}

Value combined(Operation *combiner, Value a, Value b, OpBuilder &builder) {
  return builder
      .create(combiner->getLoc(), combiner->getName().getIdentifier(), ValueRange{a, b},
              TypeRange(a.getType()))
      ->getResult(0);
}

/// The axis of a reduction as dimensions of their own, from the highest bits of a coordinate down:
/// elements that a thread has itself lie along the one kind, threads along the other.
struct AxisParts {
  layout::Shape sizes;
  llvm::SmallVector<bool> areThreads;
};

/// The bits of the axis that the bases step along, each of them alone; nothing if any steps along
/// several bits, or along one that is in `steps` already.
bool addSteps(const layout::LinearLayout &layout, const char *space, unsigned axis,
              uint64_t &steps) {
  for (layout::Vector basis : layout.bases(space)) {
    layout::Coordinates at = layout::unpack(layout.outputs(), basis);
    const uint64_t step = std::exchange(at[axis], 0);
    if (step == 0)
      continue;
    const bool isAcross = llvm::any_of(at, [](uint64_t other) { return other != 0; });
    if (isAcross || !std::has_single_bit(step) || (steps & step) != 0)
      return false;
    steps |= step;
  }
  return true;
}

/// Nothing if no thread waits for another, or parts would not be apart.
std::optional<AxisParts> axisParts(tile::ReduceOp reduce) {
  const Type type = reduce.getSources()[0].getType();
  const layout::LinearLayout &layout = nv::layoutOf(type);
  const unsigned axis = reduce.getAxis();
  uint64_t registers = 0, all = 0;
  if (nv::hasGhosts(type) || !addSteps(layout, layout::Register, axis, registers))
    return std::nullopt;
  all = registers;
  if (!addSteps(layout, layout::Lane, axis, all) || !addSteps(layout, layout::Warp, axis, all))
    return std::nullopt;
  const uint64_t size = nv::paddedShape(type)[axis];
  if (all == registers || all != size - 1)
    return std::nullopt;
  AxisParts parts;
  for (uint64_t bit = size / 2; bit != 0; bit /= 2) {
    const bool isThreads = (registers & bit) == 0;
    if (parts.sizes.empty() || parts.areThreads.back() != isThreads) {
      parts.sizes.push_back(1);
      parts.areThreads.push_back(isThreads);
    }
    parts.sizes.back() *= 2;
  }
  return parts;
}

Value reshaped(Value tile, unsigned axis, unsigned count, llvm::ArrayRef<uint64_t> sizes,
               OpBuilder &builder) {
  llvm::SmallVector<int64_t> shape(tile::shapeOf(tile.getType()));
  shape.erase(shape.begin() + axis, shape.begin() + axis + count);
  shape.insert(shape.begin() + axis, sizes.begin(), sizes.end());
  if (tile::shapeOf(tile.getType()) == llvm::ArrayRef(shape))
    return tile;
  const Type type = nv::withLayout(
      tile::tileOf(shape, tile::elementOf(tile.getType())),
      layout::reshaped(nv::layoutOf(tile), layout::Shape(shape.begin(), shape.end())));
  return tile::ReshapeOp::create(builder, tile.getLoc(), type, tile);
}

tile::ReduceOp reducedLike(tile::ReduceOp like, Value tile, unsigned axis, Type type,
                           OpBuilder &builder) {
  auto made = tile::ReduceOp::create(builder, like.getLoc(), type, tile, axis);
  IRMapping map;
  like.getCombine().cloneInto(&made.getCombine(), map);
  return made;
}

/// What each thread has of the reduction's result: a tile whose axis has but the threads.
Value reducedInThread(tile::ReduceOp reduce, const AxisParts &parts, OpBuilder &builder) {
  const unsigned axis = reduce.getAxis();
  Value tile = reshaped(reduce.getSources()[0], axis, 1, parts.sizes, builder);
  uint64_t threads = 1;
  unsigned left = 0;
  for (unsigned part = parts.sizes.size(); part-- > 0;) {
    if (parts.areThreads[part]) {
      threads *= parts.sizes[part];
      ++left;
      continue;
    }
    llvm::SmallVector<int64_t> shape(tile::shapeOf(tile.getType()));
    shape.erase(shape.begin() + axis + part);
    const Type type = nv::withLayout(tile::tileOf(shape, tile::elementOf(tile.getType())),
                                     layout::sliced(nv::layoutOf(tile), axis + part).layout);
    tile = reducedLike(reduce, tile, axis + part, type, builder).getResult(0);
  }
  return reshaped(tile, axis, left, {threads}, builder);
}

/// A number, or a tile of them, to which each round adds what it reduces.
class Sum {
public:
  /// Nothing if rounds do anything else with it, or it is read before the last of them has added.
  static std::optional<Sum> of(scf::ForOp loop, unsigned index) {
    Sum sum(loop, index);
    Value value = loop.getBody()->getTerminator()->getOperand(index);
    while (value.hasOneUse() && value != sum.argument())
      if (Value before = sum.addLink(value))
        value = before;
      else
        return std::nullopt;
    return sum.links.empty() || !value.hasOneUse() ? std::nullopt : std::optional(sum);
  }

  uint64_t moreRegisters() {
    const uint64_t held = nv::registersOf(loop.getRegionIterArg(index).getType());
    const uint64_t parts = nv::registersOf(links.front().reduce.getResult(0).getType());
    return parts > held ? parts - held : 0;
  }

  void carryParts() {
    tile::ReduceOp reduce = links.front().reduce;
    OpBuilder builder(loop);
    llvm::SmallVector<Value> added;
    for (const Link &link : links) {
      builder.setInsertionPoint(link.reduce);
      added.push_back(reducedInThread(link.reduce, link.parts, builder));
    }
    const auto type = llvm::cast<RankedTensorType>(added.front().getType());
    builder.setInsertionPoint(loop);
    Value init = loop.getInitArgs()[index];
    Value nothing = arith::ConstantOp::create(
        builder, loop.getLoc(), DenseElementsAttr::get(type, tile::identityOf(reduce)));
    loop.getInitArgsMutable()[index].set(nothing);
    argument().setType(type);
    loop.getResult(index).setType(type);
    Value part = argument();
    for (auto [link, value] : llvm::reverse(llvm::zip_equal(links, added))) {
      builder.setInsertionPoint(link.add);
      part = combined(combinerOf(reduce), part, value, builder);
    }
    loop.getBody()->getTerminator()->setOperand(index, part);
    builder.setInsertionPointAfter(loop);
    addTo(init, builder);
    for (Link &link : links)
      for (Operation *op : {link.add, link.moved, link.reduce.getOperation()})
        if (op)
          op->erase();
  }

private:
  struct Link {
    Operation *add;
    Operation *moved; // between the reduction and the addition, if they lie elsewhere
    tile::ReduceOp reduce;
    AxisParts parts;
  };

  Sum(scf::ForOp loop, unsigned index) : loop(loop), index(index) {}

  BlockArgument argument() { return loop.getRegionIterArg(index); }

  /// What `value` was before this round, or this operation, added to it; null if it does otherwise.
  Value addLink(Value value) {
    Operation *add = value.getDefiningOp();
    if (!add || add->getBlock() != loop.getBody() || add->getNumOperands() != 2)
      return Value();
    for (unsigned side = 0; side < 2; ++side) {
      Value from = add->getOperand(side);
      auto moved = from.getDefiningOp<nv::ConvertOp>();
      auto reduce = (moved ? moved.getSource() : from).getDefiningOp<tile::ReduceOp>();
      if (!reduce || reduce->getBlock() != loop.getBody() || !from.hasOneUse() ||
          !reduce->hasOneUse() || !isAddedBy(add, reduce))
        continue;
      std::optional<AxisParts> parts = axisParts(reduce);
      if (!parts || (!links.empty() && !isAlike(reduce, links.front().reduce)))
        continue;
      links.push_back({add, moved, reduce, std::move(*parts)});
      return add->getOperand(1 - side);
    }
    return Value();
  }

  static bool isAddedBy(Operation *add, tile::ReduceOp reduce) {
    Operation *combiner = combinerOf(reduce);
    return combiner && combiner->getName() == add->getName();
  }

  static bool isAlike(tile::ReduceOp a, tile::ReduceOp b) {
    return a.getAxis() == b.getAxis() && a.getSources().getTypes() == b.getSources().getTypes() &&
           a.getResultTypes() == b.getResultTypes();
  }

  /// Behind the loop all threads' parts come together, and with what there was before it.
  void addTo(Value init, OpBuilder &builder) {
    tile::ReduceOp like = links.front().reduce;
    Value parts = loop.getResult(index);
    auto all = reducedLike(like, parts, like.getAxis(), like.getResult(0).getType(), builder);
    Value whole = all.getResult(0);
    if (whole.getType() != init.getType())
      whole = nv::ConvertOp::create(builder, like.getLoc(), init.getType(), whole);
    whole = combined(combinerOf(like), init, whole, builder);
    parts.replaceAllUsesExcept(whole, all);
  }

  scf::ForOp loop;
  unsigned index;
  llvm::SmallVector<Link> links; // the last first
};

} // namespace

void reduceBehindLoops(func::FuncOp kernel, const Configuration &configuration) {
  // Inner loops first: what is reduced behind them may be what an outer one's rounds add.
  kernel.walk([&](scf::ForOp loop) {
    uint64_t carried = 0;
    for (Type type : loop.getResultTypes())
      carried += tile::isTile(type) && nv::findLayout(type) ? nv::registersOf(type) : 0;
    for (unsigned index = 0; index < loop.getNumResults(); ++index) {
      std::optional<Sum> sum = Sum::of(loop, index);
      if (!sum || carried + sum->moreRegisters() > configuration.policy.sum_registers)
        continue;
      carried += sum->moreRegisters();
      sum->carryParts();
    }
  });
}

} // namespace nereid::backend::gpu
