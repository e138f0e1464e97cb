// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "target/NvidiaTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace nereid::backend::nvptx {

/// Where remarks are asked for and PATH has NVIDIA's ptxas: what that finds wrong with the code, of
/// registers and of products that wait for each other.
void remarkAssembled(mlir::func::FuncOp kernel, const std::string &ptx,
                     const target::NvidiaTarget &target);

/// The same of what ptxas -v printed.
void remarkReport(mlir::func::FuncOp kernel, llvm::StringRef report);

} // namespace nereid::backend::nvptx
