// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/llvm/InlineCalls.h"

#include "support/Check.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <map>
#include <vector>

namespace nereid::backend {

static llvm::SmallVector<llvm::CallInst *> callsOf(llvm::Function &function) {
  llvm::SmallVector<llvm::CallInst *> calls;
  for (llvm::User *user : function.users())
    calls.push_back(llvm::cast<llvm::CallInst>(user));
  return calls;
}

void inlineCallsOf(llvm::Function &function) {
  for (llvm::CallInst *call : callsOf(function)) {
    llvm::InlineFunctionInfo info;
    llvm::InlineResult result = llvm::InlineFunction(*call, info);
    NEREID_CHECK(result.isSuccess(), result.getFailureReason());
  }
  function.eraseFromParent();
}

void inlineCallsIfShort(llvm::Function &function, size_t mostInstructions) {
  constexpr size_t alwaysShort = 40; // no more than what a call does around it
  size_t calls = function.getNumUses(), length = function.getInstructionCount();
  if (calls > 1 && length > alwaysShort && calls * length > mostInstructions)
    function.addFnAttr(llvm::Attribute::NoInline);
  else
    inlineCallsOf(function);
}

/// Whether all that a function does is its result.
static bool isPure(const llvm::Function &function) {
  return !function.isDeclaration() &&
         llvm::all_of(llvm::instructions(function), [](const llvm::Instruction &instruction) {
           auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
           const llvm::Function *called = call ? call->getCalledFunction() : nullptr;
           return called && called->getName().starts_with(inlinedPrefix)
                      ? isPure(*called)
                      : !instruction.mayHaveSideEffects() && !instruction.mayReadFromMemory();
         });
}

/// Calls of a block for the same arguments become the first of them: sine and cosine reduce one
/// angle. `pure` knows of functions that were asked about.
static void shareCalls(llvm::BasicBlock &block, std::map<const llvm::Function *, bool> &pure) {
  auto gives = [&](const llvm::Function &function) {
    auto [known, isNew] = pure.try_emplace(&function, false);
    if (isNew)
      known->second = isPure(function);
    return known->second;
  };
  std::map<std::vector<llvm::Value *>, llvm::CallInst *> known; // by function and arguments
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(block)) {
    auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    llvm::Function *called = call ? call->getCalledFunction() : nullptr;
    if (!called || !called->getName().starts_with(inlinedPrefix) || !gives(*called))
      continue;
    std::vector<llvm::Value *> key(call->op_begin(), call->op_end());
    auto [first, isNew] = known.try_emplace(std::move(key), call);
    if (isNew)
      continue;
    call->replaceAllUsesWith(first->second);
    call->eraseFromParent();
  }
}

void inlineCalls(llvm::Module &module, size_t mostInstructions) {
  std::map<const llvm::Function *, bool> pure;
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      shareCalls(block, pure);
  // Callers before what they call, which was made after them, so that all copies are counted.
  for (llvm::Function &function : llvm::make_early_inc_range(module))
    if (function.getName().starts_with(inlinedPrefix))
      inlineCallsIfShort(function, mostInstructions);
}

} // namespace nereid::backend
