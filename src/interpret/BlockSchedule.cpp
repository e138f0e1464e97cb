// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpret/BlockSchedule.h"

#include "interpret/Patience.h"
#include "support/Interruption.h"

namespace nereid::interpret {

BlockSchedule::BlockSchedule(Execution &execution, ThreadBlock &block, Arena &values,
                             ProgramOrder blocks, ProgramOrder threads,
                             llvm::function_ref<void()> run)
    : execution(execution), block(block), values(values), blocks(blocks), order(threads), run(run) {
}

BlockSchedule::~BlockSchedule() = default;

void BlockSchedule::runAll() {
  uint64_t count = execution.grid.programs() / block.threads();
  for (uint64_t turn = 0; turn < count; ++turn) {
    if (execution.interruption && execution.interruption->isRequested())
      return;
    runBlock(blocks.at(turn));
  }
}

void BlockSchedule::runBlock(uint64_t number) {
  uint64_t first = number * block.threads();
  for (Listener *listener : execution.listeners)
    listener->beginsBlock(first, block.threads(), block.memory());
  for (uint64_t i = 0; i < block.threads(); ++i) {
    if (threads.size() <= i)
      threads.push_back(std::make_unique<Thread>(run));
    Thread &thread = *threads[i];
    thread.program = programOf(first + i, execution.grid);
    thread.turn = Turn::Runs;
    thread.hasBegun = false;
    thread.place.reset();
  }
  patience = 0;
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
  uint64_t first = numberOf(threads.front()->program, execution.grid);
  for (Listener *listener : execution.listeners)
    listener->meets(first, block.threads());
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
