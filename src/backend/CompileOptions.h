// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nereid/Tuning.h"
#include "target/Target.h"

#include <string>
#include <utility>
#include <vector>

namespace nereid::backend {

/// What a kernel notes of its own time: nothing, not by one instruction; the ends of rounds and
/// programs; also where it waits; or everything that clocks.def names.
enum class Clocks : unsigned char { None, Rounds, Waits, All };

/// How a kernel is to be compiled, all of it data: nothing below asks the machine at hand.
struct CompileOptions {
  target::Target target;
  /// Of a GPU: what the launch chose. The driver fills it in, from the specialization.
  Tuning tuning = {};
  /// Of a GPU: whether launches make tensor maps for arrays, where the GPU has a copy engine.
  bool usesBoxes = true;
  /// A launch in which an assertion of the kernel does not hold is an error.
  bool checksAsserts = false;
  /// Of a CPU: the code says of which line its instructions are (CpuCode::lines). The instructions
  /// are the same.
  bool keepsLines = false;
  /// Of a GPU: the code notes when its warps do what (docs/profile.md).
  Clocks clocks = Clocks::None;
  /// Choices of the back end that are to be others, by the names of its rows (Backend::policy).
  std::vector<std::pair<std::string, unsigned>> policy = {};
};

} // namespace nereid::backend
