// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backend/nvptx/EmittedKernel.h"
#include "target/NvidiaTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace nereid::backend::nvptx {

/// What of a block decides how many share an SM.
struct BlockNeeds {
  unsigned threads;
  uint64_t sharedBytes;
};

/// Runs NVIDIA's ptxas as the driver assembles, and, if a listing is wanted (`listed`), nvdisasm,
/// where PATH has them; of what is listed, with as few registers as the runtime asks the driver
/// for. Where remarks are asked for: what ptxas finds wrong with the code, of registers and of
/// products that wait for each other, and what it computes by calls. Nothing where neither asks,
/// where PATH has no ptxas, or where it refuses the code: whoever launches that hears of it.
std::optional<AssemblyReport> assemble(mlir::func::FuncOp kernel, const std::string &ptx,
                                       const target::NvidiaTarget &target,
                                       const BlockNeeds *listed);

/// The remarks of what ptxas -v printed.
void remarkReport(mlir::func::FuncOp kernel, llvm::StringRef report);

/// The functions that machine code calls, as ptxas has them: "div_s64". Not those for the seldom
/// case of what is computed in line.
std::vector<std::string> callsIn(llvm::StringRef cubin);

} // namespace nereid::backend::nvptx
