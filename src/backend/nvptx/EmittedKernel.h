// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backend/gpu/emit/CodeSites.h"
#include "backend/gpu/emit/EmittedCosts.h"
#include "target/NvidiaTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>
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

/// Which program is which number's, counted along x first, in a grid of `rows` of `x` programs: as
/// EmitPrograms computes it. `blocks`: that run several each.
struct ProgramOrder {
  bool isLastFirst = false, areLooped = false;
  unsigned programsOfGroup = 1; // the policy's

  uint64_t programAt(uint64_t number, uint64_t blocks, uint64_t x, uint64_t rows) const {
    if (!isLastFirst)
      return number;
    if (!areLooped)
      return number + x - 1 - 2 * (number % x);
    const uint64_t most = std::clamp<uint64_t>(blocks * programsOfGroup / x, 1, rows);
    const uint64_t firstRow = number / (most * x) * most, rest = number % (most * x);
    const uint64_t height = std::min(most, rows - firstRow);
    return (firstRow + rest % height) * x + x - 1 - rest / height;
  }
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
  /// In which order they are launched, or follow one another in blocks.
  ProgramOrder order;
  const std::string &ptx;
  /// The sites of PTX's lines.
  const std::vector<CodeSite> &sites;
  /// Nothing where PATH has no ptxas, or it refuses the code.
  const std::optional<AssemblyReport> &assembly;
};
using EmittedSink = std::function<void(const EmittedKernel &)>;

} // namespace nereid::backend::nvptx
