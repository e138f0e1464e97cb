// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions by unit and line, of the machine code where it is there, else of PTX; weighed by how
// often the programs come by.
#pragma once

#include "analyze/CountLaunch.h"
#include "nereid/analyze.h"

namespace nereid::analyzer {

/// By the block of a kernel's loop, how many of its rounds there are for one wait for memory: the
/// assembler writes several rounds one behind the other, and lets some of their loads go together.
using RoundsOfWait = llvm::DenseMap<mlir::Block *, double>;

struct InstructionCosts {
  RoundsOfWait roundsOfWait;
  /// Instructions of warps in the launch, by the block of operations that they are run with.
  llvm::DenseMap<mlir::Block *, double> ofBlocks;
  /// Cycles of warps that have their schedulers for themselves, of all of the launch's; 0 where the
  /// code does not say them.
  double warpCycles = 0;
};

/// `blocks` run the launch's programs. Fills what the analysis has of instructions.
InstructionCosts countInstructions(const backend::nvptx::EmittedKernel &kernel,
                                   const LaunchCounts &counts, uint64_t blocks, Analysis &analysis);

/// Of all lines.
Analysis::Instructions sumOf(const std::vector<Analysis::Instructions> &lines);
/// Of all units.
uint64_t countOf(const Analysis::Instructions &instructions);

/// From an instruction of a warp to its next one, in cycles, in the mean: some need what the one
/// before makes, after four or more cycles, and some do not (0070).
constexpr double usualCyclesOfInstruction = 3;

/// The same of an analysis that has its instructions and products. Where the code does not say it:
/// multiply-adds of a product by threads need nothing of one another, and take one.
double cyclesOfInstruction(const Analysis &analysis, const InstructionCosts &costs);

/// In which a warp that has its scheduler for itself gives the instructions of one program. Of an
/// analysis that has its instructions and products.
double cyclesOfWarp(const Analysis &analysis, const InstructionCosts &costs);

} // namespace nereid::analyzer
