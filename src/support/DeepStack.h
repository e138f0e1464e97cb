// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <type_traits>

namespace nereid {

/// From now on deep stacks are those of threads: for processes whose host is called while kernels
/// are compiled. Python tells by the address of its stack how deep it is (from 3.14 on), and knows
/// threads' alone.
void giveDeepStacksThreads();

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
