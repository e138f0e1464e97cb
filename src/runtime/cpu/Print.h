// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Printing from generated code.
#pragma once

#include "runtime/PrintSite.h"

namespace nereid::runtime::cpu {

/// What a running kernel knows besides its arguments.
struct LaunchContext {
  const PrintSite *prints;
};

/// Called by generated code. `elements` points at the elements of each operand. Lines of one
/// execution stay together.
extern "C" void nereidPrint(const LaunchContext *context, uint32_t site, const uint32_t *programId,
                            const void *const *elements);

} // namespace nereid::runtime::cpu
