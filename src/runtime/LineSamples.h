// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/CodePlace.h"

#include <cstdint>
#include <vector>

namespace nereid::runtime {

/// Where threads that ran programs stood in a kernel's code, each time that they were looked at.
struct LineSamples {
  struct Count {
    uint64_t own = 0;    ///< in an instruction of the place
    uint64_t called = 0; ///< in a function that an instruction of the place has called
  };
  std::vector<CodePlace> places;
  /// Of each place by its number, from 1; the first: of none.
  std::vector<Count> counts;
  /// In the kernel, where no place was found: functions whose caller is not known.
  uint64_t unknown = 0;
  /// Once in so long of the wall's time a thread is looked at. Seconds. One that waits for a
  /// processor is looked at once when it has one again, however long it has waited.
  double interval = 0;

  uint64_t all() const {
    uint64_t sum = unknown;
    for (const Count &count : counts)
      sum += count.own + count.called;
    return sum;
  }
};

} // namespace nereid::runtime
