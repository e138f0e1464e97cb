// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How each operation changes what is known along the dimensions of its operands.
#pragma once

#include "analysis/AxisInfo.h"

namespace nereid::analysis::axis {

/// Whether the analysis follows values of this type: integers, pointers, tiles of them.
bool isTracked(mlir::Type type);
/// Nothing is known but the shape.
AxisInfo unknown(mlir::Type type);
/// The largest power of two that divides `value`; of 0, one beyond any address's.
int64_t powerOfTwoIn(int64_t value);
/// What holds of both.
AxisInfo meet(const AxisInfo &a, const AxisInfo &b, mlir::Type type);
/// Of lower + i * step.
AxisInfo ofInduction(const AxisInfo &lower, const AxisInfo &step);
/// Of the one result of an operation without regions.
AxisInfo ofOperation(mlir::Operation *op, llvm::ArrayRef<AxisInfo> operands);

} // namespace nereid::analysis::axis
