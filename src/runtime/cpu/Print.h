// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Printing from generated code.
#pragma once

#include "runtime/Executable.h"
#include "runtime/PrintSite.h"
#include "runtime/PrintedFailure.h"
#include "runtime/cpu/PartialSums.h"

#include <exception>
#include <mutex>
#include <type_traits>

namespace nereid {
class Interruption;
}

namespace nereid::runtime::cpu {

/// What a running kernel knows besides its arguments.
struct LaunchContext {
  LoopParts loop; // first: generated code reads it
  const PrintSite *prints;
  const PrintSink *sink;      // null: standard output
  Interruption *interruption; // null: the launch cannot be ended early
  /// Held while the sink is called, and by who changes what follows.
  mutable std::mutex turn;
  /// Of all programs, the first of the grid in which something failed.
  mutable PrintedFailure failed;
  /// What the sink threw, for whoever launched: nothing unwinds through generated code.
  mutable std::exception_ptr failure;
};
static_assert(std::is_standard_layout_v<LaunchContext>);

/// Called by generated code. `elements` points at the elements of each operand. Lines of one
/// execution stay together. After a statement whose isFailure is set the program is left.
extern "C" void nereidPrint(const LaunchContext *context, uint32_t site, const uint32_t *programId,
                            const void *const *elements);

} // namespace nereid::runtime::cpu
