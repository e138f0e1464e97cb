// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/TileForm.h"

#include "frontend/emit/names/LibraryModules.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace nereid::emit {

using namespace mlir;

bool TileForm::isUniform(Operation &op) {
  return op.getNumOperands() == 0 && op.getNumRegions() == 0 && isPure(&op);
}

mlir::Value TileForm::splat(mlir::Value scalar) {
  return emitter.make<tile::SplatOp>(range, tile::tileOf(shape, scalar.getType()), scalar);
}

mlir::Value TileForm::constant(int64_t value, Type element) {
  if (llvm::isa<tile::PointerType>(element))
    return emitter.make<tile::IntToPointerOp>(range, tile::tileOf(shape, element),
                                              constant(value, b.getI64Type()));
  if (auto type = llvm::dyn_cast<FloatType>(element))
    return splat(
        emitter.make<arith::ConstantOp>(range, b.getFloatAttr(type, static_cast<double>(value))));
  return splat(emitter.make<arith::ConstantOp>(range, b.getIntegerAttr(element, value)));
}

mlir::Value TileForm::always() { return constant(-1, b.getI1Type()); }

mlir::Value TileForm::both(mlir::Value lhs, mlir::Value rhs) {
  return lhs ? emitter.make<arith::AndIOp>(range, lhs, rhs) : rhs;
}

mlir::Value TileForm::isNot(mlir::Value lanes) {
  return emitter.make<arith::XOrIOp>(range, lanes, always());
}

mlir::Value TileForm::choose(mlir::Value condition, mlir::Value yes, mlir::Value no) {
  return emitter.make<arith::SelectOp>(range, condition, yes, no);
}

/// Whether any lane is true, as a scalar.
mlir::Value TileForm::anyOf(mlir::Value lanes) {
  Tensor bits{lanes, {{DType::Int1}, shape}};
  Value any = emitter.call(findLibraryFunction("reduce_or"), {{"", bits, range}}, range);
  return any.as<Tensor>()->value;
}

mlir::Value TileForm::of(mlir::Value scalar) {
  auto known = tiles.find(scalar);
  return known != tiles.end() ? known->second : splat(scalar);
}

void TileForm::giveAll(ValueRange scalars, ValueRange given) {
  for (auto [scalar, tile] : llvm::zip_equal(scalars, given))
    give(scalar, tile);
}

llvm::SmallVector<mlir::Value> TileForm::allOf(ValueRange scalars) {
  return llvm::map_to_vector(scalars, [&](mlir::Value scalar) { return of(scalar); });
}

/// A new block of `region` with arguments of these types, where the builder goes.
ValueRange TileForm::enter(Region &region, TypeRange types) {
  llvm::SmallVector<Location> locations(types.size(), emitter.locate(range));
  return b.createBlock(&region, {}, types, locations)->getArguments();
}

void TileForm::write(Block &body, mlir::Value active) {
  for (Operation &op : body) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      return;
    if (auto branch = llvm::dyn_cast<scf::IfOp>(op))
      writeIf(branch, active);
    else if (auto loop = llvm::dyn_cast<scf::WhileOp>(op))
      writeWhile(loop, active);
    else if (auto loop = llvm::dyn_cast<scf::ForOp>(op))
      writeFor(loop, active);
    else if (isUniform(op))
      giveAll(op.getResults(), llvm::map_to_vector(b.clone(op)->getResults(),
                                                   [&](mlir::Value v) { return splat(v); }));
    else
      writeElementwise(op, active);
  }
}

void TileForm::writeElementwise(Operation &op, mlir::Value active) {
  IRMapping mapping;
  for (mlir::Value operand : op.getOperands())
    mapping.map(operand, of(operand));
  // What holds of the lanes that come here, and what they divide by, is not asked of the others.
  mlir::Value replaced;
  unsigned place = 0;
  if (active && llvm::isa<tile::AssertOp, tile::AssumeOp>(op))
    replaced = emitter.make<arith::OrIOp>(range, of(op.getOperand(0)), isNot(active));
  if (active && llvm::isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op)) {
    place = 1;
    replaced = choose(active, of(op.getOperand(1)), constant(1, op.getOperand(1).getType()));
  }
  Operation *copy = b.clone(op, mapping);
  if (replaced)
    copy->setOperand(place, replaced);
  for (auto [scalar, lanes] : llvm::zip(op.getResults(), copy->getResults())) {
    lanes.setType(tile::tileOf(shape, scalar.getType()));
    give(scalar, lanes);
  }
}

