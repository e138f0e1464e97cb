// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/tile/SharedMemory.h"

#include "dialect/tile/SourcePlace.h"
#include "dialect/tile/Tile.h"

using namespace mlir;

namespace nereid::tile {

static uint64_t bytesOf(SharedOp op) {
  return op.getCount() * byteSizeOf(op.getType().getPointee());
}

uint64_t sharedBytes(func::FuncOp kernel) {
  uint64_t bytes = 0;
  kernel.walk([&](SharedOp op) { bytes += bytesOf(op); });
  return bytes;
}

void requireSharedMemory(const Kernel &kernel, uint64_t most, llvm::StringRef owner) {
  func::FuncOp function = kernel.function();
  if (!blockOf(function))
    return;
  uint64_t bytes = 0;
  function.walk([&](SharedOp op) {
    bytes += bytesOf(op);
    if (bytes > most)
      failAt(op.getLoc(), kernel.source, DiagnosticId::too_much_shared_memory, bytes, owner, most);
  });
}

} // namespace nereid::tile
