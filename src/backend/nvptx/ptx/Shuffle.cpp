// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/ptx/Shuffle.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

namespace nereid::backend::nvptx {

/// Applies `move`, which takes words of 32 bits, to a value of any type. What all lanes hold stays as it
/// is: the assembler would see through the shuffle, later than it is used to, and has then lost signs of
/// 126 - 238 beside 238 - 126 under a maximum (ptxas 13.0).
static llvm::Value *byWords(llvm::IRBuilder<> &b, llvm::Value *value,
                            llvm::function_ref<llvm::Value *(llvm::Value *)> move) {
  if (llvm::isa<llvm::Constant>(value))
    return value;
  llvm::Type *type = value->getType();
  bool isPointer = type->isPointerTy();
  unsigned width = isPointer ? 64 : type->getScalarSizeInBits();
  llvm::Type *integer = b.getIntNTy(width);
  llvm::Value *bits =
      isPointer ? b.CreatePtrToInt(value, integer) : b.CreateBitCast(value, integer);
  if (width <= 32) {
    bits = b.CreateTrunc(move(b.CreateZExt(bits, b.getInt32Ty())), integer);
  } else {
    llvm::Value *low = move(b.CreateTrunc(bits, b.getInt32Ty()));
    llvm::Value *high = move(b.CreateTrunc(b.CreateLShr(bits, 32), b.getInt32Ty()));
    bits = b.CreateOr(b.CreateZExt(low, integer), b.CreateShl(b.CreateZExt(high, integer), 32));
  }
  return isPointer ? b.CreateIntToPtr(bits, type) : b.CreateBitCast(bits, type);
}

static llvm::Value *allLanes(llvm::IRBuilder<> &b) { return b.getInt32(~0u); }
static llvm::Value *wholeWarp(llvm::IRBuilder<> &b) { return b.getInt32(31); }

llvm::Value *shuffleXor(llvm::IRBuilder<> &b, llvm::Value *value, unsigned laneMask) {
  return byWords(b, value, [&](llvm::Value *word) {
    return b.CreateIntrinsic(b.getInt32Ty(), llvm::Intrinsic::nvvm_shfl_sync_bfly_i32,
                             {allLanes(b), word, b.getInt32(laneMask), wholeWarp(b)});
  });
}

llvm::Value *shuffleFrom(llvm::IRBuilder<> &b, llvm::Value *value, llvm::Value *lane) {
  return byWords(b, value, [&](llvm::Value *word) {
    return b.CreateIntrinsic(b.getInt32Ty(), llvm::Intrinsic::nvvm_shfl_sync_idx_i32,
                             {allLanes(b), word, lane, wholeWarp(b)});
  });
}

/// By PTX's segments: the bits that its segment mask names are kept of the asking lane.
llvm::Value *shuffleWithin(llvm::IRBuilder<> &b, llvm::Value *value, unsigned mask, unsigned bits) {
  constexpr unsigned all = 31;
  llvm::Value *segments = b.getInt32((all & ~mask) << 8 | all);
  return byWords(b, value, [&](llvm::Value *word) {
    return b.CreateIntrinsic(b.getInt32Ty(), llvm::Intrinsic::nvvm_shfl_sync_idx_i32,
                             {allLanes(b), word, b.getInt32(bits), segments});
  });
}

} // namespace nereid::backend::nvptx
