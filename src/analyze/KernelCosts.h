// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What operations cost that access no arrays: shared memory and barriers, products, arithmetic.
#pragma once

#include "analyze/CountLaunch.h"
#include "nereid/analyze.h"

#include <map>

namespace nereid::analyzer {

/// Where that stands in the author's text: what our library does, where it is called.
Place placeOf(mlir::Location location);
Place placeOf(mlir::Operation *op);

class KernelCosts {
public:
  /// `blocks` run the launch's programs.
  KernelCosts(const backend::nvptx::EmittedKernel &kernel, const LaunchCounts &counts,
              uint64_t blocks);

  /// Lists what there is, an entry for each operation, into the analysis.
  void addTo(Analysis &analysis) const;

  /// Of one SM: cycles of its units for the whole launch.
  double fmaLanes = 0, integerLanes = 0, specialLanes = 0, doubleLanes = 0;
  double sharedWavefronts = 0;
  /// FLOP of tensor cores, as if of factors of 16 bits.
  double tensorFlops = 0;
  /// FLOP of single elements.
  double elementFlops = 0;

private:
  void addShared();
  static unsigned mbarriersOf(mlir::Operation *op);
  void addMbarriers(mlir::Operation *op);
  void addProduct(mlir::Operation *op);
  void addArithmetic(mlir::Operation *op);
  double executions(mlir::Operation *op) const;
  double registersOf(mlir::Value value) const;

  const backend::nvptx::EmittedKernel &kernel;
  const LaunchCounts &counts;
  analysis::AxisAnalysis axes;
  double blocksOfProgram; // 1, or less where a block runs several
  unsigned warps;
  std::vector<Analysis::Shared> shared;
  std::vector<Analysis::Product> products;
  std::map<std::pair<std::string, unsigned>, Analysis::Arithmetic> arithmetic; // by file and line
};

} // namespace nereid::analyzer
