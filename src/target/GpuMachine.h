// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What passes and layouts need to know of a GPU whatever its maker: the numbers of a machine that
// runs blocks of warps, whose threads have registers and share memory.
#pragma once

#include <cstdint>

namespace nereid::target {

struct GpuMachine {
  unsigned lanesPerWarp; // a power of two
  /// Of a multiprocessor, which runs blocks side by side.
  unsigned warpsPerSm, blocksPerSm;
  unsigned sharedPerSm, sharedPerBlock;        // bytes
  unsigned registersPerSm, registersPerThread; // of 4 bytes

  uint64_t registerBytesPerSm() const { return uint64_t(registersPerSm) * 4; }
};

} // namespace nereid::target
