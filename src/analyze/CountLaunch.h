// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs programs of a launch, or a sample of them, and counts for the whole grid.
#pragma once

#include "analyze/AccessCounter.h"
#include "analyze/ProgramSample.h"
#include "analyze/TouchRecorder.h"
#include "backend/nvptx/EmittedKernel.h"
#include "support/KernelArguments.h"

#include <span>
#include <string>

namespace nereid::analyzer {

/// As AccessTally, of the whole grid.
struct AccessCounts {
  AccessPlan plan;
  double requests = 0, sectors = 0, leastSectors = 0, bytes = 0, pairs = 0, partial = 0;
  double outside = 0;
  int64_t laneStride = 0;              // in bytes; 0: none, or several
  bool decides = false;                // other addresses, masks or rounds depend on what it finds
  bool isFound = false;                // AddressSlice
  unsigned array = 0;                  // by number of the argument, from 1; 0: none was accessed
  std::vector<int64_t> lanesOfRequest; // as AccessTally
};

/// What lies in no argument's array, as tables name it: no parameter's name has a space.
inline constexpr const char *unownedName = "by address";

/// As ArrayTally, of the whole grid.
struct ArrayCounts {
  std::string name;
  uint64_t bytes = 0;      // that the array has
  bool isAllAlike = false; // its elements have one value, as far as was looked
  double read = 0, readPairs = 0, written = 0, readByPrograms = 0, readByWaves = 0;
  double throughL1 = 0, pastL1 = 0, sent = 0;
  /// Different sectors that the programs load that run on one multiprocessor at once, and their
  /// share of what each of them loads.
  double readOnSm = 0, shareOnSm = 1;
  /// The share of what each of them loads that another loads at about the same time, so that L1 has
  /// it however much they load in all.
  double inStepOnSm = 0;
};

/// Which programs of a launch do what.
struct ProgramKinds {
  std::vector<BlockTimes> kinds;
  ProgramSample sample;
  /// Of each program that is run, by stratum.
  std::vector<std::vector<unsigned>> ofStrata = {};
  /// Of all programs by number, where the rounds of all were followed; else empty.
  std::vector<unsigned> ofPrograms = {};

  /// Of any program of the grid. Where not all were followed: as the one before it that is run and
  /// is in its stratum.
  unsigned kindOf(uint64_t program) const;
  bool areAlike() const { return kinds.size() <= 1; }
};

struct LaunchCounts {
  llvm::MapVector<mlir::Operation *, AccessCounts> accesses;
  llvm::DenseMap<mlir::Block *, double> blocks;
  std::map<unsigned, ArrayCounts> arrays; // by number of the argument, from 1; 0: ArrayTally
  /// Of how often each program comes to a block, the square, of all.
  llvm::DenseMap<mlir::Block *, double> squares;
  uint64_t programs = 0, programsRun = 0;
  double error = 0; // two standard errors of the sectors, as a share
  bool isGuessed = false;
  std::optional<ProgramKinds> kinds = {};
  /// Of those programs, by number, in detail.
  std::vector<uint64_t> shown;
  std::vector<TouchRecorder::Program> touches;
  std::vector<Analysis::Touches::Pattern> patterns;

  /// The first program that waits for what others write, in a loop that it is dropped in.
  struct Dropped {
    Place loop;
    interpret::ProgramId program;
  };
  std::optional<Dropped> dropped;

  /// How many of a block's times a program has that one of them is taken of, by those that it has
  /// in the mean: 1 where all have equally many.
  double skewOf(mlir::Block *block) const;
  bool isSample() const { return programsRun < programs; }
};

struct CountOptions {
  uint64_t mostPrograms = 0; // 0: as many as take about a second
  uint64_t programsAtOnce = 1;
  uint64_t mostAccesses = AccessCounter::usualLanesOfProgram; // of a program
  double l1Bytes = 0;                                         // that an SM has for what is loaded
  uint64_t multiprocessors = 1; // that programs are dealt out to, one after the other
};

/// How often a sector is added to by atomics at most, where all of an array are alike.
double collisionsOf(const LaunchCounts &counts);

LaunchCounts countLaunch(const backend::nvptx::EmittedKernel &kernel,
                         std::span<const ArgumentSlot> arguments, GridExtent grid,
                         const CountOptions &options);

} // namespace nereid::analyzer
