// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nereid/nereid.h"
#include "support/KernelArguments.h"

namespace nereid::jit {

/// The grid as executors take it, which are not given one without programs: there is nothing to do.
/// Throws Error(Usage) for extents that none accepts.
GridExtent checkGrid(Grid grid);

} // namespace nereid::jit
