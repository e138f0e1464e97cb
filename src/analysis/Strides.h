// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/Value.h"

#include <optional>

namespace nereid::analysis {

/// By how much the value of an integer or pointer tile grows from one index of dimension `dim` to
/// the next, if that is one number known at compile time: in units of 1 for integers, of elements
/// for pointers. Looks only at the operations that make up addresses.
std::optional<int64_t> strideAlong(mlir::Value value, unsigned dim);

} // namespace nereid::analysis
