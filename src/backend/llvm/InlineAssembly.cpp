// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/llvm/InlineAssembly.h"

namespace nereid::backend {

llvm::FunctionType *assemblyType(llvm::LLVMContext &context, llvm::ArrayRef<llvm::Value *> operands,
                                 llvm::ArrayRef<llvm::Type *> results) {
  llvm::SmallVector<llvm::Type *> given;
  for (llvm::Value *operand : operands)
    given.push_back(operand->getType());
  llvm::Type *result =
      results.size() == 1 ? results.front() : llvm::StructType::get(context, results);
  return llvm::FunctionType::get(result, given, /*isVarArg=*/false);
}

llvm::SmallVector<llvm::Value *, 2> resultsOf(Builder &b, llvm::CallInst *call) {
  auto *all = llvm::dyn_cast<llvm::StructType>(call->getType());
  if (!all)
    return {call};
  llvm::SmallVector<llvm::Value *, 2> values;
  for (unsigned index = 0; index < all->getNumElements(); ++index)
    values.push_back(b.CreateExtractValue(call, index));
  return values;
}

} // namespace nereid::backend
