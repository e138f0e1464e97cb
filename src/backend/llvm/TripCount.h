// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace nereid::backend {

/// How often a loop runs, known before it starts, so that an induction variable that wraps past the
/// bound cannot keep it going. Never, if the step does not lead upwards.
llvm::Value *tripCount(llvm::IRBuilder<> &b, llvm::Value *lower, llvm::Value *upper,
                       llvm::Value *step, bool isUnsigned);

} // namespace nereid::backend
