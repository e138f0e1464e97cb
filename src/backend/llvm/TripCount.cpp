// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/llvm/TripCount.h"

namespace nereid::backend {

llvm::Value *tripCount(llvm::IRBuilder<> &b, llvm::Value *lower, llvm::Value *upper,
                       llvm::Value *step, bool isUnsigned) {
  llvm::Value *zero = llvm::ConstantInt::get(step->getType(), 0);
  llvm::Value *one = llvm::ConstantInt::get(step->getType(), 1);
  llvm::Value *leadsUpwards =
      isUnsigned ? b.CreateICmpUGT(step, zero) : b.CreateICmpSGT(step, zero);
  llvm::Value *hasRoom = isUnsigned ? b.CreateICmpULT(lower, upper) : b.CreateICmpSLT(lower, upper);
  // The distance is positive, and fits the type if read as unsigned; a division by 0 is avoided.
  llvm::Value *divisor = b.CreateSelect(leadsUpwards, step, one);
  llvm::Value *last = b.CreateUDiv(b.CreateSub(b.CreateSub(upper, lower), one), divisor);
  return b.CreateSelect(b.CreateAnd(leadsUpwards, hasRoom), b.CreateAdd(last, one), zero);
}

} // namespace nereid::backend
