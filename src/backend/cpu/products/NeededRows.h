// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many rows and columns of a product anybody will read.
//
// A tile has at least 16 rows where a matrix may have one, and as many columns as a power of two;
// the stores of the result leave the others out. What the store's mask says of rows and columns is
// known when the product is made.
#pragma once

#include "backend/cpu/emit/KernelEmitter.h"

namespace nereid::backend::cpu {

/// Emits the number of rows, from the first on, that hold all that is read of the dot's result;
/// null if that is not known to be less than all.
llvm::Value *emitNeededRows(KernelEmitter &kernel, tile::DotOp dot);
/// The same of columns.
llvm::Value *emitNeededColumns(KernelEmitter &kernel, tile::DotOp dot);

} // namespace nereid::backend::cpu
