// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/PrintText.h"

namespace nereid::runtime {

/// One print statement of a kernel: what is the same each time it runs.
struct PrintSite {
  PrintFormat format;
  std::vector<PrintedOperand> operands; // their elements are not known yet
};

} // namespace nereid::runtime
