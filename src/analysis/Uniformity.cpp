// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Uniformity.h"

#include "dialect/tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::analysis {

Uniformity::Uniformity(func::FuncOp kernel) {
  do { // what loops carry comes back
    hasChanged = false;
    visit(kernel.getBody().front());
  } while (hasChanged);
}

void Uniformity::mark(Value value) { hasChanged |= differing.insert(value).second; }
void Uniformity::part(Operation *op) { hasChanged |= parting.insert(op).second; }

void Uniformity::visit(Block &block) {
  for (Operation &op : block)
    visit(&op);
}

void Uniformity::visit(Operation *op) {
  if (llvm::isa<scf::IfOp>(op))
    return visitIf(op);
  if (llvm::isa<scf::ForOp>(op))
    return visitFor(op);
  if (llvm::isa<scf::WhileOp>(op))
    return visitWhile(op);
  // Each thread finds in memory what the atomic of another has left.
  bool isSource = llvm::isa<tile::ThreadIdOp, tile::LocalOp, tile::AtomicRmwOp, tile::AtomicCasOp,
                            tile::ShuffleOp, tile::BallotOp, tile::ActiveMaskOp>(op);
  bool isCommon = llvm::isa<tile::SyncThreadsCountOp>(op);
  bool isDiffering = !isCommon && (isSource || llvm::any_of(op->getOperands(),
                                                            [&](Value v) { return differs(v); }));
  for (Value result : op->getResults())
    markWhere(result, isDiffering);
}

void Uniformity::visitIf(Operation *op) {
  auto branch = llvm::cast<scf::IfOp>(op);
  if (differs(branch.getCondition()))
    part(op);
  for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()}) {
    if (region->empty())
      continue;
    visit(region->front());
    for (auto [result, yielded] :
         llvm::zip(branch.getResults(), region->front().getTerminator()->getOperands()))
      markWhere(result, parts(op) || differs(yielded));
  }
}

void Uniformity::visitFor(Operation *op) {
  auto loop = llvm::cast<scf::ForOp>(op);
  if (differs(loop.getLowerBound()) || differs(loop.getUpperBound()) || differs(loop.getStep()))
    part(op);
  markWhere(loop.getInductionVar(), parts(op));
  auto carried = llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getYieldedValues(),
                           loop.getResults());
  for (auto [initial, argument, yielded, result] : carried)
    markWhere(argument, parts(op) || differs(initial) || differs(yielded));
  visit(*loop.getBody());
  for (auto [initial, argument, yielded, result] : carried)
    markWhere(result, differs(argument) || differs(yielded));
}

void Uniformity::visitWhile(Operation *op) {
  auto loop = llvm::cast<scf::WhileOp>(op);
  scf::ConditionOp condition = loop.getConditionOp();
  auto yielded = loop.getAfterBody()->getTerminator()->getOperands();
  for (auto [initial, argument, next] :
       llvm::zip(loop.getInits(), loop.getBeforeArguments(), yielded))
    markWhere(argument, parts(op) || differs(initial) || differs(next));
  visit(*loop.getBeforeBody());
  if (differs(condition.getCondition()))
    part(op);
  for (auto [passed, argument, result] :
       llvm::zip(condition.getArgs(), loop.getAfterArguments(), loop.getResults())) {
    markWhere(argument, parts(op) || differs(passed));
    markWhere(result, parts(op) || differs(passed));
  }
  visit(*loop.getAfterBody());
}

} // namespace nereid::analysis
