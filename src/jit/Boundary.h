// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nereid/error.h"
#include "support/Check.h"
#include "support/Diagnostics.h"

#include <new>
#include <utility>

namespace nereid::jit {

/// A diagnostic as the public interface reports it.
Error toError(const Diagnostic &diagnostic);
/// Where a range lies; none if it has no file.
Place placeOf(SourceRange range);
/// The same as data.
Finding toFinding(const Diagnostic &diagnostic);

/// Runs `act`; a SourceError and a failed CHECK leave as Error. Whatever a diagnostic points into
/// must still be alive.
template <typename F> decltype(auto) atBoundary(F &&act) {
  try {
    return std::forward<F>(act)();
  } catch (const SourceError &error) {
    throw toError(error.diagnostic);
  } catch (const InternalError &error) {
    throw Error(Error::Kind::Internal, error.what());
  }
}

/// The same around the run of a kernel, which needs memory for its tiles.
template <typename F> void launchAtBoundary(F &&act) {
  atBoundary([&] {
    try {
      std::forward<F>(act)();
    } catch (const std::bad_alloc &) {
      throw Error(Error::Kind::Environment, "not enough memory for the tiles of the kernel");
    }
  });
}

} // namespace nereid::jit
