// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What threads of a block have in common.
#include "interpret/operations/OperationTable.h"
#include "interpret/schedule/BlockSchedule.h"
#include "interpret/schedule/ThreadBlock.h"

#include <cstring>

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
  if (op.getWholeGrid())
    return
        [place = op.getLoc()](Execution &execution) { execution.block->schedule->meetGrid(place); };
  return [place = op.getLoc()](Execution &execution) { execution.block->schedule->meet(place); };
}

static Step planSyncThreadsCount(Planner &planner, tile::SyncThreadsCountOp op) {
  Slot predicate = planner.slotOf(op.getPredicate()), out = planner.define(op.getResult());
  return [predicate, out, place = op.getLoc()](Execution &execution) {
    *out.as<uint32_t>() = execution.block->schedule->meet(place, *predicate.as<uint8_t>());
  };
}

static Step planSyncWarp(Planner &planner, tile::SyncWarpOp op) {
  Slot members = planner.slotOf(op.getMembers());
  return [members, place = op.getLoc()](Execution &execution) {
    execution.block->schedule->meetWarp(place, {WarpMeeting::Kind::Sync, *members.as<uint32_t>()});
  };
}

static Step planShuffle(Planner &planner, tile::ShuffleOp op) {
  Slot value = planner.slotOf(op.getValue()), source = planner.slotOf(op.getSource()),
       members = planner.slotOf(op.getMembers()), out = planner.define(op.getResult());
  return [value, source, members, out, place = op.getLoc()](Execution &execution) {
    WarpMeeting meeting{WarpMeeting::Kind::Shuffle, *members.as<uint32_t>()};
    std::memcpy(&meeting.given, value.data, value.bytes());
    meeting.source = *source.as<uint32_t>();
    uint64_t received = execution.block->schedule->meetWarp(place, meeting);
    std::memcpy(out.data, &received, out.bytes());
  };
}

static Step planActiveMask(Planner &planner, tile::ActiveMaskOp op) {
  Slot out = planner.define(op.getResult());
  return [out, place = op.getLoc()](Execution &execution) {
    *out.as<uint32_t>() = uint32_t(execution.block->schedule->meetWarp(
        place, {WarpMeeting::Kind::Active, /*members=*/~0u, /*given=*/1}));
  };
}

static Step planBallot(Planner &planner, tile::BallotOp op) {
  Slot predicate = planner.slotOf(op.getPredicate()), members = planner.slotOf(op.getMembers()),
       out = planner.define(op.getResult());
  return [predicate, members, out, place = op.getLoc()](Execution &execution) {
    *out.as<uint32_t>() = uint32_t(execution.block->schedule->meetWarp(
        place, {WarpMeeting::Kind::Ballot, *members.as<uint32_t>(), *predicate.as<uint8_t>()}));
  };
}

void addThreadOperations(OperationTable &table) {
  table.add<tile::ThreadIdOp>(planThreadId);
  table.add<tile::SharedOp>(planMemory<tile::SharedOp>);
  table.add<tile::LocalOp>(planMemory<tile::LocalOp>);
  table.add<tile::SyncThreadsOp>(planSyncThreads);
  table.add<tile::SyncThreadsCountOp>(planSyncThreadsCount);
  table.add<tile::SyncWarpOp>(planSyncWarp);
  table.add<tile::ShuffleOp>(planShuffle);
  table.add<tile::BallotOp>(planBallot);
  table.add<tile::ActiveMaskOp>(planActiveMask);
  table.add<tile::TableOp>(planMemory<tile::TableOp>);
}

} // namespace nereid::interpret
