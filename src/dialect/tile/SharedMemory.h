// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much memory the threads of a block share.
#pragma once

#include "dialect/tile/Kernel.h"

namespace nereid::tile {

/// Of a kernel of threads, all of its tile.shared.
uint64_t sharedBytes(mlir::func::FuncOp kernel);

/// Refuses a kernel of threads that shares more than `most`, at the array that is too much. `owner`
/// is who gives no more.
void requireSharedMemory(const Kernel &kernel, uint64_t most, llvm::StringRef owner);

} // namespace nereid::tile
