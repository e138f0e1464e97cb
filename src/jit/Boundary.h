// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nereid/nereid.h"
#include "support/Diagnostics.h"

#include <utility>

namespace nereid::jit {

/// A diagnostic as the public interface reports it.
Error toError(const Diagnostic &diagnostic);

/// Runs `act`; a SourceError leaves as Error. Whatever the diagnostic points into must still be
/// alive.
template <typename F> decltype(auto) atBoundary(F &&act) {
  try {
    return std::forward<F>(act)();
  } catch (const SourceError &error) {
    throw toError(error.diagnostic);
  }
}

} // namespace nereid::jit
