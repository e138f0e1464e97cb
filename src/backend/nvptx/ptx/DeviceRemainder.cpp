// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/ptx/DeviceRemainder.h"

#include "backend/llvm/InlineCalls.h"

namespace nereid::backend::nvptx {

/// a - trunc(a / b) * b for positive a and b, where the rounded quotient is below 2^(p - 1), p bits
/// being the precision. It is the true whole number or, where the quotient was rounded up to a
/// whole one, one more; the difference, a multiple of b's last place and less than b, is exact in
/// both.
static llvm::Value *ofRoundedQuotient(Builder &b, llvm::Value *dividend, llvm::Value *divisor,
                                      llvm::Value *quotient) {
  llvm::Type *type = dividend->getType();
  llvm::Value *whole = b.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, quotient);
  llvm::Value *rest =
      b.CreateIntrinsic(type, llvm::Intrinsic::fma, {b.CreateFNeg(whole), divisor, dividend});
  llvm::Value *isOneMore = b.CreateFCmpOLT(rest, llvm::ConstantFP::get(type, 0));
  rest = b.CreateSelect(isOneMore, b.CreateFAdd(rest, divisor), rest);
  // Infinite divisors leave what there is, too.
  llvm::Value *isWhole = b.CreateFCmpOLT(dividend, divisor);
  return b.CreateSelect(isWhole, dividend, rest);
}

llvm::Value *
remainder(Builder &b, llvm::Value *x, llvm::Value *y,
          llvm::function_ref<llvm::Value *(Builder &, llvm::Value *, llvm::Value *)> longDivision) {
  llvm::Type *type = x->getType();
  llvm::Module &module = *b.GetInsertBlock()->getModule();
  std::string symbol = (inlinedPrefix + (type->isDoubleTy() ? "fmod.double" : "fmod.float")).str();
  llvm::Function *function = module.getFunction(symbol);
  if (!function) {
    llvm::LLVMContext &context = module.getContext();
    function = llvm::Function::Create(llvm::FunctionType::get(type, {type, type}, false),
                                      llvm::GlobalValue::InternalLinkage, symbol, module);
    auto block = [&](const char *name) {
      return llvm::BasicBlock::Create(context, name, function);
    };
    llvm::BasicBlock *entry = block("entry"), *near = block("near"), *far = block("far");
    llvm::Value *a = function->getArg(0), *c = function->getArg(1);
    Builder in(entry);
    llvm::Value *dividend = in.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a);
    llvm::Value *divisor = in.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, c);
    llvm::Value *quotient = in.CreateFDiv(dividend, divisor);
    llvm::Value *most = llvm::ConstantFP::get(type, type->isDoubleTy() ? 0x1p52 : 0x1p23);
    in.CreateCondBr(in.CreateFCmpOLT(quotient, most), near, far); // not where it is no number
    in.SetInsertPoint(near);
    llvm::Value *rest = ofRoundedQuotient(in, dividend, divisor, quotient);
    in.CreateRet(in.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, rest, a));
    in.SetInsertPoint(far);
    in.CreateRet(longDivision(in, a, c));
  }
  return b.CreateCall(function, {x, y});
}

} // namespace nereid::backend::nvptx
