// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/ptx/PtxAsm.h"

#include "llvm/IR/InlineAsm.h"

namespace nereid::backend::nvptx {

llvm::CallInst *emitPtx(Builder &b, llvm::StringRef text, llvm::Type *result,
                        llvm::StringRef constraints, llvm::ArrayRef<llvm::Value *> operands) {
  llvm::SmallVector<llvm::Type *, 8> types;
  for (llvm::Value *operand : operands)
    types.push_back(operand->getType());
  std::string all = (constraints + (constraints.empty() ? "" : ",") + "~{memory}").str();
  auto *type = llvm::FunctionType::get(result ? result : b.getVoidTy(), types, false);
  llvm::CallInst *call =
      b.CreateCall(llvm::InlineAsm::get(type, text, all, /*hasSideEffects=*/true), operands);
  call->addFnAttr(llvm::Attribute::Convergent);
  return call;
}

void emitPassing(Builder &b, llvm::StringRef text, llvm::MutableArrayRef<llvm::Value *> values) {
  if (values.empty()) {
    emitPtx(b, text);
    return;
  }
  std::string constraints;
  llvm::SmallVector<llvm::Type *> types;
  for (llvm::Value *value : values) {
    constraints += value->getType()->isFloatTy() ? "=f," : "=r,";
    types.push_back(value->getType());
  }
  for (size_t i = 0; i < values.size(); ++i)
    constraints += (i ? "," : "") + std::to_string(i);
  llvm::Type *result = types[0];
  if (values.size() > 1)
    result = llvm::StructType::get(b.getContext(), types);
  llvm::Value *passed = emitPtx(b, text, result, constraints, values);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = values.size() == 1 ? passed : b.CreateExtractValue(passed, i);
}

} // namespace nereid::backend::nvptx
