// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpret/Interpreter.h"

#include "interpret/Planner.h"
#include "interpret/doubts/Doubts.h"
#include "interpret/events/AccessEvents.h"
#include "interpret/events/LineEvents.h"
#include "interpret/schedule/BlockSchedule.h"
#include "interpret/schedule/ProgramOrder.h"
#include "interpret/schedule/Schedule.h"
#include "support/Interruption.h"

namespace nereid::interpret {

static void bindArguments(Planner &planner, mlir::func::FuncOp kernel,
                          std::span<const ArgumentSlot> arguments, const AddressSpace &memory) {
  for (mlir::BlockArgument argument : kernel.getArguments()) {
    Slot slot = planner.slotOf(argument);
    unsigned index = argument.getArgNumber();
    if (slot.kind == ElementKind::Pointer)
      *slot.as<uint64_t>() = memory.argument(index);
    else
      visitBits(slot.kind, [&](auto bits) {
        using T = decltype(bits);
        uint64_t value = arguments[index].bits;
        *slot.as<T>() = slot.kind == ElementKind::Int1 ? T(value != 0) : T(value);
      });
  }
}

namespace {

/// Those that the settings ask for.
struct Instruments {
  std::optional<AccessEvents> events;
  std::optional<Doubts> doubts;
  std::optional<LineEvents> lines;
  llvm::SmallVector<Instrument *> used;

  Instruments(mlir::func::FuncOp kernel, const RunSettings &settings) {
    if (!settings.listeners.empty())
      used.push_back(&events.emplace(settings.listeners));
    if (settings.followsDoubts)
      used.push_back(&doubts.emplace(kernel, settings.findsNonFinite));
    if (settings.lines) // first: a program stops before anything is done
      used.insert(used.begin(), &lines.emplace(*settings.lines));
  }
};

void runInTurn(Execution &execution, llvm::function_ref<void()> runProgram) {
  Interruption *interruption = execution.interruption;
  for (uint64_t turn = 0, count = execution.grid.programs(); turn < count; ++turn) {
    if (interruption && interruption->isRequested())
      return;
    execution.program = programOf(execution.order.at(turn), execution.grid);
    runProgram();
    execution.programEnds();
  }
}

void runBlocks(Execution &execution, ThreadBlock &block, Arena &values,
               std::optional<uint64_t> seed, llvm::function_ref<void()> runThread) {
  uint64_t threads = block.threads();
  BlockSchedule schedule(execution, block, values,
                         ProgramOrder(execution.grid.programs() / threads, seed),
                         ProgramOrder(threads, seed), runThread);
  execution.block = &block;
  execution.schedule = block.schedule = &schedule;
  schedule.runAll();
}

} // namespace

void run(mlir::func::FuncOp kernel, std::span<const ArgumentSlot> arguments, GridExtent grid,
         Observer &observer, const RunSettings &settings) {
  NEREID_CHECK(kernel.getNumArguments() == arguments.size(),
               "a kernel is given as many arguments as it has parameters");
  AddressSpace memory(kernel, arguments, settings.bytesBelow);
  std::optional<ThreadBlock> block;
  if (std::optional<tile::BlockShape> shape = tile::blockOf(kernel)) {
    block.emplace(kernel, grid, memory);
    grid = gridOfThreads(grid, *shape);
  }
  Instruments instruments(kernel, settings);
  Planner planner(kernel, instruments.used, settings.source);
  Steps steps = planner.plan();
  bindArguments(planner, kernel, arguments, memory);
  if (instruments.events)
    instruments.events->begin(kernel, memory, grid);
  if (instruments.lines)
    instruments.lines->begin(planner, kernel);
  Execution execution{{},
                      grid,
                      memory,
                      observer,
                      settings.listeners,
                      ProgramOrder(grid.programs(), settings.shuffleSeed)};
  execution.interruption = Interruption::current();
  auto runProgram = [&] {
    try {
      runAll(steps, execution);
    } catch (const ProgramEnds &) {
    }
  };
  try {
    if (block) {
      runBlocks(execution, *block, planner.values(), settings.shuffleSeed, runProgram);
    } else if (canWait(kernel)) {
      Schedule schedule(execution, planner.values(), runProgram);
      execution.schedule = &schedule;
      schedule.runAll();
    } else {
      runInTurn(execution, runProgram);
    }
  } catch (const LaunchEnds &) {
  }
}

} // namespace nereid::interpret
