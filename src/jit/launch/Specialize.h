// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments of a launch -> what the kernel is compiled for, and the slots it is launched with.
#pragma once

#include "frontend/sema/Specialization.h"
#include "jit/launch/Declaration.h"
#include "nereid/nereid.h"
#include "nereid/specialize.h"
#include "support/KernelArguments.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <utility>
#include <vector>

namespace nereid::jit {

struct SpecializedArguments {
  sema::Specialization specialization;
  /// One for each run-time parameter, in order.
  std::vector<ArgumentSlot> slots;
};

/// Where an array begins and ends.
using AddressRange = std::pair<uintptr_t, uintptr_t>;
bool areDisjoint(llvm::ArrayRef<AddressRange> ranges);

/// A bool, an integer of up to 64 bits or a float; nothing for all else.
std::optional<specialize::Number> toNumber(const sema::ConstantValue &value);

/// Mistakes are SourceErrors at the parameter. A parameter annotated tl.constexpr takes a constant;
/// an integer equal to 1, or for a parameter that is `byValue`, becomes one too; arrays become
/// pointers and other numbers scalars, noting which are multiples of 16. What do_not_specialize
/// names stays a number, of which this is not noted.
SpecializedArguments specialize(const Declaration &declaration, const Arguments &arguments,
                                llvm::ArrayRef<std::string> byValue = {});

/// The integers that a kernel's constexpr parameters are compiled for, by name.
Constants constexprIntegers(const Declaration &declaration,
                            const sema::Specialization &specialization);

} // namespace nereid::jit
