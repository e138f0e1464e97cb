// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpret/schedule/Schedule.h"

#include "interpret/schedule/Patience.h"
#include "support/Fiber.h"
#include "support/Interruption.h"

#include "dialect/tile/Tile.h"
#include "interpret/Planner.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <algorithm>
#include <exception>
#include <optional>

namespace nereid::interpret {

/// How many programs may be set aside before they have a turn between any two that are started: a
/// stack each, so 64 MiB of address space (docs/decisions/0011-programs-that-wait.md).
static constexpr size_t mostWaiting = 64;

bool canWait(mlir::func::FuncOp kernel) {
  return kernel
      .walk([](mlir::scf::WhileOp loop) {
        return loop.walk([](mlir::Operation *op) {
          return tile::accessOf(op).reads ? mlir::WalkResult::interrupt()
                                          : mlir::WalkResult::advance();
        });
      })
      .wasInterrupted();
}

struct Schedule::Suspended {
  Fiber fiber;
  ProgramId program = {};
  std::vector<std::byte> values;
  /// Where it waits, and where it once waited for none of those that had started.
  std::optional<mlir::Location> place, waitForLater;
  unsigned rounds = 0, stillRounds = 0; // of waiting, since its turn began and in a row

  explicit Suspended(Run run) : fiber(run) {}
};

Schedule::Schedule(Execution &execution, Arena &values, Run run)
    : execution(execution), values(values), run(run) {}
Schedule::~Schedule() = default;

void Schedule::runAll() {
  uint64_t count = execution.grid.programs();
  Interruption *interruption = Interruption::current();
  while (next < count || !waiting.empty()) {
    if (interruption && interruption->isRequested())
      return;
    if (patience >= mostPatience) {
      for (const auto &program : waiting)
        execution.observer.waitNeverEnds(*program->place, program->program);
      return;
    }
    if (next < count)
      startNext();
    // While there are more to start, only too many make those that wait take turns.
    bool takesTurns = next >= count || waiting.size() >= mostWaiting;
    for (size_t turns = takesTurns ? waiting.size() : 0; turns > 0; --turns)
      resume();
  }
}

void Schedule::startNext() {
  if (idle.empty())
    idle.push_back(std::make_unique<Suspended>(run));
  std::unique_ptr<Suspended> program = std::move(idle.back());
  idle.pop_back();
  program->program = programOf(execution.order.at(next++), execution.grid);
  program->rounds = program->stillRounds = 0;
  program->waitForLater.reset();
  program->fiber.begin();
  waiting.push_back(std::move(program));
  enter(*waiting.back());
}

void Schedule::resume() {
  std::rotate(waiting.begin(), waiting.begin() + 1, waiting.end());
  values.restore(waiting.back()->values);
  enter(*waiting.back());
}

/// Runs the last of those that wait until it waits again or is done.
void Schedule::enter(Suspended &program) {
  execution.program = program.program;
  execution.round = {};
  current = &program;
  program.fiber.enter();
  current = nullptr;
  if (!program.fiber.isDone()) {
    values.save(program.values);
    return;
  }
  patience = 0;
  if (program.waitForLater)
    execution.observer.waitsForLater(*program.waitForLater, program.program);
  execution.programEnds();
  std::exception_ptr failure = program.fiber.takeFailure();
  idle.push_back(std::move(waiting.back()));
  waiting.pop_back();
  if (failure)
    std::rethrow_exception(failure);
}

void Schedule::waited(mlir::Location loop, bool standsStill) {
  patience += standsStill ? stillRound : busyRound;
  current->stillRounds = standsStill ? current->stillRounds + 1 : 0;
  if (++current->rounds < roundsPerTurn && patience < mostPatience)
    return;
  bool isAlone = waiting.size() == 1 && next < execution.grid.programs();
  if (isAlone && current->stillRounds >= roundsPerTurn)
    current->waitForLater = loop;
  current->rounds = 0;
  current->place = loop;
  current->fiber.leave();
}

} // namespace nereid::interpret
