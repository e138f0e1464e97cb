// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nereid/Tuning.h"
#include "target/Target.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nereid::backend {

/// What a kernel notes of its own time: nothing, not by one instruction; or a row of
/// clock_details.def.
enum class Clocks : unsigned char {
  None,
#define DETAIL(Name, name, rest) Name,
#include "support/clock_details.def"
};
/// "waits"
constexpr std::string_view toString(Clocks clocks) {
  switch (clocks) {
#define DETAIL(Name, name, rest)                                                                   \
  case Clocks::Name:                                                                               \
    return name;
#include "support/clock_details.def"
  case Clocks::None:
    break;
  }
  return "none";
}

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
