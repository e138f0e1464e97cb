// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/ptx/HideNegations.h"

#include "backend/nvptx/ptx/PtxAsm.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

namespace nereid::backend::nvptx {
namespace {

/// The widest numbers that the instruction takes.
constexpr unsigned mostBits = 32;

bool isSignedExtreme(const llvm::Instruction &instruction) {
  auto *extreme = llvm::dyn_cast<llvm::MinMaxIntrinsic>(&instruction);
  return extreme && extreme->isSigned() && extreme->getType()->getScalarSizeInBits() <= mostBits;
}

/// -x for integers that PTX has registers for; null for all else.
llvm::Value *negated(llvm::Instruction &instruction) {
  llvm::Value *x = nullptr;
  bool isNegation = llvm::PatternMatch::match(
      &instruction, llvm::PatternMatch::m_Neg(llvm::PatternMatch::m_Value(x)));
  llvm::Type *type = instruction.getType();
  return isNegation && (type->isIntegerTy(16) || type->isIntegerTy(32)) ? x : nullptr;
}

} // namespace

void hideNegations(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (llvm::none_of(llvm::instructions(function), isSignedExtreme))
      continue;
    for (llvm::Instruction &instruction :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      llvm::Value *x = negated(instruction);
      if (!x)
        continue;
      Builder b(&instruction);
      bool isShort = instruction.getType()->isIntegerTy(16);
      llvm::Value *hidden =
          isShort ? emitPtx(b, "not.b16 $0, $1; add.s16 $0, $0, 1;", b.getInt16Ty(), "=h,h", {x})
                  : emitPtx(b, "not.b32 $0, $1; add.s32 $0, $0, 1;", b.getInt32Ty(), "=r,r", {x});
      instruction.replaceAllUsesWith(hidden);
      instruction.eraseFromParent();
    }
  }
}

} // namespace nereid::backend::nvptx
