// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/llvm/InlineCalls.h"

#include "support/Check.h"

#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Cloning.h"

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

void inlineCalls(llvm::Module &module, size_t mostInstructions) {
  // Callers before what they call, which was made after them, so that all copies are counted.
  for (llvm::Function &function : llvm::make_early_inc_range(module))
    if (function.getName().starts_with(inlinedPrefix))
      inlineCallsIfShort(function, mostInstructions);
}

} // namespace nereid::backend
