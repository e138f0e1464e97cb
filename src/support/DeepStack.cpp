// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/DeepStack.h"

#include "llvm/Support/ProgramStack.h"

#include <exception>

namespace nereid {

/// What is not touched costs address space only.
constexpr unsigned stackSize = 128u << 20;

void runOnDeepStack(llvm::function_ref<void()> act) {
  std::exception_ptr failure;
  llvm::runOnNewStack(stackSize, [&] {
    try {
      act();
    } catch (...) {
      failure = std::current_exception();
    }
  });
  if (failure)
    std::rethrow_exception(failure);
}

} // namespace nereid
