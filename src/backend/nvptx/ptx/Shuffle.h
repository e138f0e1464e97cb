// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of other lanes of the warp. All lanes take part.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace nereid::backend::nvptx {

/// Of the lane whose number differs from this one's by XOR with `laneMask`.
llvm::Value *shuffleXor(llvm::IRBuilder<> &b, llvm::Value *value, unsigned laneMask);
/// Of lane number `lane`, i32.
llvm::Value *shuffleFrom(llvm::IRBuilder<> &b, llvm::Value *value, llvm::Value *lane);
/// Of the lane whose number has `bits` where `mask` has ones, and is this one's elsewhere.
llvm::Value *shuffleWithin(llvm::IRBuilder<> &b, llvm::Value *value, unsigned mask, unsigned bits);

} // namespace nereid::backend::nvptx
