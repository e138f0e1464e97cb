// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpret/schedule/BlockSchedule.h"

#include "interpret/schedule/Patience.h"
#include "support/Interruption.h"

#include <numeric>

namespace nereid::interpret {

BlockSchedule::BlockSchedule(Execution &execution, ThreadBlock &block, Arena &values,
                             ProgramOrder blocks, ProgramOrder threads,
                             llvm::function_ref<void()> run)
    : execution(execution), block(block), values(values), blocks(blocks), order(threads), run(run) {
}

BlockSchedule::~BlockSchedule() = default;

void BlockSchedule::runAll() {
  uint64_t count = execution.grid.programs() / block.threads();
  if (block.runsAllAtOnce())
    return runAllAtOnce(count);
  for (uint64_t turn = 0; turn < count; ++turn) {
    if (execution.interruption && execution.interruption->isRequested())
      return;
    uint64_t number = blocks.at(turn);
    for (Listener *listener : execution.listeners)
      listener->beginsBlock(number * block.threads(), block.threads(), block.memory());
    begin(number);
    runBlock();
  }
}

/// For who listens the grid is one block, whose threads now and then meet in parts.
void BlockSchedule::runAllAtOnce(uint64_t count) {
  for (Listener *listener : execution.listeners)
    listener->beginsBlock(0, execution.grid.programs(), block.memory());
  std::vector<Threads> grid(count);
  auto runAs = [&](uint64_t number, auto act) {
    threads.swap(grid[number]);
    act();
    threads.swap(grid[number]);
  };
  for (uint64_t number = 0; number < count; ++number)
    runAs(number, [&] { begin(number); });
  for (bool isAnyLeft = true; isAnyLeft;) {
    isAnyLeft = false;
    bool isAnyStuck = false;
    for (uint64_t turn = 0; turn < count; ++turn) {
      runAs(blocks.at(turn), [&] { runBlock(); });
      isAnyStuck |= isStuck;
      if (execution.interruption && execution.interruption->isRequested())
        return;
    }
    for (const Threads &each : grid)
      for (const auto &thread : each) {
        isAnyLeft |= thread->turn != Turn::Ended;
        if (isAnyStuck && !hasProgressed && thread->turn == Turn::Runs)
          execution.observer.waitNeverEnds(*thread->place, thread->program);
      }
    if (isAnyStuck && !std::exchange(hasProgressed, false))
      return;
    if (isAnyLeft && !isAnyStuck)
      leaveGrid(grid);
  }
}

/// All of the grid have come to its barrier, or to their end, which is a mistake.
void BlockSchedule::leaveGrid(llvm::ArrayRef<Threads> grid) {
  const Thread *waiting = nullptr, *missing = nullptr;
  for (const Threads &each : grid)
    for (const auto &thread : each)
      if (thread->turn == Turn::AtGrid && !waiting)
        waiting = thread.get();
  for (const Threads &each : grid)
    for (const auto &thread : each)
      if (thread->turn == Turn::Ended || *thread->place != *waiting->place)
        missing = thread.get();
  if (missing)
    execution.observer.barrierMissed(*waiting->place, waiting->program, missing->program,
                                     missing->turn == Turn::Ended ? std::nullopt : missing->place);
  for (const Threads &each : grid)
    for (const auto &thread : each)
      if (thread->turn == Turn::AtGrid)
        thread->turn = Turn::Runs;
  hasProgressed = false;
  for (Listener *listener : execution.listeners)
    listener->meets(0, execution.grid.programs());
}

void BlockSchedule::begin(uint64_t number) {
  uint64_t first = number * block.threads();
  for (uint64_t i = 0; i < block.threads(); ++i) {
    if (threads.size() <= i)
      threads.push_back(std::make_unique<Thread>(run));
    Thread &thread = *threads[i];
    thread.program = programOf(first + i, execution.grid);
    thread.turn = Turn::Runs;
    thread.hasBegun = false;
    thread.place.reset();
  }
}

/// Until all have ended, or wait for other blocks.
void BlockSchedule::runBlock() {
  patience = 0;
  isStuck = false;
  while (runUntilAllWait())
    leaveBarrier();
}

/// Whether there are threads that wait at a barrier: all others have ended.
bool BlockSchedule::runUntilAllWait() {
  for (bool isAnyRunning = true; isAnyRunning;) {
    isAnyRunning = false;
    for (uint64_t i = 0; i < block.threads(); ++i) {
      Thread &thread = *threads[order.at(i)];
      if (thread.turn != Turn::Runs)
        continue;
      enter(thread);
      isAnyRunning |= thread.turn == Turn::Runs || releaseWarps(thread);
      if (execution.interruption && execution.interruption->isRequested())
        return false;
    }
    if (!isAnyRunning || patience >= mostPatience)
      isAnyRunning |= releaseActive();
    if (!isAnyRunning)
      isAnyRunning = releaseStuckWarp();
    if (!isAnyRunning || patience < mostPatience)
      continue;
    if (block.runsAllAtOnce()) {
      isStuck = true;
      return false;
    }
    for (const auto &thread : threads)
      if (thread->turn == Turn::Runs)
        execution.observer.waitNeverEnds(*thread->place, thread->program);
    return false;
  }
  return llvm::any_of(threads, [](const auto &thread) { return thread->turn == Turn::AtBarrier; });
}

void BlockSchedule::enter(Thread &thread) {
  if (thread.hasBegun)
    values.restore(thread.values);
  else
    thread.fiber.begin();
  thread.hasBegun = true;
  execution.program = thread.program;
  execution.round = {};
  current = &thread;
  rounds = 0;
  thread.fiber.enter();
  current = nullptr;
  if (!thread.fiber.isDone())
    return values.save(thread.values);
  thread.turn = Turn::Ended;
  patience = 0;
  hasProgressed = true;
  execution.programEnds();
  if (std::exception_ptr failure = thread.fiber.takeFailure())
    std::rethrow_exception(failure);
}

/// A thread that has ended, or waits at another barrier than this one.
BlockSchedule::Thread *BlockSchedule::findMissing(const Thread &waiting) {
  for (const auto &thread : threads)
    if (thread->turn == Turn::Ended || *thread->place != *waiting.place)
      return thread.get();
  return nullptr;
}

void BlockSchedule::leaveBarrier() {
  noteMeeting();
  bool isReported = false;
  for (const auto &thread : threads) {
    if (thread->turn != Turn::AtBarrier)
      continue;
    Thread *missing = isReported ? nullptr : findMissing(*thread);
    if (missing)
      execution.observer.barrierMissed(*thread->place, thread->program, missing->program,
                                       missing->turn == Turn::Ended ? std::nullopt
                                                                    : missing->place);
    isReported |= missing != nullptr;
  }
  auto holding = llvm::count_if(
      threads, [](const auto &thread) { return thread->turn == Turn::AtBarrier && thread->holds; });
  for (const auto &thread : threads)
    if (thread->turn == Turn::AtBarrier) {
      thread->turn = Turn::Runs;
      thread->received = static_cast<uint64_t>(holding);
    }
  tellOfMeeting();
}

void BlockSchedule::tellOfMeeting() {
  uint64_t first = numberOf(threads.front()->program, execution.grid);
  std::vector<uint64_t> programs(block.runsAllAtOnce() ? block.threads() : 0);
  std::iota(programs.begin(), programs.end(), first);
  for (Listener *listener : execution.listeners)
    programs.empty() ? listener->meets(first, block.threads()) : listener->meetSome(programs);
}

void BlockSchedule::meetGrid(mlir::Location barrier) {
  current->turn = Turn::AtGrid;
  current->place = barrier;
  hasProgressed = true;
  leaveAndReceive();
}

uint32_t BlockSchedule::meet(mlir::Location barrier, bool holds) {
  Thread &thread = *current;
  thread.turn = Turn::AtBarrier;
  thread.place = barrier;
  thread.holds = holds;
  leaveAndReceive();
  return static_cast<uint32_t>(thread.received);
}

void BlockSchedule::leaveAndReceive() {
  Round round = execution.round;
  current->fiber.leave();
  execution.round = round;
  execution.round.hasSynchronized = true;
}

void BlockSchedule::noteMeeting() {
  if (std::exchange(hasProgressed, false))
    patience = 0;
}

void BlockSchedule::waited(mlir::Location loop, bool standsStill) {
  hasProgressed |= !standsStill;
  patience += standsStill ? stillRound : busyRound;
  if (++rounds < roundsPerTurn && patience < mostPatience)
    return;
  current->place = loop;
  current->fiber.leave();
}

} // namespace nereid::interpret
