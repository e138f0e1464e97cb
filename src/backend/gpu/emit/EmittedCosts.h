// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the emitter made of each operation, counted where it is emitted: who analyses a kernel reads
// it here and need not know how an operation is emitted.
#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/MapVector.h"

#include <cstdint>

namespace nereid::backend::gpu {

/// What one execution of an operation by a block costs.
struct OperationCosts {
  /// Barriers of the whole block.
  unsigned barriers = 0;
  /// How often warps meet by themselves, over all of them.
  uint64_t warpBarriers = 0;
  /// Accesses of shared memory, over all warps: requests, the wavefronts of 128 bytes that serve
  /// them, and as many as there would be without bank conflicts.
  uint64_t sharedRequests = 0, sharedWavefronts = 0, leastWavefronts = 0;
};
using EmittedCosts = llvm::MapVector<mlir::Operation *, OperationCosts>;

} // namespace nereid::backend::gpu
