// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments of a launch -> what the kernel is compiled for, and the slots it is launched with.
#pragma once

#include "driver/Compiler.h"
#include "frontend/sema/Specialization.h"
#include "nereid/nereid.h"
#include "support/KernelArguments.h"

#include <string>
#include <utility>
#include <vector>

namespace nereid::jit {

struct SpecializedArguments {
  sema::Specialization specialization;
  /// One for each run-time parameter, in order.
  std::vector<ArgumentSlot> slots;
  /// The constexpr integers by name.
  std::vector<std::pair<std::string, int64_t>> constants;
};

/// Where an array begins and ends.
using AddressRange = std::pair<uintptr_t, uintptr_t>;
bool areDisjoint(const std::vector<AddressRange> &ranges);

/// Mistakes are SourceErrors at the parameter. A parameter annotated tl.constexpr takes a constant;
/// an integer equal to 1 becomes one too; arrays become pointers and other numbers scalars, noting
/// which are multiples of 16.
SpecializedArguments specialize(const driver::SourceModule &source, const ast::Function &function,
                                const Arguments &arguments);

} // namespace nereid::jit
