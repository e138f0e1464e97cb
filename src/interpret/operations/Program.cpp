// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where in the grid a program is.
#include "interpret/operations/OperationTable.h"
#include "interpret/schedule/ThreadBlock.h"

#include "dialect/tile/Tile.h"

namespace nereid::interpret {

static Step planProgramId(Planner &planner, tile::ProgramIdOp op) {
  Slot out = planner.define(op.getResult());
  return [out, axis = op.getAxis()](Execution &execution) {
    auto [x, y, z] =
        execution.block ? execution.block->placeOf(execution.program).block : execution.program;
    *out.as<uint32_t>() = axis == 0 ? x : axis == 1 ? y : z;
  };
}

static Step planNumPrograms(Planner &planner, tile::NumProgramsOp op) {
  Slot out = planner.define(op.getResult());
  return [out, axis = op.getAxis()](Execution &execution) {
    auto [x, y, z] = execution.grid;
    if (execution.block)
      x /= static_cast<uint32_t>(execution.block->threads());
    *out.as<uint32_t>() = axis == 0 ? x : axis == 1 ? y : z;
  };
}

void addProgramOperations(OperationTable &table) {
  table.add<tile::ProgramIdOp>(planProgramId);
  table.add<tile::NumProgramsOp>(planNumPrograms);
}

} // namespace nereid::interpret
