// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/SharedScratch.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

namespace nereid::backend::nvptx {

static constexpr unsigned sharedSpace = 3;

llvm::Value *SharedScratch::beginWriting(uint64_t size) {
  if (!memory) {
    auto *type = llvm::ArrayType::get(b.getInt8Ty(), 0);
    memory = new llvm::GlobalVariable(module, type, /*isConstant=*/false,
                                      llvm::GlobalValue::ExternalLinkage, nullptr, "scratch",
                                      nullptr, llvm::GlobalValue::NotThreadLocal, sharedSpace);
    memory->setAlignment(llvm::Align(1024));
  }
  if (mayBeRead)
    barrier();
  mostBytes = std::max(mostBytes, size);
  return b.CreatePtrToInt(memory, b.getInt32Ty());
}

void SharedScratch::beginReading() {
  barrier();
  mayBeRead = true;
}

void SharedScratch::barrier() {
  b.CreateIntrinsic(b.getVoidTy(), llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all,
                    {b.getInt32(0)});
  mayBeRead = false;
}

llvm::Value *SharedScratch::pointer(llvm::Value *address) {
  return b.CreateIntToPtr(address, llvm::PointerType::get(b.getContext(), sharedSpace));
}

} // namespace nereid::backend::nvptx
