// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backend/llvm/LaneBuilder.h"

namespace nereid::backend::nvptx {

/// What C's fmod gives, exactly: x - trunc(x / y) * y. Where the quotient is a number of the type's
/// whole ones it takes a division and a multiply-add; `longDivision` gives the rest, once for all
/// callers.
llvm::Value *remainder(
    Builder &b, llvm::Value *x, llvm::Value *y,
    llvm::function_ref<llvm::Value *(Builder &b, llvm::Value *x, llvm::Value *y)> longDivision);

} // namespace nereid::backend::nvptx
