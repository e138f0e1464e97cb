// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/rings/ProducerSlice.h"

#include "dialect/nv/Nv.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nereid::backend::nvptx {

bool ProducerSlice::add(Operation *op, ValueRange values) {
  ops.insert(op);
  return addParents(op) && llvm::all_of(values, [&](Value value) { return addValue(value); });
}

bool ProducerSlice::addParents(Operation *op) {
  Operation *parent = op->getParentOp();
  if (llvm::isa<func::FuncOp>(parent))
    return true;
  if (auto loop = llvm::dyn_cast<scf::ForOp>(parent))
    return addLoop(loop);
  if (llvm::isa<nv::ProgramsOp>(parent))
    return !ops.insert(parent).second || addParents(parent);
  auto branch = llvm::dyn_cast<scf::IfOp>(parent);
  return branch && addBranch(branch);
}

bool ProducerSlice::addLoop(scf::ForOp loop) {
  return !ops.insert(loop).second || (addParents(loop) && addValue(loop.getLowerBound()) &&
                                      addValue(loop.getUpperBound()) && addValue(loop.getStep()));
}

bool ProducerSlice::addBranch(scf::IfOp branch) {
  return !ops.insert(branch).second || (addParents(branch) && addValue(branch.getCondition()));
}

bool ProducerSlice::addOperation(Operation *op) {
  if (op->getNumRegions() > 0 || !isMemoryEffectFree(op))
    return false;
  return !ops.insert(op).second ||
         (addParents(op) &&
          llvm::all_of(op->getOperands(), [&](Value operand) { return addValue(operand); }));
}

bool ProducerSlice::addValue(Value value) {
  if (auto argument = llvm::dyn_cast<BlockArgument>(value)) {
    Operation *owner = argument.getOwner()->getParentOp();
    if (llvm::isa<func::FuncOp>(owner))
      return true;
    auto loop = llvm::dyn_cast<scf::ForOp>(owner);
    if (!loop || !addLoop(loop))
      return false;
    return argument == loop.getInductionVar() || addValue(loop.getTiedLoopResult(argument));
  }
  auto result = llvm::cast<OpResult>(value);
  unsigned number = result.getResultNumber();
  if (auto loop = llvm::dyn_cast<scf::ForOp>(result.getOwner()))
    return addLoop(loop) &&
           (!carried.insert(value).second ||
            (addValue(loop.getInitArgs()[number]) && addValue(loop.getYieldedValues()[number])));
  if (auto branch = llvm::dyn_cast<scf::IfOp>(result.getOwner()))
    return addBranch(branch) &&
           (!carried.insert(value).second || (addValue(branch.thenYield().getOperand(number)) &&
                                              addValue(branch.elseYield().getOperand(number))));
  return addOperation(result.getOwner());
}

void ProducerSlice::clone(Block &block, OpBuilder &builder, IRMapping &map) const {
  for (Operation &op : block) {
    if (!ops.contains(&op))
      continue;
    if (auto loop = llvm::dyn_cast<scf::ForOp>(op))
      cloneLoop(loop, builder, map);
    else if (auto branch = llvm::dyn_cast<scf::IfOp>(op))
      cloneBranch(branch, builder, map);
    else if (auto programs = llvm::dyn_cast<nv::ProgramsOp>(op))
      clonePrograms(programs, builder, map);
    else
      builder.clone(op, map);
  }
}

void ProducerSlice::cloneLoop(scf::ForOp loop, OpBuilder &builder, IRMapping &map) const {
  llvm::SmallVector<Value> inits;
  llvm::SmallVector<OpResult> kept;
  for (OpResult result : loop->getResults())
    if (carried.contains(result)) {
      kept.push_back(result);
      inits.push_back(map.lookupOrDefault(loop.getInitArgs()[result.getResultNumber()]));
    }
  auto copy = scf::ForOp::create(builder, loop.getLoc(), map.lookupOrDefault(loop.getLowerBound()),
                                 map.lookupOrDefault(loop.getUpperBound()),
                                 map.lookupOrDefault(loop.getStep()), inits);
  copy.setUnsignedCmp(loop.getUnsignedCmp());
  map.map(loop.getInductionVar(), copy.getInductionVar());
  for (auto [result, argument, replacement] :
       llvm::zip(kept, copy.getRegionIterArgs(), copy.getResults())) {
    map.map(loop.getTiedLoopRegionIterArg(result), argument);
    map.map(result, replacement);
  }
  OpBuilder::InsertionGuard guard(builder);
  if (!kept.empty())
    builder.setInsertionPointToEnd(copy.getBody());
  else
    builder.setInsertionPoint(copy.getBody()->getTerminator());
  clone(*loop.getBody(), builder, map);
  if (!kept.empty())
    yield(loop.getBody()->getTerminator(), llvm::to_vector_of<Value>(kept), builder, map);
}

void ProducerSlice::cloneBranch(scf::IfOp branch, OpBuilder &builder, IRMapping &map) const {
  llvm::SmallVector<Value> kept;
  llvm::SmallVector<Type> types;
  for (OpResult result : branch->getResults())
    if (carried.contains(result)) {
      kept.push_back(result);
      types.push_back(result.getType());
    }
  bool hasElse = branch.elseBlock();
  auto copy =
      scf::IfOp::create(builder, branch.getLoc(), types, map.lookupOrDefault(branch.getCondition()),
                        /*addThenBlock=*/true, /*addElseBlock=*/hasElse);
  for (auto [from, to] : {std::pair(branch.thenBlock(), copy.thenBlock()),
                          std::pair(branch.elseBlock(), copy.elseBlock())}) {
    if (!from)
      continue;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(to);
    clone(*from, builder, map);
    yield(from->getTerminator(), kept, builder, map);
  }
  for (auto [result, replacement] : llvm::zip(kept, copy.getResults()))
    map.map(result, replacement);
}

void ProducerSlice::clonePrograms(nv::ProgramsOp programs, OpBuilder &builder,
                                  IRMapping &map) const {
  auto copy = nv::ProgramsOp::create(builder, programs.getLoc());
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&copy.getBody());
  clone(programs.getBody().front(), builder, map);
  nv::EndProgramOp::create(builder, programs.getLoc());
}

/// The operands of `terminator` that belong to these results.
void ProducerSlice::yield(Operation *terminator, ValueRange results, OpBuilder &builder,
                          IRMapping &map) const {
  llvm::SmallVector<Value> values;
  for (Value result : results)
    values.push_back(map.lookupOrDefault(
        terminator->getOperand(llvm::cast<OpResult>(result).getResultNumber())));
  scf::YieldOp::create(builder, terminator->getLoc(), values);
}

} // namespace nereid::backend::nvptx
