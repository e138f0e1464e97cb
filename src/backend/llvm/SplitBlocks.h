// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"

namespace nereid::backend {

/// Cuts basic blocks into pieces, one after the other, of at most `most` instructions behind their
/// phis.
void splitBlocks(llvm::Module &module, size_t most);

} // namespace nereid::backend
