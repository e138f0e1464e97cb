// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

#include "llvm/ADT/TypeSwitch.h"

namespace nereid::passes {

#define GEN_PASS_DEF_DROPUNITDIMENSIONS
#include "passes/Passes.h.inc"

namespace {

using namespace mlir;
using Shape = llvm::SmallVector<int64_t>;

Shape shapeOf(Value value) { return llvm::to_vector(tile::shapeOf(value.getType())); }

unsigned unitsOf(llvm::ArrayRef<int64_t> shape) { return llvm::count(shape, 1); }

/// A scalar if no other dimension is left.
Type withoutUnits(Type type) {
  if (!tile::isTile(type) || unitsOf(tile::shapeOf(type)) == 0)
    return type;
  Shape left;
  for (int64_t extent : tile::shapeOf(type))
    if (extent != 1)
      left.push_back(extent);
  Type element = tile::elementOf(type);
  return left.empty() ? element : Type(RankedTensorType::get(left, element));
}

bool hasUnits(Value value) { return withoutUnits(value.getType()) != value.getType(); }

/// Which dimension it is among those that are left.
unsigned axisAmongOthers(llvm::ArrayRef<int64_t> shape, unsigned axis) {
  return axis - unitsOf(shape.take_front(axis));
}

/// Of one matrix, and none of its dimensions is lost.
bool isOneMatrix(tile::DotOp dot) {
  return llvm::all_of(dot->getOperands(), [](Value factor) {
    Shape shape = shapeOf(factor);
    return unitsOf(shape) == (shape.size() == 3 ? 1u : 0u) && (shape.size() < 3 || shape[0] == 1);
  });
}

/// Whether it means the same on tiles without these dimensions, or is written anew below.
bool canDoWithout(Operation *op) {
  if (auto dot = llvm::dyn_cast<tile::DotOp>(op))
    return isOneMatrix(dot);
  return op->hasTrait<OpTrait::Elementwise>() ||
         llvm::isa<scf::ForOp, scf::WhileOp, scf::IfOp, scf::YieldOp, scf::ConditionOp,
                   arith::ConstantOp, tile::SplatOp, tile::ExpandDimsOp, tile::BroadcastOp,
                   tile::ReshapeOp, tile::PermuteOp, tile::ReduceOp, tile::ScanOp, tile::OffsetOp,
                   tile::PointerToIntOp, tile::IntToPointerOp, tile::PointerCastOp, tile::NarrowOp,
                   tile::HintOp, tile::LoadOp, tile::StoreOp, tile::AtomicRmwOp, tile::AtomicCasOp>(
             op);
}

/// Whether memory is read or written, or matrices are multiplied, in tiles of three dimensions and
/// more of which some are of one element. (Columns and rows of two are what broadcasts are made
/// of.)
bool isInTheWay(Operation *op) {
  if (!llvm::isa<tile::LoadOp, tile::StoreOp, tile::AtomicRmwOp, tile::DotOp>(op))
    return false;
  Type type = op->getOperand(0).getType();
  return tile::isTile(type) && tile::shapeOf(type).size() > 2 && unitsOf(tile::shapeOf(type)) > 0;
}

class UnitDropper {
public:
  explicit UnitDropper(func::FuncOp kernel) : kernel(kernel), builder(kernel.getContext()) {}

  void run() {
    llvm::SmallVector<Operation *> operations;
    kernel.getBody().walk([&](Operation *op) { operations.push_back(op); });
    for (Operation *op : operations)
      if (canDoWithout(op))
        noteShapes(op);
    for (Operation *op : operations)
      if (!canDoWithout(op))
        giveBackDimensions(op);
    for (BlockArgument argument : kernel.getArguments())
      dropBehind(argument);
    for (Operation *op : operations)
      if (!canDoWithout(op))
        for (Value result : op->getResults())
          dropBehind(result);
    for (auto &[op, shapes] : shapesBefore)
      retype(op);
    for (auto &[op, shapes] : shapesBefore)
      rewrite(op, shapes.first, shapes.second);
  }

private:
  void giveBackDimensions(Operation *op) {
    builder.setInsertionPoint(op);
    for (OpOperand &operand : op->getOpOperands())
      if (Value value = operand.get(); hasUnits(value))
        operand.set(tile::ReshapeOp::create(builder, op->getLoc(), value.getType(), value));
  }

  /// For its users; the value itself stays.
  void dropBehind(Value value) {
    if (!hasUnits(value))
      return;
    builder.setInsertionPointAfterValue(value);
    auto dropped =
        tile::ReshapeOp::create(builder, value.getLoc(), withoutUnits(value.getType()), value);
    value.replaceAllUsesExcept(dropped, dropped);
  }

