// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/CodePlace.h"

#include "mlir/IR/Location.h"

namespace nereid::backend {

/// The author's lines of what lies there: of what our library does, where it is called; of what was
/// joined, from the first to the last line of the first's file. Of a line 0, where there are none.
runtime::CodePlace authorPlaceOf(mlir::Location location);

} // namespace nereid::backend
