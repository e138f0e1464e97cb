// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Dump.h"

#include "mlir/Pass/PassInstrumentation.h"

#include <memory>

namespace nereid::passes {

/// Shows the module of what a pass works on as Stage::Passes: after each pass that changed it; or,
/// if `dump` names passes, before and after each of those. `dump` outlives it.
std::unique_ptr<mlir::PassInstrumentation> createWatchChanges(Dump &dump);

} // namespace nereid::passes
