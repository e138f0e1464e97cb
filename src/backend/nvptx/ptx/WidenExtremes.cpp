// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/ptx/WidenExtremes.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace nereid::backend::nvptx {

/// Whether it is taken of 16 bits, as those of bytes are.
static bool isOf16Bits(const llvm::MinMaxIntrinsic &extreme) {
  auto *type = llvm::dyn_cast<llvm::IntegerType>(extreme.getType());
  return type && type->getBitWidth() <= 16;
}

static bool isCompared(const llvm::Value &value) {
  return llvm::any_of(value.users(),
                      [](const llvm::User *user) { return llvm::isa<llvm::ICmpInst>(user); });
}

void widenExtremes(llvm::Function &function) {
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto *extreme = llvm::dyn_cast<llvm::MinMaxIntrinsic>(&instruction);
    if (!extreme || !isOf16Bits(*extreme) || !isCompared(*extreme))
      continue;
    llvm::IRBuilder<> b(extreme);
    auto widened = [&](llvm::Value *x) {
      return extreme->isSigned() ? b.CreateSExt(x, b.getInt32Ty())
                                 : b.CreateZExt(x, b.getInt32Ty());
    };
    llvm::Value *wide = b.CreateBinaryIntrinsic(
        extreme->getIntrinsicID(), widened(extreme->getLHS()), widened(extreme->getRHS()));
    extreme->replaceAllUsesWith(b.CreateTrunc(wide, extreme->getType()));
    extreme->eraseFromParent();
  }
}

} // namespace nereid::backend::nvptx