void TileForm::writeIf(scf::IfOp branch, mlir::Value active) {
  mlir::Value condition = of(branch.getCondition());
  write(*branch.thenBlock(), both(active, condition));
  if (!branch.elseBlock())
    return;
  write(*branch.elseBlock(), both(active, isNot(condition)));
  for (auto [result, yes, no] : llvm::zip(branch.getResults(), branch.thenYield().getOperands(),
                                          branch.elseYield().getOperands()))
    give(result, choose(condition, of(yes), of(no)));
}

/// The loop carries what a turn begins with, what lanes that are done have, and which go on.
void TileForm::writeWhile(scf::WhileOp loop, mlir::Value active) {
  llvm::SmallVector<mlir::Value> inits = allOf(loop.getInits());
  for (Type type : loop.getResultTypes())
    inits.push_back(constant(0, type));
  inits.push_back(active ? active : always());
  size_t carried = loop.getInits().size();
  llvm::SmallVector<Type> passed =
      llvm::map_to_vector(llvm::ArrayRef<mlir::Value>(inits).drop_front(carried),
                          [](mlir::Value v) { return v.getType(); });
  auto made = scf::WhileOp::create(b, emitter.locate(range), passed, inits);
  OpBuilder::InsertionGuard guard(b);

  ValueRange begun = enter(made.getBefore(), ValueRange(inits).getTypes());
  giveAll(loop.getBeforeArguments(), begun.take_front(carried));
  mlir::Value asked = begun.back();
  write(*loop.getBeforeBody(), asked);
  auto condition = llvm::cast<scf::ConditionOp>(loop.getBeforeBody()->getTerminator());
  llvm::SmallVector<mlir::Value> left;
  for (auto [i, value] : llvm::enumerate(condition.getArgs()))
    left.push_back(choose(asked, of(value), begun[carried + i]));
  left.push_back(both(asked, of(condition.getCondition())));
  scf::ConditionOp::create(b, emitter.locate(range), anyOf(left.back()), left);

  ValueRange turn = enter(made.getAfter(), passed);
  giveAll(loop.getAfterArguments(), turn.drop_back());
  write(*loop.getAfterBody(), turn.back());
  llvm::SmallVector<mlir::Value> next = allOf(loop.getYieldOp().getOperands());
  llvm::append_range(next, turn);
  scf::YieldOp::create(b, emitter.locate(range), next);
  giveAll(loop.getResults(), made.getResults().drop_back());
}

/// Bounds may differ between lanes. The loop carries the counter, which lanes may begin a turn, and
/// what the loop carries.
void TileForm::writeFor(scf::ForOp loop, mlir::Value active) {
  mlir::Value step = of(loop.getStep()), upper = of(loop.getUpperBound());
  auto less = [&](mlir::Value lhs, mlir::Value rhs) {
    auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
    return emitter.make<arith::CmpIOp>(range, predicate, lhs, rhs);
  };
  llvm::SmallVector<mlir::Value> inits{
      of(loop.getLowerBound()), both(active, less(constant(0, loop.getStep().getType()), step))};
  llvm::append_range(inits, allOf(loop.getInitArgs()));
  auto made = scf::WhileOp::create(b, emitter.locate(range), ValueRange(inits).getTypes(), inits);
  OpBuilder::InsertionGuard guard(b);

  ValueRange begun = enter(made.getBefore(), ValueRange(inits).getTypes());
  llvm::SmallVector<mlir::Value> passed(begun);
  passed[1] = both(begun[1], less(begun[0], upper));
  scf::ConditionOp::create(b, emitter.locate(range), anyOf(passed[1]), passed);

  ValueRange turn = enter(made.getAfter(), ValueRange(inits).getTypes());
  mlir::Value counter = turn[0], runs = turn[1];
  give(loop.getInductionVar(), counter);
  giveAll(loop.getRegionIterArgs(), turn.drop_front(2));
  write(*loop.getBody(), runs);
  mlir::Value following = emitter.make<arith::AddIOp>(range, counter, step);
  llvm::SmallVector<mlir::Value> next{following, both(runs, less(counter, following))};
  for (auto [yielded, before] : llvm::zip_equal(loop.getYieldedValues(), turn.drop_front(2)))
    next.push_back(choose(runs, of(yielded), before));
  scf::YieldOp::create(b, emitter.locate(range), next);
  giveAll(loop.getResults(), made.getResults().drop_front(2));
}

} // namespace nereid::emit
