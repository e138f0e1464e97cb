// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpret/events/Instrument.h"

namespace nereid::interpret {

Step inOrder(Steps steps) {
  llvm::erase_if(steps, [](Step &step) { return !step; });
  if (steps.empty())
    return {};
  if (steps.size() == 1)
    return std::move(steps.front());
  return [steps = std::move(steps)](Execution &execution) mutable { runAll(steps, execution); };
}

} // namespace nereid::interpret
