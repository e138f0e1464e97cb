// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/llvm/OrderByDemand.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

using llvm::Instruction;

namespace nereid::backend {
namespace {

bool mayWait(const Instruction &instruction) {
  if (llvm::isa<llvm::PHINode, llvm::AllocaInst>(instruction) || instruction.isTerminator() ||
      instruction.mayHaveSideEffects() || instruction.mayReadFromMemory())
    return false;
  const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return !call || !call->isConvergent();
}

/// Moves to `anchor` what it needs of `waiting`, operands before operations.
void place(Instruction *anchor, llvm::DenseSet<Instruction *> &waiting) {
  struct Visit {
    Instruction *instruction;
    unsigned next; // operand
  };
  llvm::SmallVector<Visit> path = {{anchor, 0}}; // sums of many elements are deep
  while (!path.empty()) {
    Visit &top = path.back();
    if (top.next < top.instruction->getNumOperands()) {
      auto *operand = llvm::dyn_cast<Instruction>(top.instruction->getOperand(top.next++));
      if (operand && waiting.erase(operand))
        path.push_back({operand, 0});
      continue;
    }
    if (top.instruction != anchor)
      top.instruction->moveBefore(anchor->getIterator());
    path.pop_back();
  }
}

} // namespace

void orderByDemand(llvm::Function &function) {
  for (llvm::BasicBlock &block : function) {
    llvm::SmallVector<Instruction *> anchors, movable;
    for (Instruction &instruction : block)
      if (mayWait(instruction))
        movable.push_back(&instruction);
      else if (!llvm::isa<llvm::PHINode>(instruction))
        anchors.push_back(&instruction);
    llvm::DenseSet<Instruction *> waiting(movable.begin(), movable.end());
    for (Instruction *anchor : anchors)
      place(anchor, waiting);
    for (Instruction *instruction : movable) // for other blocks
      if (waiting.contains(instruction))
        instruction->moveBefore(block.getTerminator()->getIterator());
  }
}

} // namespace nereid::backend
