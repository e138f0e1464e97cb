// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a launch chooses of how a kernel is run: the one structure for it, from the public interface
// down to the back ends.
#pragma once

#include <cstdint>

namespace nereid {

/// How many threads along each axis are a block, of a kernel that says what one thread does
/// (@cuda.jit): up to 1024 in all, and up to 64 along z. Kernels of tiles have none.
struct ThreadBlock {
  int64_t x = 0, y = 1, z = 1;
  /// How many bytes its threads share as cuda.shared.array(0, ...), beside arrays whose shapes the
  /// text says.
  int64_t sharedBytes = 0;

  bool operator==(const ThreadBlock &) const = default;
};

/// How a GPU runs a kernel. Other devices take no notice, but for what says so.
struct Tuning {
  /// How many warps of 32 threads run a program, a power of two up to 32. 0: as many as its tiles
  /// ask for.
  unsigned warps = 0;
  /// For how many rounds of a loop that multiplies tiles there is room in shared memory, so that
  /// later rounds are loaded meanwhile; up to 16. 1: for the round that is computed. 0: as many as
  /// help.
  unsigned pipelineStages = 0;
  /// The most registers that a thread may take (Triton's maxnreg), 16 or more, of which it has 255;
  /// what does not fit is spilled. 0: as the driver's compiler decides.
  unsigned maxRegisters = 0;
  /// Of a kernel of threads, which needs one, on any device.
  ThreadBlock block = {};
  /// The cpu device: the code runs once, in few programs. Where those have little to do it is made
  /// quickly and runs slowly; the results are the same.
  bool isBrief = false;

  bool operator==(const Tuning &) const = default;
};

} // namespace nereid
