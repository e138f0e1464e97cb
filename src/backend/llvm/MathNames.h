// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringRef.h"

namespace nereid::backend {

/// What C calls the function that an operation of the math dialect computes: "exp", also for f32.
/// Libraries derive their symbols from it (expf, _ZGVdN8v_expf, __nv_expf). Empty for operations
/// that are no library's work.
llvm::StringRef cNameOf(mlir::Operation *op);

} // namespace nereid::backend
