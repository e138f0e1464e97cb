// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much of a product's depth is more than zeros.
//
// A tile's depth is a power of two where a matrix's, or a head's, is not; loads fill both factors
// up with zeros. What the masks of the loads say is known when the product is made.
#pragma once

#include "backend/cpu/emit/KernelEmitter.h"

namespace nereid::backend::cpu {

/// Emits the depth, from the first element on, behind which both factors are zero; null if that is
/// not known to be less than all.
llvm::Value *emitNeededDepth(KernelEmitter &kernel, tile::DotOp dot);

} // namespace nereid::backend::cpu
