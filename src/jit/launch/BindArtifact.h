// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nereid/nereid.h"
#include "runtime/Artifact.h"
#include "support/KernelArguments.h"

#include <string>
#include <utility>
#include <vector>

namespace nereid::jit {

struct BoundArguments {
  /// One for each run-time parameter, in order.
  std::vector<ArgumentSlot> slots;
  /// The integers that the kernel was compiled for, by name.
  std::vector<std::pair<std::string, int64_t>> constants;
};

/// Pairs the arguments of a launch with what the kernel was compiled for. Throws Error(Usage) where
/// they differ: another type, an address or number that is no multiple of 16, another constant,
/// arrays that overlap. Constants may be left out.
BoundArguments bindArtifact(const runtime::Artifact &artifact, const Arguments &arguments);

} // namespace nereid::jit
