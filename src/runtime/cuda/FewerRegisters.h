// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The assembler takes as many registers as make code fast for one warp. Where a few fewer let
// another block share the SM, that is often worth more.
#pragma once

#include "runtime/cuda/DeviceProperties.h"
#include "runtime/cuda/Module.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace nereid::runtime::cuda {

/// Of code under a limit that was tried: bytes of a thread in memory, and blocks of an SM.
struct LimitedCode {
  int localBytes, blocks;
};
/// Of a kernel's PTX.
struct TextFacts {
  int arrayBytes;         // of the arrays that a thread has to itself, whatever its registers
  bool multipliesByWarps; // on tensor cores, each by itself (mma.sync), and none by four (wgmma)
  /// A loop loads several times in each round, and nobody says what blocks share an SM.
  bool waitsInRounds;
};
TextFacts factsOf(std::string_view ptx);

/// Tries limits where `had`, of which an SM holds `blocks` (0: not one fits), may be better under
/// one: as many registers as there are where the assembler gave up; more where rounds wait for
/// loads; or fewer where that lets more blocks share an SM, a few fewer, more where one block is
/// alone there, or, where warps multiply, up to half of them. `assemble` gives nothing where there
/// is no such code. The limit that is best, which is the last one tried; 0 if none is better than
/// none.
unsigned chooseLimit(const DeviceProperties &device, const FunctionAttributes &had,
                     const LaunchShape &shape, int blocks, const TextFacts &text,
                     const std::function<std::optional<LimitedCode>(unsigned limit)> &assemble);

/// The PTX of one kernel with that limit (".maxnreg", PTX ISA); empty where that is 0, where it has
/// one of its own, or moves registers between its warps.
std::string withRegisterLimit(std::string_view ptx, unsigned registers);

} // namespace nereid::runtime::cuda
