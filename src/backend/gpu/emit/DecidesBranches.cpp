// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/emit/DecidesBranches.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace nereid::backend::gpu {
namespace {

/// Whether the operand is a condition or a bound, no value that a branch or loop hands on.
bool isDecision(OpOperand &use) {
  Operation *op = use.getOwner();
  if (llvm::isa<scf::IfOp>(op))
    return true;
  if (llvm::isa<scf::ForOp>(op))
    return use.getOperandNumber() < llvm::cast<scf::ForOp>(op).getNumControlOperands();
  return llvm::isa<scf::ConditionOp>(op) && use.getOperandNumber() == 0;
}

/// Where a branch or loop hands the operand on to.
void addTargets(OpOperand &use, llvm::SetVector<Value> &values) {
  Operation *op = use.getOwner();
  auto passes = [&](RegionBranchOpInterface branch, RegionBranchPoint from) {
    llvm::SmallVector<RegionSuccessor> successors;
    branch.getSuccessorRegions(from, successors);
    for (const RegionSuccessor &successor : successors)
      for (auto [operand, input] :
           llvm::zip(branch.getSuccessorOperands(from, successor), successor.getSuccessorInputs()))
        if (operand == use.get())
          values.insert(input);
  };
  if (auto branch = llvm::dyn_cast<RegionBranchOpInterface>(op))
    passes(branch, RegionBranchPoint::parent());
  auto terminator = llvm::dyn_cast<RegionBranchTerminatorOpInterface>(op);
  if (terminator && llvm::isa<RegionBranchOpInterface>(op->getParentOp()))
    passes(llvm::cast<RegionBranchOpInterface>(op->getParentOp()), RegionBranchPoint(terminator));
}

} // namespace

bool decidesBranches(Value value) {
  llvm::SetVector<Value> values;
  values.insert(value);
  for (size_t i = 0; i < values.size(); ++i)
    for (OpOperand &use : values[i].getUses()) {
      if (isDecision(use))
        return true;
      addTargets(use, values);
      if (!llvm::isa<RegionBranchOpInterface>(use.getOwner()))
        values.insert_range(use.getOwner()->getResults());
    }
  return false;
}

} // namespace nereid::backend::gpu
