// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Printing from generated code.
#pragma once

#include "support/PrintText.h"

namespace nereid::backend::cpu {

/// One print statement of a kernel: what is the same each time it runs.
struct PrintSite {
  PrintFormat format;
  std::vector<PrintedOperand> operands; // all but the elements
};

/// Called by generated code. `elements` points at the elements of each operand. Lines of one
/// execution stay together.
extern "C" void nereidPrint(const PrintSite *site, const uint32_t *programId,
                            const void *const *elements);

} // namespace nereid::backend::cpu
