// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

#include <optional>

namespace nereid::analysis {

/// By how much the value of an integer or pointer tile grows from one index of dimension `dim` to
/// the next, if that is one number known at compile time: in units of 1 for integers, of elements
/// for pointers. Looks only at the operations that make up addresses.
std::optional<int64_t> strideAlong(mlir::Value value, unsigned dim);

/// Whether a sign or zero extension widens a signed number of 32 bits or more. Of such offsets,
/// neighbouring active lanes are neighbours in memory: where the narrow number wraps between them,
/// they are 2^32 elements apart (docs/decisions/0007). Narrow and unsigned numbers do wrap.
bool isWideOffset(mlir::Operation *widening);

/// Whether all elements are known to be what they are without wrapping: a range as it was made,
/// or widened.
bool isPlainRange(mlir::Value value);

} // namespace nereid::analysis
