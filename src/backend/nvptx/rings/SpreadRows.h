// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::backend::nvptx {

/// How many blocks run a program together, as nvptx-spread-rows has said.
unsigned blocksOfProgram(mlir::func::FuncOp kernel);

} // namespace nereid::backend::nvptx
