// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/llvm/OrderByDemand.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/CFG.h"
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

/// The sums that a loop carries, which nothing in their block asks for, each behind what it adds:
/// it takes the register of the sum before, and what was added is free. Where that is an access
/// (`sum += load`) it stays where it is, or accesses would not stand side by side.
class CarriedSums {
public:
  CarriedSums(llvm::BasicBlock &block, llvm::DenseSet<Instruction *> &waiting)
      : block(block), waiting(waiting) {}

  void place() {
    for (llvm::BasicBlock *next : llvm::successors(&block))
      for (llvm::PHINode &carried : next->phis())
        if (auto *sum = llvm::dyn_cast<Instruction>(carried.getIncomingValueForBlock(&block)))
          if (waiting.contains(sum) && carried.hasOneUse() && carried.user_back() == sum)
            placeBehindOperands(sum);
  }

private:
  void placeBehindOperands(Instruction *sum) {
    Instruction *last = lastOperand(sum);
    if (!last || llvm::isa<llvm::PHINode>(last) || last->mayReadFromMemory())
      return;
    waiting.erase(sum);
    sum->moveAfter(last);
    nereid::backend::place(sum, waiting);
  }

  /// Of what the sum is made of, waiting as it does or not: what stands last in the block.
  Instruction *lastOperand(Instruction *sum) const {
    Instruction *last = nullptr;
    llvm::SetVector<Instruction *> made;
    made.insert(sum);
    for (size_t i = 0; i < made.size(); ++i)
      for (llvm::Value *operand : made[i]->operands()) {
        auto *source = llvm::dyn_cast<Instruction>(operand);
        if (!source || source->getParent() != &block)
          continue;
        if (waiting.contains(source))
          made.insert(source);
        else if (!last || last->comesBefore(source))
          last = source;
      }
    return last;
  }

  llvm::BasicBlock &block;
  llvm::DenseSet<Instruction *> &waiting;
};

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
    CarriedSums(block, waiting).place();
    for (Instruction *instruction : movable) // for other blocks
      if (waiting.contains(instruction))
        instruction->moveBefore(block.getTerminator()->getIterator());
  }
}

} // namespace nereid::backend
