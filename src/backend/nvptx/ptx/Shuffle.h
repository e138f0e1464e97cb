// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of other lanes of the warp. All lanes take part.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace nereid::backend::nvptx {

/// Of the lane whose number differs from this one's by XOR with `laneMask`.
llvm::Value *shuffleXor(llvm::IRBuilder<> &b, llvm::Value *value, unsigned laneMask);
/// Of lane number `lane`, i32.
llvm::Value *shuffleFrom(llvm::IRBuilder<> &b, llvm::Value *value, llvm::Value *lane);

} // namespace nereid::backend::nvptx
