// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backend/gpu/emit/CodeSites.h"
#include "backend/gpu/emit/EmittedCosts.h"
#include "target/NvidiaTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <functional>
#include <optional>
#include <string>

namespace nereid::backend::nvptx {

using namespace gpu;

/// What NVIDIA's assembler says of a kernel's code.
struct AssemblyReport {
  unsigned registers = 0;                                   // of a thread
  unsigned spillStores = 0, spillLoads = 0, stackBytes = 0; // bytes, of a thread
  /// The machine code as text, with lines of sites (CodeSites); empty where PATH has no nvdisasm.
  std::string listing;
};

/// A kernel when its code is there.
struct EmittedKernel {
  /// As the passes left it: tiles have layouts, and loops rings and roles.
  mlir::func::FuncOp function;
  const target::NvidiaTarget &target;
  const EmittedCosts &costs;
  /// A block has these threads, and this dynamic shared memory.
  unsigned threads;
  uint64_t sharedBytes;
  /// Blocks run several programs each.
  bool loopsOverPrograms;
  const std::string &ptx;
  /// The sites of PTX's lines.
  const std::vector<CodeSite> &sites;
  /// Nothing where PATH has no ptxas, or it refuses the code.
  const std::optional<AssemblyReport> &assembly;
};
using EmittedSink = std::function<void(const EmittedKernel &)>;

} // namespace nereid::backend::nvptx
