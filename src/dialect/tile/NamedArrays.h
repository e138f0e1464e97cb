// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays that are no arguments of a kernel: it names them, and has their addresses as constants.
// Who looks after what a kernel reaches is told of them here.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace nereid::tile {

/// From its first byte on.
struct NamedArray {
  int64_t address = 0, bytes = 0, elementBytes = 1;
};

/// An array that is named more than once is there once.
void addNamedArray(mlir::func::FuncOp kernel, const NamedArray &array);
std::vector<NamedArray> namedArraysOf(mlir::func::FuncOp kernel);

} // namespace nereid::tile
