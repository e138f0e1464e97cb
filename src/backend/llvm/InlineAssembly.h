// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What inline assembly is to LLVM: a call with one result, which holds all registers that it gives.
#pragma once

#include "backend/llvm/LaneBuilder.h"

namespace nereid::backend {

/// Of a text that is given `operands` and gives `results`, of which there is at least one.
llvm::FunctionType *assemblyType(llvm::LLVMContext &context, llvm::ArrayRef<llvm::Value *> operands,
                                 llvm::ArrayRef<llvm::Type *> results);

/// What the registers of the results hold after a call of that type, in their order.
llvm::SmallVector<llvm::Value *, 2> resultsOf(Builder &b, llvm::CallInst *call);

} // namespace nereid::backend
