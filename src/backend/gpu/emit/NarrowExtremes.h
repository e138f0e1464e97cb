// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Extremes of floats of 16 bits, widened or not: the greatest of widened floats is the greatest one
// widened, bit for bit, and machines compare two pairs at once.
#pragma once

#include "backend/gpu/emit/EmitContext.h"

#include <optional>

namespace nereid::backend::gpu {

/// A thread's own part of each result of a reduction that takes an extreme of such floats or of
/// their magnitudes, where the machine has pairs and each result enough of them. `resultOf` says
/// whose each register of the source is.
std::optional<llvm::SmallVector<llvm::Value *>> narrowExtremes(EmitContext &c,
                                                               tile::ReduceOp reduce,
                                                               llvm::ArrayRef<unsigned> resultOf,
                                                               size_t results);

} // namespace nereid::backend::gpu
