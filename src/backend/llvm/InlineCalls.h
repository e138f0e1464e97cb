// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"

namespace nereid::backend {

/// What the names of functions begin with that the compiler makes for code that has branches, or is
/// long and rare, and that is to be found where it is called.
inline constexpr llvm::StringLiteral inlinedPrefix = "nereid.inline.";

/// Puts the function in place of its calls, of which there may be none, and takes it away.
void inlineCallsOf(llvm::Function &function);
/// The same if that makes fewer than so many instructions of all copies, or there is but one call;
/// else it stays a call.
void inlineCallsIfShort(llvm::Function &function, size_t mostInstructions);
/// Of those with `inlinedPrefix`, where that is not long; those of a block that give the same,
/// once.
void inlineCalls(llvm::Module &module, size_t mostInstructions);

} // namespace nereid::backend
