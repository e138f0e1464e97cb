// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/llvm/OrderByDemand.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

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

/// What is read close by and of which two make one, as parts that warps have of a sum: that takes
/// the register of one of them, and the other is free. Where many are read at once, all parts of
/// all sums would be there while they wait for who needs them.
class Combined {
public:
  Combined(llvm::ArrayRef<Instruction *> anchors, unsigned space,
           llvm::DenseSet<Instruction *> &waiting)
      : space(space), waiting(waiting) {
    constexpr uint64_t many = 32 * 32; // bits: as many registers as a full SM has for a thread
    for (size_t i = 0, end = 0; i < anchors.size(); i = end + 1) {
      uint64_t bits = 0;
      for (end = i; end < anchors.size() && isClose(anchors[end]); ++end)
        bits += anchors[end]->getType()->getPrimitiveSizeInBits();
      if (bits >= many)
        together.insert(anchors.begin() + i, anchors.begin() + end);
    }
  }

  /// Moves what can be combined, now that `load` stands, behind it.
  void place(Instruction *load) {
    if (!together.contains(load))
      return;
    Instruction *last = load;
    llvm::SmallVector<Instruction *> grown = {load};
    there.insert(load);
    while (!grown.empty())
      for (llvm::User *user : llvm::SmallVector<llvm::User *>(grown.pop_back_val()->users())) {
        auto *one = llvm::dyn_cast<Instruction>(isPart(user) ? *user->user_begin() : user);
        if (!one || !waiting.contains(one) || !isOfTwo(*one))
          continue;
        for (llvm::Value *operand : {one->getOperand(0), one->getOperand(1), (llvm::Value *)one}) {
          auto *moved = llvm::cast<Instruction>(operand);
          if (!waiting.erase(moved))
            continue;
          moved->moveAfter(last);
          last = moved;
        }
        there.insert(one);
        grown.push_back(one);
      }
  }

private:
  bool isClose(const Instruction *anchor) const {
    auto *load = llvm::dyn_cast<llvm::LoadInst>(anchor);
    return load && !load->isVolatile() && load->getPointerAddressSpace() == space;
  }

  /// An element of what is read, which somebody wants once.
  static bool isPart(const llvm::Value *value) {
    auto *part = llvm::dyn_cast<llvm::ExtractElementInst>(value);
    return part && part->hasOneUse() && llvm::isa<llvm::ConstantInt>(part->getIndexOperand());
  }

  bool isThere(const llvm::Value *value) const {
    if (isPart(value))
      value = llvm::cast<llvm::ExtractElementInst>(value)->getVectorOperand();
    else if (!value->hasOneUse())
      return false;
    return there.contains(value);
  }

  bool isOfTwo(const Instruction &instruction) const {
    auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const unsigned count = call ? call->arg_size() : instruction.getNumOperands();
    const bool isPlain = llvm::isa<llvm::BinaryOperator, llvm::IntrinsicInst>(instruction);
    return isPlain && count == 2 && instruction.getOperand(0) != instruction.getOperand(1) &&
           isThere(instruction.getOperand(0)) && isThere(instruction.getOperand(1));
  }

  unsigned space;
  llvm::DenseSet<Instruction *> &waiting;
  llvm::DenseSet<const Instruction *> together; // loads, one behind the other
  llvm::DenseSet<const llvm::Value *> there;
};

} // namespace

void orderByDemand(llvm::Function &function, unsigned closeSpace) {
  for (llvm::BasicBlock &block : function) {
    llvm::SmallVector<Instruction *> anchors, movable;
    for (Instruction &instruction : block)
      if (mayWait(instruction))
        movable.push_back(&instruction);
      else if (!llvm::isa<llvm::PHINode>(instruction))
        anchors.push_back(&instruction);
    llvm::DenseSet<Instruction *> waiting(movable.begin(), movable.end());
    Combined combined(anchors, closeSpace, waiting);
    for (Instruction *anchor : anchors) {
      place(anchor, waiting);
      combined.place(anchor);
    }
    CarriedSums(block, waiting).place();
    for (Instruction *instruction : movable) // for other blocks
      if (waiting.contains(instruction))
        instruction->moveBefore(block.getTerminator()->getIterator());
  }
}

} // namespace nereid::backend
