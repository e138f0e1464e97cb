// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts what the programs of an address slice ask memory for.
#pragma once

#include "analyze/AccessPlan.h"
#include "analyze/AddressSlice.h"
#include "interpret/events/Listener.h"

#include "llvm/ADT/MapVector.h"

#include <map>
#include <optional>

namespace nereid::analyzer {

/// Of one operation, over some programs.
struct AccessTally {
  uint64_t executions = 0, requests = 0, sectors = 0, leastSectors = 0, bytes = 0;
  /// Pairs of sectors, 64 bytes, that requests touch; of sectors, those that a request covers in
  /// part only.
  uint64_t pairs = 0, partial = 0;
  uint64_t outside = 0; ///< sectors beyond the array's, of threads
  /// Of neighbouring lanes, in bytes, as long as all were alike.
  std::optional<int64_t> laneStride;
  bool hasOneStride = true;
  unsigned array = 0; // the first that was accessed, by number; 0: none
  /// Of the first request, in bytes from the array's beginning; -1: the lane asks for nothing.
  std::vector<int64_t> lanesOfRequest;
};

/// Of one array, in sectors.
struct ArrayTally {
  /// Different ones: of the whole run; and summed over programs, what those asked L2 for if L1
  /// keeps what one program loads.
  uint64_t read = 0, written = 0, readByPrograms = 0;
  /// Of those, what the program before loaded when it had come about as far.
  uint64_t readInStep = 0;
  uint64_t readPairs = 0; ///< different pairs of sectors: memory gives no less
  /// Summed over rounds of so many programs as run at once.
  uint64_t readByWaves = 0;
  /// All that was asked for, by threads through L1, past it, and what was written.
  uint64_t throughL1 = 0, pastL1 = 0, sent = 0;
};

/// How often a program comes to blocks of operations.
using BlockTimes = std::vector<std::pair<mlir::Block *, uint64_t>>;

/// Thrown out of a run: the loop does not end in that program, as the slice counts them.
struct EndlessProgram {
  mlir::Location loop;
  uint32_t number;
};

class AccessCounter final : public interpret::Listener {
public:
  /// That a program may access, with its rounds of loops: about ten seconds' work. What a GPU's
  /// program does for longer is a loop that does not end, or waits for what others write.
  static constexpr uint64_t usualLanesOfProgram = uint64_t(1) << 28;

  AccessCounter(const AddressSlice &slice, llvm::MapVector<mlir::Operation *, AccessPlan> &plans,
                unsigned argumentCount, uint64_t programsAtOnce, uint64_t mostLanesOfProgram,
                uint64_t sectorsOfStep = 0)
      : slice(slice), plans(plans), argumentCount(argumentCount), atOnce(programsAtOnce),
        mostLanesOfProgram(mostLanesOfProgram), sectorsOfStep(sectorsOfStep) {}

  void begins(const interpret::RunEvent &event) override;
  void accesses(const interpret::AccessEvent &event) override;
  void ends(interpret::ProgramId) override;

  const llvm::MapVector<mlir::Operation *, AccessTally> &accessTallies() const { return tallies; }
  /// How often each block of operations began.
  const llvm::DenseMap<mlir::Block *, uint64_t> &blockCounts() const { return blocks; }
  /// By number of the argument, from 1; 0: of what lies in none of their arrays, where addresses
  /// are integers that were loaded.
  const std::map<unsigned, ArrayTally> &arrayTallies() const { return arrays; }
  /// Of each program in turn: sectors, for the error of a sample.
  const std::vector<uint64_t> &sectorsOfPrograms() const { return perProgram; }
  uint64_t lanes() const { return laneCount; }
  /// What programs do that come equally often to each block, and of each program in turn which of
  /// these it is.
  const std::vector<BlockTimes> &kinds() const { return kindList; }
  const std::vector<unsigned> &kindsOfPrograms() const { return kindOfPrograms; }

private:
  /// When a sector was asked for last: the program's turn, from 1; 0: never.
  struct Stamps {
    std::vector<uint32_t> read, written;
    /// And how many sectors that program had asked for.
    std::vector<uint64_t> behind;
  };
  /// By number of the argument; 0: none of theirs.
  unsigned arrayOf(uint64_t pointer) const;
  uint64_t sectorsOfGroups(const interpret::AccessEvent &event, const AccessPlan::Warp &lanes,
                           uint64_t bytes) const;
  void countThreads(const interpret::AccessEvent &event, const AccessPlan &plan,
                    AccessTally &tally);
  void countBoxes(const interpret::AccessEvent &event, const AccessPlan &plan, AccessTally &tally);
  /// The same of what lies in no argument's array, by sector: when it was read and written.
  struct Stamp {
    uint32_t read = 0, written = 0;
  };
  /// Notes that a sector is asked for.
  void stamp(ArrayTally &tally, uint32_t &read, uint32_t &written, bool isOtherRead, Mover mover);
  void touchUnowned(int64_t sector, Mover mover);
  /// False of a sector that an argument's array has not.
  bool touch(const interpret::AddressSpace &memory, unsigned array, int64_t sector, Mover mover);
  void noteStride(AccessTally &tally, const interpret::AccessEvent &event,
                  const AccessPlan::Warp &lanes);

  const AddressSlice &slice;
  llvm::MapVector<mlir::Operation *, AccessPlan> &plans;
  unsigned argumentCount;
  uint64_t atOnce, mostLanesOfProgram;
  uint64_t sectorsOfStep; // between loads of two programs that are in step; 0: nobody asks
  struct Site {
    mlir::Operation *access = nullptr;
    mlir::Block *block = nullptr;
  };
  std::vector<Site> sites;
  llvm::MapVector<mlir::Operation *, AccessTally> tallies;
  llvm::DenseMap<mlir::Block *, uint64_t> blocks;
  std::map<unsigned, ArrayTally> arrays;
  std::map<unsigned, Stamps> stamps;
  llvm::DenseMap<int64_t, Stamp> unowned;
  std::vector<uint64_t> perProgram;
  std::vector<uint64_t> timesNow; // by site, of this program
  std::map<std::vector<uint64_t>, unsigned> kindNumbers;
  std::vector<BlockTimes> kindList;
  std::vector<unsigned> kindOfPrograms;
  uint64_t turn = 1, sectorsNow = 0, laneCount = 0, lanesOfThis = 0;
};

} // namespace nereid::analyzer
