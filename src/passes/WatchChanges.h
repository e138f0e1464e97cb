// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Pass/PassInstrumentation.h"

#include <chrono>
#include <functional>
#include <memory>

namespace nereid::passes {

/// A pass's name on the command line, the time it took, and the operation that it changed.
using OnChange =
    std::function<void(llvm::StringRef pass, std::chrono::duration<double, std::milli> time,
                       mlir::Operation *operation)>;

/// Compares the IR before and after each pass.
std::unique_ptr<mlir::PassInstrumentation> createWatchChanges(OnChange onChange);

} // namespace nereid::passes