  void noteShapes(Operation *op) {
    if (llvm::none_of(op->getOperands(), hasUnits) && llvm::none_of(op->getResults(), hasUnits))
      return;
    Shape source, result;
    if (op->getNumOperands() > 0)
      source = shapeOf(op->getOperand(0));
    if (op->getNumResults() > 0)
      result = shapeOf(op->getResult(0));
    shapesBefore.push_back({op, {source, result}});
  }

  void retype(Operation *op) {
    for (Value value : op->getResults())
      value.setType(withoutUnits(value.getType()));
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        argument.setType(withoutUnits(argument.getType()));
  }

  /// `source`, `result`: the shapes that its first operand and result had.
  void rewrite(Operation *op, llvm::ArrayRef<int64_t> source, llvm::ArrayRef<int64_t> result) {
    builder.setInsertionPoint(op);
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](arith::ConstantOp constant) { rewriteConstant(constant); })
        .Case<tile::ExpandDimsOp, tile::SplatOp, tile::ReshapeOp>([&](Operation *same) {
          if (same->getOperand(0).getType() == same->getResult(0).getType())
            replace(same, same->getOperands());
        })
        .Case([&](tile::BroadcastOp broadcast) { rewriteBroadcast(broadcast, source, result); })
        .Case([&](tile::PermuteOp permute) { rewritePermute(permute, source, result); })
        .Case([&](tile::HintOp hint) { rewriteHint(hint, source); })
        .Case<tile::ReduceOp, tile::ScanOp>([&](auto along) {
          if (source[along.getAxis()] == 1)
            return replace(along, along.getSources());
          along.setAxis(axisAmongOthers(source, along.getAxis()));
        });
  }

  void replace(Operation *op, ValueRange values) {
    op->replaceAllUsesWith(values);
    op->erase();
  }

  void rewriteConstant(arith::ConstantOp constant) {
    auto elements = llvm::cast<DenseElementsAttr>(constant.getValue());
    if (auto type = llvm::dyn_cast<RankedTensorType>(constant.getType()))
      constant.setValueAttr(elements.reshape(type));
    else
      constant.setValueAttr(llvm::cast<TypedAttr>(*elements.value_begin<Attribute>()));
  }

  void rewriteBroadcast(tile::BroadcastOp op, llvm::ArrayRef<int64_t> source,
                        llvm::ArrayRef<int64_t> result) {
    // Not by the names of operand and result, which are tiles: these may be scalars by now.
    Value value = op->getOperand(0);
    Type wanted = op->getResult(0).getType();
    if (value.getType() != wanted && !tile::isTile(value.getType()))
      value = tile::SplatOp::create(builder, op.getLoc(), wanted, value);
    unsigned axis = 0;
    for (auto [from, to] : llvm::zip(source, result)) {
      if (to == 1 || value.getType() == wanted)
        continue;
      if (from == 1)
        value = expanded(op.getLoc(), value, axis);
      ++axis;
    }
    if (value.getType() != wanted)
      value = tile::BroadcastOp::create(builder, op.getLoc(), wanted, value);
    replace(op, value);
  }

  Value expanded(Location location, Value value, unsigned axis) {
    Shape shape = shapeOf(value);
    shape.insert(shape.begin() + axis, 1);
    Type type = RankedTensorType::get(shape, tile::elementOf(value.getType()));
    return tile::ExpandDimsOp::create(builder, location, type, value, axis);
  }

  void rewritePermute(tile::PermuteOp op, llvm::ArrayRef<int64_t> source,
                      llvm::ArrayRef<int64_t> result) {
    Shape order;
    for (auto [extent, from] : llvm::zip(result, op.getOrder()))
      if (extent != 1)
        order.push_back(axisAmongOthers(source, from));
    if (llvm::is_sorted(order))
      return replace(op, op->getOperands());
    op.setOrder(order);
  }

  /// What is promised of one element is that it is a multiple.
  void rewriteHint(tile::HintOp op, llvm::ArrayRef<int64_t> source) {
    Shape amounts;
    for (auto [extent, amount] : llvm::zip(source, op.getAmounts()))
      if (extent != 1)
        amounts.push_back(amount);
    if (amounts.empty() && op.getKind() == tile::HintKind::Divisibility)
      amounts.push_back(op.getAmounts().front());
    if (amounts.empty())
      return replace(op, op.getValue());
    op.setAmounts(amounts);
  }

  func::FuncOp kernel;
  OpBuilder builder;
  std::vector<std::pair<Operation *, std::pair<Shape, Shape>>> shapesBefore;
};

struct DropUnitDimensions final : impl::DropUnitDimensionsBase<DropUnitDimensions> {
  void runOnOperation() override {
    getOperation()->walk([&](func::FuncOp kernel) {
      bool isWanted = kernel
                          .walk([](Operation *op) {
                            return isInTheWay(op) ? WalkResult::interrupt() : WalkResult::advance();
                          })
                          .wasInterrupted();
      if (isWanted)
        UnitDropper(kernel).run();
    });
  }
};

} // namespace
} // namespace nereid::passes
