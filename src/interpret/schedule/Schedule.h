// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In what order the programs of a grid run, where one may wait for another
// (docs/decisions/0011).
#pragma once

#include "interpret/Interpreter.h"
#include "interpret/memory/Arena.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <deque>
#include <memory>
#include <vector>

namespace nereid::interpret {

struct Execution;

/// Whether a kernel has a loop in which a program can wait for what others write.
bool canWait(mlir::func::FuncOp kernel);

/// Runs programs one after the other, each on a stack of its own. One that waits is set aside, with
/// the values that it had computed, while others run.
class Schedule final : public Waiting {
public:
  using Run = llvm::function_ref<void()>;
  /// `run` runs the program that `execution` names; its values lie in `values`.
  Schedule(Execution &execution, Arena &values, Run run);
  ~Schedule() override;

  /// Runs all programs of the grid. If none of them gets anywhere any more, those that wait are
  /// reported and dropped.
  void runAll();
  void waited(mlir::Location loop, bool standsStill) override;

private:
  struct Suspended;
  void startNext();
  void resume();
  void enter(Suspended &program);

  Execution &execution;
  Arena &values;
  Run run;
  std::deque<std::unique_ptr<Suspended>> waiting;
  std::vector<std::unique_ptr<Suspended>> idle; // stacks for those to come
  Suspended *current = nullptr;
  uint64_t next = 0, patience = 0;
};

} // namespace nereid::interpret
