// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <type_traits>

namespace nereid {

/// Runs `act` on a stack of its own, whatever the caller's is, and hands on what it throws.
void runOnDeepStack(llvm::function_ref<void()> act);

/// Compilers follow a value to its operands and a branch to the branches inside it, one call for
/// each. A long sum or chain of elif is deep in this way, without being nested.
template <typename F> auto onDeepStack(F act) {
  std::optional<std::invoke_result_t<F>> result;
  runOnDeepStack([&] { result.emplace(act()); });
  return std::move(*result);
}

} // namespace nereid
