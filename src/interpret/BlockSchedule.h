// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In what order the threads of a kernel run: block after block, and in a block each until it waits
// for the others.
#pragma once

#include "interpret/Arena.h"
#include "interpret/Fiber.h"
#include "interpret/Planner.h"
#include "interpret/ThreadBlock.h"

#include <optional>
#include <vector>

namespace nereid::interpret {

class BlockSchedule final : public Waiting {
public:
  /// `run` runs the thread that `execution` names; its values lie in `values`. `blocks` and
  /// `threads` are the order of the blocks of the grid, and of the threads of each.
  BlockSchedule(Execution &execution, ThreadBlock &block, Arena &values, ProgramOrder blocks,
                ProgramOrder threads, llvm::function_ref<void()> run);
  ~BlockSchedule() override;

  void runAll();
  /// To be called where a thread waits for the others of its block.
  void meet(mlir::Location barrier);
  void waited(mlir::Location loop, bool standsStill) override;

private:
  enum class Turn { Runs, AtBarrier, Ended };
  struct Thread {
    Fiber fiber;
    ProgramId program = {};
    std::vector<std::byte> values;
    Turn turn = Turn::Runs;
    std::optional<mlir::Location> place; // of the barrier, or of the loop in which it waits
    bool hasBegun = false;

    explicit Thread(llvm::function_ref<void()> run) : fiber(run) {}
  };

  void runBlock(uint64_t number);
  bool runUntilAllWait();
  void enter(Thread &thread);
  void leaveBarrier();
  Thread *findMissing(const Thread &waiting);

  Execution &execution;
  ThreadBlock &block;
  Arena &values;
  ProgramOrder blocks, order;
  llvm::function_ref<void()> run;
  std::vector<std::unique_ptr<Thread>> threads; // by number in the block
  Thread *current = nullptr;
  uint64_t patience = 0;
  unsigned rounds = 0;
};

} // namespace nereid::interpret
