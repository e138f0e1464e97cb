// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long programs take that do unequally much, and how SMs have them.
#pragma once

#include "analyze/InstructionCounts.h"
#include "analyze/predict/Predict.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace nereid::analyzer {

/// What a round of a loop, which is a block of operations, waits for memory, in whole waits.
struct RoundWait {
  mlir::Block *block;
  double waits;
  /// Where no other program of the SM has come as far, so that L1 has nothing of it.
  double waitsAhead;
  bool isOfProducer = false; ///< of the warp that fetches for the others
};

/// Of a program that comes to each block so often: once for what it loads outside of loops, and in
/// rounds.
double waitsOf(llvm::ArrayRef<RoundWait> rounds, llvm::function_ref<double(mlir::Block *)> times);

struct ProgramCosts {
  const backend::nvptx::EmittedKernel &kernel;
  const LaunchCounts &counts;
  const InstructionCosts &instructions;
  llvm::ArrayRef<RoundWait> rounds;
  const target::Card &card;
};

/// Of a launch whose programs do unequally much, what that adds to its demand and is known of it.
void addInequality(Analysis &analysis, Demand &demand, const ProgramCosts &costs);

} // namespace nereid::analyzer
