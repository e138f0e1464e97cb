// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/Stream.h"

namespace nereid::jit {

/// Throws what failed of a stream, if something did, as Error; what a print
/// sink threw is nested.
void throwFailure(const runtime::FailurePtr &failure);

} // namespace nereid::jit
