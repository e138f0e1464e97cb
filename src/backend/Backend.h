// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every back end is: tile IR in, an artifact out (docs/decisions/0004).
#pragma once

#include "backend/CompileOptions.h"
#include "backend/PolicyRow.h"
#include "dialect/tile/Kernel.h"
#include "runtime/Artifact.h"
#include "support/Dump.h"

#include <string>
#include <string_view>
#include <vector>

namespace nereid::backend {

/// A row of the table of back ends.
struct Backend {
  std::string_view name;
  /// The stages of its own that compile() can show.
  llvm::ArrayRef<Stage> stages;
  /// Whether code depends on which arguments are multiples of 16.
  bool readsDivisibility;
  /// Whether it depends on the launch's choice of warps and stages.
  bool readsTuning;
  /// Whether on Tuning::isBrief.
  bool readsBrevity;
  /// The choices that CompileOptions::policy may set, as they are without. A pass that only makes
  /// kernels faster is one: 0 leaves it out.
  std::vector<PolicyRow> (*policy)();
  /// The passes of its own that Stage::Passes shows, in order.
  std::vector<std::string> (*passes)();
  /// All that its code depends on besides the kernel: equal text, equal code.
  std::string (*key)(const CompileOptions &options);
  /// Runs the target's pipeline on an optimised kernel, which it consumes. Fills in the code and
  /// nothing else.
  runtime::Artifact (*compile)(tile::Kernel kernel, const CompileOptions &options, Dump &dump);
};

llvm::ArrayRef<const Backend *> backends();
/// The one that compiles for this target.
const Backend &backendFor(const target::Target &target);

} // namespace nereid::backend
