// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/ptx/Shuffle.h"

#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/ValueHandle.h"

#include <utility>

namespace nereid::backend::nvptx {

/// Applies `move`, which takes words of 32 bits, to a value of any type.
static llvm::Value *byWords(llvm::IRBuilder<> &b, llvm::Value *value,
                            llvm::function_ref<llvm::Value *(llvm::Value *)> move) {
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

static bool isShuffle(const llvm::Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!call)
    return false;
  llvm::Intrinsic::ID id = call->getIntrinsicID();
  return id == llvm::Intrinsic::nvvm_shfl_sync_bfly_i32 ||
         id == llvm::Intrinsic::nvvm_shfl_sync_idx_i32;
}

void foldShufflesOfConstants(llvm::Function &function) {
  constexpr unsigned word = 1; // of the operands, behind the mask of lanes
  llvm::SmallVector<llvm::WeakVH> shuffles;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (isShuffle(instruction))
      shuffles.push_back(&instruction);
  // One that is folded may make the words of others constants, or leave others without a use.
  for (bool isChanged = true; std::exchange(isChanged, false);)
    for (llvm::WeakVH &handle : shuffles) {
      auto *shuffle = llvm::cast_or_null<llvm::Instruction>(handle);
      if (!shuffle || !llvm::isa<llvm::Constant>(shuffle->getOperand(word)))
        continue;
      isChanged = true;
      llvm::replaceAndRecursivelySimplify(shuffle, shuffle->getOperand(word));
      if (handle) // LLVM takes it for one with effects, which it does not erase
        shuffle->eraseFromParent();
    }
}

} // namespace nereid::backend::nvptx
