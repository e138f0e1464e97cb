// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/ptx/FragmentWords.h"

#include "mlir/IR/BuiltinTypes.h"

namespace nereid::backend::nvptx {

llvm::SmallVector<llvm::Value *, 4> fragmentWords(Builder &b, llvm::ArrayRef<llvm::Value *> lanes,
                                                  mlir::Type element) {
  llvm::SmallVector<llvm::Value *, 4> words;
  unsigned width = element.getIntOrFloatBitWidth(), perWord = 32 / width;
  for (size_t first = 0; first < lanes.size(); first += perWord) {
    llvm::Value *word =
        llvm::PoisonValue::get(llvm::FixedVectorType::get(b.getIntNTy(width), perWord));
    for (unsigned i = 0; i < perWord; ++i)
      word = b.CreateInsertElement(word, b.CreateBitCast(lanes[first + i], b.getIntNTy(width)), i);
    words.push_back(b.CreateBitCast(word, b.getInt32Ty()));
  }
  return words;
}

llvm::StringRef fragmentTypeName(mlir::Type factor) {
  if (llvm::isa<mlir::Float8E4M3FNType>(factor))
    return "e4m3";
  if (llvm::isa<mlir::Float8E5M2Type>(factor))
    return "e5m2";
  if (factor.isF64())
    return "f64";
  return factor.isF16() ? "f16" : factor.isBF16() ? "bf16" : factor.isF32() ? "tf32" : "s8";
}

} // namespace nereid::backend::nvptx
