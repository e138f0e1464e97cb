// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/MmaSync.h"

#include "backend/nvptx/FragmentWords.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/Support/FormatVariadic.h"

namespace nereid::backend::nvptx {

MmaSync::MmaSync(Builder &builder, mlir::Type factor, unsigned depth)
    : b(builder), factor(factor), depth(depth) {}

void MmaSync::emit(llvm::MutableArrayRef<llvm::Value *> sums, llvm::ArrayRef<llvm::Value *> lhs,
                   llvm::ArrayRef<llvm::Value *> rhs) {
  llvm::StringRef type = fragmentTypeName(factor);
  llvm::StringRef sumType = factor.isInteger() ? "s32" : "f32";
  llvm::SmallVector<llvm::Value *, 4> a = fragmentWords(b, lhs, factor),
                                      c = fragmentWords(b, rhs, factor);
  auto list = [next = 0](size_t count) mutable {
    std::string text;
    for (size_t i = 0; i < count; ++i)
      text += (i ? ", $" : "$") + std::to_string(next++);
    return "{" + text + "}";
  };
  std::string d = list(4), operands = list(a.size()), columns = list(c.size());
  std::string text =
      llvm::formatv("mma.sync.aligned.m16n8k{0}.row.col.{1}.{2}.{2}.{1} {3}, {4}, {5}, {3};", depth,
                    sumType, type, d, operands, columns);
  std::string constraints;
  bool isInteger = factor.isInteger();
  for (int i = 0; i < 4; ++i)
    constraints += isInteger ? "=r," : "=f,";
  for (size_t i = 0; i < a.size() + c.size(); ++i)
    constraints += "r,";
  constraints += "0,1,2,3";
  llvm::SmallVector<llvm::Value *, 12> inputs(a.begin(), a.end());
  inputs.append(c);
  inputs.append(sums.begin(), sums.end());
  llvm::SmallVector<llvm::Type *, 12> types;
  for (llvm::Value *input : inputs)
    types.push_back(input->getType());
  llvm::Type *sum = sums[0]->getType();
  auto *code = llvm::InlineAsm::get(
      llvm::FunctionType::get(llvm::StructType::get(b.getContext(), {sum, sum, sum, sum}), types,
                              false),
      text, constraints, /*hasSideEffects=*/false);
  llvm::CallInst *call = b.CreateCall(code, inputs);
  call->addFnAttr(llvm::Attribute::Convergent);
  for (unsigned i = 0; i < 4; ++i)
    sums[i] = b.CreateExtractValue(call, i);
}

} // namespace nereid::backend::nvptx
