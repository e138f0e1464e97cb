// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks that note nothing run a copy of the kernel's code that has no clocks: a clock that is
// passed by is a border still, across which nothing is moved, and takes registers.
#include "backend/nvptx/emit/Emit.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace nereid::backend::nvptx {

static constexpr const char *clockMark = "nereid.clock";

void markAsClock(llvm::CallInst &call) {
  call.setMetadata(clockMark, llvm::MDNode::get(call.getContext(), {}));
}

/// What it would have given is where the next record goes, which is its first operand.
static void drop(llvm::CallInst &call) {
  if (!call.getType()->isVoidTy())
    call.replaceAllUsesWith(call.getArgOperand(0));
  call.eraseFromParent();
}

void copyWithoutClocks(KernelContext &c) {
  llvm::BasicBlock *noting = c.clock.choice->getSuccessor(0);
  // What is emitted before the choice is for both.
  llvm::SmallPtrSet<llvm::BasicBlock *, 8> before(c.clock.before.begin(), c.clock.before.end());
  llvm::SmallVector<llvm::BasicBlock *> originals, copies;
  for (llvm::BasicBlock &block : *c.function)
    if (!before.contains(&block))
      originals.push_back(&block);
  llvm::ValueToValueMapTy map;
  for (llvm::BasicBlock *block : originals) {
    copies.push_back(llvm::CloneBasicBlock(block, map, ".plain", c.function));
    map[block] = copies.back();
  }
  llvm::remapInstructionsInBlocks(copies, map);
  for (llvm::BasicBlock *block : copies)
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(*block))
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
          call && call->getMetadata(clockMark))
        drop(*call);
  llvm::ReplaceInstWithInst(
      c.clock.choice,
      llvm::BranchInst::Create(noting, llvm::cast<llvm::BasicBlock>(map[noting]), c.clock.notes));
  c.clock.choice = nullptr;
}

} // namespace nereid::backend::nvptx
