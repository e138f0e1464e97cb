// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/ParameterAccesses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::analysis {
namespace {

/// All that a value may be made of, as far back as the arguments of the kernel.
class Roots {
public:
  explicit Roots(func::FuncOp kernel) : arguments(kernel.getNumArguments()), kernel(kernel) {}

  void add(Value value) { open.push_back(value); }

  void follow() {
    while (!open.empty()) {
      Value value = open.pop_back_val();
      if (!seen.insert(value).second)
        continue;
      if (auto argument = llvm::dyn_cast<BlockArgument>(value))
        addSources(argument);
      else
        addSources(llvm::cast<OpResult>(value));
    }
  }

  llvm::BitVector arguments; // that are pointers
  bool isOwnMemory = false;  // of the block
  bool isFromMemory = false; // whatever was found there

private:
  void addSources(BlockArgument argument) {
    Operation *owner = argument.getOwner()->getParentOp();
    unsigned number = argument.getArgNumber();
    if (owner == kernel) {
      if (llvm::isa<tile::PointerType>(argument.getType()))
        arguments.set(number);
    } else if (auto loop = llvm::dyn_cast<scf::ForOp>(owner)) {
      if (argument != loop.getInductionVar())
        addRound(loop.getInitArgs(), loop.getYieldedValues(), number - 1);
    } else if (auto loop = llvm::dyn_cast<scf::WhileOp>(owner)) {
      if (argument.getOwner() == loop.getBeforeBody())
        addRound(loop.getInits(), loop.getYieldOp().getOperands(), number);
      else
        open.push_back(loop.getConditionOp().getArgs()[number]);
    } else {
      llvm::append_range(open, owner->getOperands());
    }
  }

  void addRound(ValueRange inits, ValueRange yielded, unsigned number) {
    open.append({inits[number], yielded[number]});
  }

  void addSources(OpResult result) {
    Operation *op = result.getOwner();
    unsigned number = result.getResultNumber();
    if (auto loop = llvm::dyn_cast<scf::ForOp>(op))
      addRound(loop.getInitArgs(), loop.getYieldedValues(), number);
    else if (auto loop = llvm::dyn_cast<scf::WhileOp>(op))
      open.push_back(loop.getConditionOp().getArgs()[number]);
    else if (tile::ownMemoryOf(result))
      isOwnMemory = true;
    else if (tile::accessOf(op).reads || llvm::isa<tile::AssemblyOp>(op))
      isFromMemory = true;
    else if (auto offset = llvm::dyn_cast<tile::OffsetOp>(op))
      open.push_back(offset->getOperand(0)); // the distance leads nowhere
    else if (auto select = llvm::dyn_cast<arith::SelectOp>(op))
      open.append({select.getTrueValue(), select.getFalseValue()});
    else {
      llvm::append_range(open, op->getOperands());
      for (Region &region : op->getRegions()) { // of a branch, of a function that combines
        if (region.empty())
          continue;
        Operation *yield = region.front().getTerminator();
        if (llvm::isa<scf::IfOp>(op))
          open.push_back(yield->getOperand(number));
        else
          llvm::append_range(open, yield->getOperands());
      }
    }
  }

  func::FuncOp kernel;
  llvm::SmallVector<Value> open;
  llvm::DenseSet<Value> seen;
};

Roots rootsOf(ValueRange values, func::FuncOp kernel) {
  Roots roots(kernel);
  for (Value value : values)
    roots.add(value);
  roots.follow();
  return roots;
}

} // namespace

ParameterAccesses parameterAccesses(func::FuncOp kernel) {
  ParameterAccesses found;
  found.read.resize(kernel.getNumArguments());
  found.written.resize(kernel.getNumArguments());
  kernel.walk([&](Operation *op) {
    const tile::Access access = tile::accessOf(op);
    const bool isAssembly = llvm::isa<tile::AssemblyOp>(op);
    const bool reads = access.reads || isAssembly;
    if (op->getNumRegions() > 0 || !(reads || access.writes))
      return;
    // What names no place may go wherever its operands lead.
    Roots roots = rootsOf(access.pointer ? ValueRange(access.pointer) : op->getOperands(), kernel);
    if (reads)
      found.read |= roots.arguments;
    if (access.writes)
      found.written |= roots.arguments;
    bool isKnown = roots.arguments.any() || roots.isOwnMemory;
    if (access.pointer && (roots.isFromMemory || !isKnown))
      found.mayBeMore = true;
  });
  return found;
}

} // namespace nereid::analysis
