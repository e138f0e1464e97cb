// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/rings/ProducerSlice.h"

#include "analysis/Slice.h"
#include "dialect/nv/Nv.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nereid::backend::nvptx {

bool ProducerSlice::add(Operation *op, ValueRange values) {
  ProducerSlice before = *this; // nothing of what cannot be computed stays
  ops.insert(op);
  llvm::SmallVector<Value> roots;
  bool isApart = surround(op, roots);
  llvm::append_range(roots, values);
  auto sourcesOf = [&](Value value, llvm::SmallVectorImpl<Value> &sources) {
    return addSources(value, sources);
  };
  isApart = isApart && analysis::walkBack<Value>(roots, sourcesOf, [](Value) {});
  if (!isApart)
    *this = std::move(before);
  return isApart;
}

/// Takes in the loops and branches around `op`, and what decides of their rounds.
bool ProducerSlice::surround(Operation *op, llvm::SmallVectorImpl<Value> &sources) {
  Operation *parent = op->getParentOp();
  return llvm::isa<func::FuncOp>(parent) || takeIn(parent, sources);
}

/// A loop, a branch or the loop over programs.
bool ProducerSlice::takeIn(Operation *op, llvm::SmallVectorImpl<Value> &sources) {
  if (!llvm::isa<scf::ForOp, scf::IfOp, nv::ProgramsOp>(op))
    return false;
  if (!ops.insert(op).second)
    return true;
  if (!surround(op, sources))
    return false;
  if (auto loop = llvm::dyn_cast<scf::ForOp>(op))
    sources.append({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
  if (auto branch = llvm::dyn_cast<scf::IfOp>(op))
    sources.push_back(branch.getCondition());
  return true;
}

bool ProducerSlice::addSources(Value value, llvm::SmallVectorImpl<Value> &sources) {
  if (auto argument = llvm::dyn_cast<BlockArgument>(value)) {
    Operation *owner = argument.getOwner()->getParentOp();
    if (llvm::isa<func::FuncOp>(owner))
      return true;
    auto loop = llvm::dyn_cast<scf::ForOp>(owner);
    if (!loop || !takeIn(loop, sources))
      return false;
    if (argument != loop.getInductionVar())
      sources.push_back(loop.getTiedLoopResult(argument));
    return true;
  }
  auto result = llvm::cast<OpResult>(value);
  const unsigned number = result.getResultNumber();
  Operation *op = result.getOwner();
  if (auto loop = llvm::dyn_cast<scf::ForOp>(op)) {
    if (!takeIn(loop, sources))
      return false;
    if (carried.insert(value).second)
      sources.append({loop.getInitArgs()[number], loop.getYieldedValues()[number]});
    return true;
  }
  if (auto branch = llvm::dyn_cast<scf::IfOp>(op)) {
    if (!takeIn(branch, sources))
      return false;
    if (carried.insert(value).second)
      sources.append(
          {branch.thenYield().getOperand(number), branch.elseYield().getOperand(number)});
    return true;
  }
  if (!isComputable(op))
    return false;
  if (!ops.insert(op).second)
    return true;
  if (!surround(op, sources))
    return false;
  llvm::append_range(sources, op->getOperands());
  return true;
}

bool ProducerSlice::isComputable(Operation *op) const {
  if (auto load = llvm::dyn_cast<tile::LoadOp>(op))
    return tile::shapeOf(load.getType()).empty() && mayRead(load);
  return op->getNumRegions() == 0 && isMemoryEffectFree(op);
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
