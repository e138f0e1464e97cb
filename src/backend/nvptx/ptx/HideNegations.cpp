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

bool isOfRegister(llvm::Type *type) { return type->isIntegerTy(16) || type->isIntegerTy(32); }

/// What it is the negative of: of -x, and of x times -2^n, which becomes that of a shift; null for
/// all else.
llvm::Value *negated(llvm::Instruction &instruction) {
  llvm::Value *x = nullptr;
  const llvm::APInt *factor = nullptr;
  if (llvm::PatternMatch::match(&instruction,
                                llvm::PatternMatch::m_Neg(llvm::PatternMatch::m_Value(x))))
    return x;
  if (llvm::PatternMatch::match(&instruction,
                                llvm::PatternMatch::m_Mul(llvm::PatternMatch::m_Value(x),
                                                          llvm::PatternMatch::m_APInt(factor))) &&
      factor->isNegatedPowerOf2())
    return Builder(&instruction).CreateShl(x, factor->countTrailingZeros());
  return nullptr;
}

/// Whether b - a is computed beside a - b; in max(b, a) - a as well.
bool hasOpposite(llvm::Value *a, llvm::Value *b) {
  auto *constant = llvm::dyn_cast<llvm::ConstantInt>(a);
  return llvm::any_of(b->users(), [&](llvm::User *user) {
    using namespace llvm::PatternMatch;
    auto *extreme = llvm::dyn_cast<llvm::MinMaxIntrinsic>(user);
    if (extreme && constant && (extreme->getLHS() == a || extreme->getRHS() == a))
      return true;
    return match(user, m_Sub(m_Specific(b), m_Specific(a))) ||
           (constant && match(user, m_Add(m_Specific(b), m_SpecificInt(-constant->getValue()))));
  });
}

/// Whether somebody reads it as wider than it is, or by its sign, which comes to the same.
bool isReadWithSign(const llvm::Instruction &instruction) {
  return llvm::any_of(instruction.users(), [](const llvm::User *user) {
    using Operator = llvm::Instruction;
    auto *comparison = llvm::dyn_cast<llvm::ICmpInst>(user);
    auto *reader = llvm::cast<llvm::Instruction>(user);
    unsigned code = reader->getOpcode();
    return llvm::isa<llvm::SExtInst, llvm::SIToFPInst>(user) ||
           (comparison && comparison->isSigned()) || code == Operator::AShr ||
           code == Operator::SDiv || code == Operator::SRem;
  });
}

/// -x, in words that the assembler does not take for a negation.
llvm::Value *hiddenNegation(Builder &b, llvm::Value *x) {
  return x->getType()->isIntegerTy(16)
             ? emitPtx(b, "not.b16 $0, $1; add.s16 $0, $0, 1;", b.getInt16Ty(), "=h,h", {x})
             : emitPtx(b, "not.b32 $0, $1; add.s32 $0, $0, 1;", b.getInt32Ty(), "=r,r", {x});
}

void hideNegation(llvm::Instruction &instruction, bool hasExtremes) {
  if (!isOfRegister(instruction.getType()))
    return;
  llvm::Value *a = nullptr, *c = nullptr, *hidden = nullptr;
  if (hasExtremes || isReadWithSign(instruction))
    if (llvm::Value *x = negated(instruction)) {
      Builder b(&instruction);
      hidden = hiddenNegation(b, x);
    }
  if (!hidden && hasExtremes &&
      llvm::PatternMatch::match(&instruction,
                                llvm::PatternMatch::m_Sub(llvm::PatternMatch::m_Value(a),
                                                          llvm::PatternMatch::m_Value(c))) &&
      !llvm::isa<llvm::Constant>(c) && hasOpposite(a, c)) {
    Builder b(&instruction);
    hidden = b.CreateAdd(a, hiddenNegation(b, c));
  }
  if (!hidden)
    return;
  instruction.replaceAllUsesWith(hidden);
  instruction.eraseFromParent();
}

} // namespace

void hideNegations(llvm::Module &module) {
  for (llvm::Function &function : module) {
    const bool hasExtremes = llvm::any_of(llvm::instructions(function), isSignedExtreme);
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      hideNegation(instruction, hasExtremes);
  }
}

} // namespace nereid::backend::nvptx
