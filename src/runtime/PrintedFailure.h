// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assertions that do not hold in a compiled kernel.
#pragma once

#include "support/KernelArguments.h"

#include <cstdint>
#include <string>

namespace nereid::runtime {

/// What failed first, of print statements whose isFailure is set.
struct PrintedFailure {
  std::string text; // empty: nothing failed
  uint32_t programId[3] = {};
  /// Of statements and programs how many failed, as far as it is known.
  uint64_t count = 0;

  /// Throws the error of a launch in which something failed, which names the kernel as given.
  [[noreturn]] void raise(const std::string &kernel, GridExtent grid) const;
};

} // namespace nereid::runtime
