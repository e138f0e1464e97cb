// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions that LLVM has no name for.
#pragma once

#include "backend/llvm/LaneBuilder.h"

namespace nereid::backend::nvptx {

/// PTX with effects that LLVM does not see: it is neither moved nor left out. `constraints` are as
/// LLVM's inline assembly has them, without the memory clobber.
llvm::CallInst *emitPtx(Builder &b, llvm::StringRef text, llvm::Type *result = nullptr,
                        llvm::StringRef constraints = "",
                        llvm::ArrayRef<llvm::Value *> operands = {});

/// PTX that these values go through, each an integer or a float of 32 bits: what uses them
/// afterwards stands after it, and what makes them before it.
void emitPassing(Builder &b, llvm::StringRef text, llvm::MutableArrayRef<llvm::Value *> values);

} // namespace nereid::backend::nvptx
