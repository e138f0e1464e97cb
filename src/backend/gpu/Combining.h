// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the function of a reduction does with two elements.
#pragma once

#include "backend/gpu/Target.h"

#include "mlir/IR/Block.h"

#include <optional>

namespace nereid::backend::gpu {

/// Whether the function gives the same bits for (b, a) as for (a, b): each of its results is one
/// commutative operation on what belongs to it.
bool isCommutative(mlir::Block &combine);

/// By what a function brings integers of 32 bits together, for each of its results, if each is one
/// such operation.
std::optional<llvm::SmallVector<WholeReduction>> wholeReductionsOf(mlir::Block &combine);

} // namespace nereid::backend::gpu
