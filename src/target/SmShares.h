// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an SM is shared out among blocks, which is the same for all of the table ("Occupancy", CUDA
// C++ Best Practices Guide).
#pragma once

namespace nereid::target {

/// Lanes of a warp.
inline constexpr unsigned warpSize = 32;
/// An SM has its registers in so many parts; a warp's lie in one of them, in units of so many for
/// each thread: nine warps of 112 registers do not fit twice.
inline constexpr unsigned registerParts = 4, registerUnit = 8;

/// Shared memory that a block costs besides its own, where several share an SM; bytes.
inline constexpr unsigned blockOverhead = 1024;

/// The most registers that each thread can have where so many warps share an SM.
constexpr unsigned registersOfThread(unsigned registersPerSm, unsigned warps) {
  unsigned warpsOfPart = (warps + registerParts - 1) / registerParts;
  unsigned registers = registersPerSm / registerParts / warpSize / warpsOfPart;
  return registers / registerUnit * registerUnit;
}

} // namespace nereid::target
