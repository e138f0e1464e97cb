// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/llvm/SplitBlocks.h"

namespace nereid::backend {

void splitBlocks(llvm::Module &module, size_t most) {
  for (llvm::Function &function : module)
    // What is cut off follows in the function, and is looked at next.
    for (llvm::BasicBlock &block : function) {
      auto at = block.getFirstNonPHIIt();
      for (size_t i = 0; i < most && !at->isTerminator(); ++i)
        ++at;
      if (!at->isTerminator())
        block.splitBasicBlock(at);
    }
}

} // namespace nereid::backend
