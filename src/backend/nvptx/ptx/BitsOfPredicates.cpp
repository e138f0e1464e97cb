// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/ptx/BitsOfPredicates.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

namespace nereid::backend::nvptx {

void convertBitsOfPredicates(llvm::Function &function) {
  using namespace llvm::PatternMatch;
  const llvm::DataLayout &data = function.getParent()->getDataLayout();
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    llvm::Value *predicate;
    llvm::Constant *one = nullptr, *other = nullptr;
    auto *cast = llvm::dyn_cast<llvm::CastInst>(&instruction);
    if (!cast || !llvm::isa<llvm::FPExtInst, llvm::FPTruncInst>(cast) ||
        cast->getType()->isVectorTy())
      continue;
    llvm::Value *bits;
    if (!match(cast->getOperand(0), m_BitCast(m_Value(bits))))
      continue;
    if (match(bits, m_ZExt(m_Value(predicate))) && predicate->getType()->isIntegerTy(1)) {
      one = llvm::ConstantInt::get(bits->getType(), 1);
      other = llvm::ConstantInt::get(bits->getType(), 0);
    } else if (!match(bits, m_Select(m_Value(predicate), m_Constant(one), m_Constant(other)))) {
      continue;
    }
    auto converted = [&](llvm::Constant *value) {
      llvm::Constant *number =
          llvm::ConstantFoldCastOperand(llvm::Instruction::BitCast, value, cast->getSrcTy(), data);
      return llvm::ConstantFoldCastOperand(cast->getOpcode(), number, cast->getType(), data);
    };
    llvm::IRBuilder<> b(cast);
    cast->replaceAllUsesWith(b.CreateSelect(predicate, converted(one), converted(other)));
    cast->eraseFromParent();
  }
}

} // namespace nereid::backend::nvptx
