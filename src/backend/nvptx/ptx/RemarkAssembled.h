// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backend/nvptx/EmittedKernel.h"
#include "target/NvidiaTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace nereid::backend::nvptx {

/// Runs NVIDIA's ptxas, and nvdisasm if a listing is wanted, where PATH has them. Where remarks are
/// asked for: what ptxas finds wrong with the code, of registers and of products that wait for each
/// other. Nothing where neither asks, where PATH has no ptxas, or where it refuses the code:
/// whoever launches that hears of it.
std::optional<AssemblyReport> assemble(mlir::func::FuncOp kernel, const std::string &ptx,
                                       const target::NvidiaTarget &target, bool wantsListing);

/// The remarks of what ptxas -v printed.
void remarkReport(mlir::func::FuncOp kernel, llvm::StringRef report);

} // namespace nereid::backend::nvptx
