// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What threads of a block have in common.
#include "interpret/BlockSchedule.h"
#include "interpret/OperationTable.h"
#include "interpret/ThreadBlock.h"

namespace nereid::interpret {

static Step planThreadId(Planner &planner, tile::ThreadIdOp op) {
  Slot out = planner.define(op.getResult());
  return [out, axis = op.getAxis()](Execution &execution) {
    auto [x, y, z] = execution.block->placeOf(execution.program).thread;
    *out.as<uint32_t>() = axis == 0 ? x : axis == 1 ? y : z;
  };
}

template <typename Op> static Step planMemory(Planner &planner, Op op) {
  Slot out = planner.define(op.getResult());
  return [out, op = op.getOperation()](Execution &execution) {
    uint64_t number = execution.block->memoryOf(op, execution.program);
    *out.as<uint64_t>() = execution.memory.pointer(number);
  };
}

static Step planSyncThreads(Planner &, tile::SyncThreadsOp op) {
  return [place = op.getLoc()](Execution &execution) { execution.block->schedule->meet(place); };
}

void addThreadOperations(OperationTable &table) {
  table.add<tile::ThreadIdOp>(planThreadId);
  table.add<tile::SharedOp>(planMemory<tile::SharedOp>);
  table.add<tile::LocalOp>(planMemory<tile::LocalOp>);
  table.add<tile::SyncThreadsOp>(planSyncThreads);
}

} // namespace nereid::interpret
