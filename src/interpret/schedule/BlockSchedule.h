// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In what order the threads of a kernel run: block after block, and in a block each until it waits
// for the others. Where blocks wait for one another, each runs as far as it comes without them.
#pragma once

#include "interpret/Planner.h"
#include "interpret/memory/Arena.h"
#include "interpret/schedule/ThreadBlock.h"
#include "support/Fiber.h"

#include <optional>
#include <vector>

namespace nereid::interpret {

/// What threads of a warp meet for.
struct WarpMeeting {
  enum class Kind { Sync, Shuffle, Ballot, Active } kind;
  uint32_t members = 0;
  uint64_t given = 0;  // the value of a shuffle, the predicate of a ballot
  uint32_t source = 0; // of a shuffle, the lane whose value is wanted

  bool isSameAs(const WarpMeeting &other) const {
    return kind == other.kind && members == other.members;
  }
};

class BlockSchedule final : public Waiting {
public:
  /// `run` runs the thread that `execution` names; its values lie in `values`. `blocks` and
  /// `threads` are the order of the blocks of the grid, and of the threads of each.
  BlockSchedule(Execution &execution, ThreadBlock &block, Arena &values, ProgramOrder blocks,
                ProgramOrder threads, llvm::function_ref<void()> run);
  ~BlockSchedule() override;

  void runAll();
  /// To be called where a thread waits for the others of its block; for how many of them `holds`.
  uint32_t meet(mlir::Location barrier, bool holds = true);
  /// To be called where a thread waits for all others of the grid.
  void meetGrid(mlir::Location barrier);
  /// The same for members of its warp; what it gets from them.
  uint64_t meetWarp(mlir::Location place, const WarpMeeting &meeting);
  void waited(mlir::Location loop, bool standsStill) override;

private:
  enum class Turn { Runs, AtBarrier, AtGrid, InWarp, Ended };
  struct Thread {
    Fiber fiber;
    ProgramId program = {};
    std::vector<std::byte> values;
    Turn turn = Turn::Runs;
    std::optional<mlir::Location> place; // of the barrier, or of the loop in which it waits
    bool hasBegun = false;
    WarpMeeting meeting = {};
    bool holds = false;    // what it told the barrier
    uint64_t received = 0; // from whom it met

    explicit Thread(llvm::function_ref<void()> run) : fiber(run) {}
  };

  using Threads = std::vector<std::unique_ptr<Thread>>; // of a block, by number

  void begin(uint64_t number);
  void runBlock();
  void runAllAtOnce(uint64_t count);
  void leaveGrid(llvm::ArrayRef<Threads> grid);
  void tellOfMeeting();
  bool runUntilAllWait();
  void enter(Thread &thread);
  void leaveBarrier();
  /// What the current thread's round of a loop has done stays its own while others run. What it
  /// gets from them may be another thing the next time.
  void leaveAndReceive();
  /// Threads have met: they have not waited in vain if any has done something since they last did.
  void noteMeeting();
  Thread *findMissing(const Thread &waiting);
  // WarpMeetings.cpp
  std::span<const std::unique_ptr<Thread>> warpOf(const Thread &thread) const;
  bool releaseWarps(const Thread &changed);
  bool releaseActive();
  bool releaseStuckWarp();
  void release(const Thread &first);
  bool isNamed(const Thread &waiting, size_t lane) const;
  bool isWaitingWith(const Thread &waiting, const Thread &other) const;

  Execution &execution;
  ThreadBlock &block;
  Arena &values;
  ProgramOrder blocks, order;
  llvm::function_ref<void()> run;
  Threads threads; // of the block that runs
  Thread *current = nullptr;
  uint64_t patience = 0;
  /// Whether threads have done more than to wait since they met last: then they may meet for ever.
  bool hasProgressed = false;
  unsigned rounds = 0;
  /// Of blocks that run at once: this one waits for what another has to do.
  bool isStuck = false;
};

} // namespace nereid::interpret
