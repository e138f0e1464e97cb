// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpret/Interpreter.h"

#include "interpret/Planner.h"
#include "interpret/Schedule.h"

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

void run(mlir::func::FuncOp kernel, std::span<const ArgumentSlot> arguments, GridExtent grid,
         Observer &observer) {
  NEREID_CHECK(kernel.getNumArguments() == arguments.size(),
               "a kernel is given as many arguments as it has parameters");
  AddressSpace memory(kernel, arguments);
  Planner planner(kernel);
  Steps steps = planner.plan();
  bindArguments(planner, kernel, arguments, memory);
  Execution execution{{}, grid, memory, observer};
  auto runProgram = [&] { runAll(steps, execution); };
  if (canWait(kernel)) {
    Schedule schedule(execution, planner.values(), runProgram);
    execution.schedule = &schedule;
    schedule.runAll();
    return;
  }
  ProgramId &program = execution.program;
  for (program.z = 0; program.z < grid.z; ++program.z)
    for (program.y = 0; program.y < grid.y; ++program.y)
      for (program.x = 0; program.x < grid.x; ++program.x)
        runProgram();
}

} // namespace nereid::interpret
