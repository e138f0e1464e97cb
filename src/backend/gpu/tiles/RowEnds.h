// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Masks that end rows: copies to shared memory take the elements before the end, and zeros behind.
#pragma once

#include "analysis/AxisInfo.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace nereid::backend::gpu {

/// Whether of each run of so many elements along `dimension` (a power of two) the mask lets some
/// through from the first on, perhaps all or none: its parts are alike in runs, or compare
/// neighbours with what they must be below.
bool endsRows(mlir::Value mask, unsigned dimension, int64_t run,
              const analysis::AxisAnalysis &axes);

/// For such a mask, how many elements those are, i32, of a run that begins at an element that is
/// let through; more than the run has if it ends elsewhere. Null if the mask is alike in runs. What
/// the mask is computed from has been cloned as `map` says.
mlir::Value buildLeft(mlir::Value mask, unsigned dimension, int64_t run,
                      const analysis::AxisAnalysis &axes, const mlir::IRMapping &map,
                      mlir::OpBuilder &builder);

} // namespace nereid::backend::gpu
