// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of other lanes of the warp. All lanes take part.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace nereid::backend::nvptx {

/// The value of the lane whose number differs from this one's by XOR with `laneMask`.
llvm::Value *shuffleXor(llvm::IRBuilder<> &b, llvm::Value *value, unsigned laneMask);
/// The value of lane number `lane`, i32.
llvm::Value *shuffleFrom(llvm::IRBuilder<> &b, llvm::Value *value, llvm::Value *lane);
/// The value of the lane whose number has `bits` where `mask` has ones, and is this one's
/// elsewhere.
llvm::Value *shuffleWithin(llvm::IRBuilder<> &b, llvm::Value *value, unsigned mask, unsigned bits);

/// What all lanes hold is not shuffled. The assembler would see through such shuffles, later than
/// through all else, and has then lost the sign of 126 - 238 beside 238 - 126 under a maximum
/// (ptxas 13.0).
void foldShufflesOfConstants(llvm::Function &function);

} // namespace nereid::backend::nvptx
