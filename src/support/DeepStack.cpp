// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// On the calling thread: a thread of its own, which begins on another core with cold caches, cost
// a tenth of a cold start.
#include "support/DeepStack.h"

#include "nereid/error.h"
#include "support/Fiber.h"

#include <exception>
#include <new>
#include <optional>

namespace nereid {

/// What is not touched costs address space only.
static constexpr size_t deepStackBytes = size_t(128) << 20;

void runOnDeepStack(llvm::function_ref<void()> act) {
  std::optional<Fiber> fiber;
  try {
    fiber.emplace(act, deepStackBytes);
  } catch (const std::bad_alloc &) {
    throw Error(Error::Kind::Environment, "not enough memory for a stack to compile on");
  }
  fiber->begin();
  fiber->enter();
  if (std::exception_ptr failure = fiber->takeFailure())
    std::rethrow_exception(failure);
}

} // namespace nereid
