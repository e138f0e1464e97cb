// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structured control flow. Values that enter and leave regions are copied between fixed places.
#include "interpret/operations/OperationTable.h"
#include "interpret/schedule/Schedule.h"
#include "support/Interruption.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <array>
#include <cstring>
#include <span>
#include <utility>

using namespace mlir;

namespace nereid::interpret {

/// Copies several values at once, as if all were read before any is written.
class Transfer {
public:
  Transfer(Planner &planner, ValueRange from, ValueRange to) {
    for (auto [source, target] : llvm::zip_equal(from, to)) {
      moves.push_back({planner.slotOf(source), planner.slotOf(target), {}});
      if (Slot shadow = planner.shadowOf(target); shadow.data) {
        Slot other = planner.shadowOf(source);
        moves.push_back({other.data ? other : planner.emptyShadow(shadow.capacity), shadow, {}});
      }
    }
    for (Move &move : moves)
      if (move.from.data != move.to.data && isWrittenByOthers(move))
        move.staged.resize(move.from.bytes());
  }

  /// Whether it would leave everything as it is.
  bool changesNothing() const {
    return llvm::all_of(moves, [](const Move &move) {
      return std::memcmp(move.from.data, move.to.data, move.to.bytes()) == 0;
    });
  }

  void operator()() {
    for (Move &move : moves)
      if (!move.staged.empty())
        std::memcpy(move.staged.data(), move.from.data, move.staged.size());
    for (Move &move : moves)
      if (move.from.data != move.to.data)
        std::memcpy(move.to.data, move.staged.empty() ? move.from.data : move.staged.data(),
                    move.to.bytes());
  }

private:
  struct Move {
    Slot from, to;
    std::vector<std::byte> staged; // empty if the source can be read late
  };
  bool isWrittenByOthers(const Move &move) const {
    return llvm::any_of(moves, [&](const Move &other) { return other.to.data == move.from.data; });
  }
  std::vector<Move> moves;
};

/// A block that runs and then hands its terminator's operands on.
struct Body {
  Body(Planner &planner, Block &block, ValueRange targets)
      : steps(planner.planBlock(block)),
        yield(planner, block.getTerminator()->getOperands().take_back(targets.size()), targets) {}
  void run(Execution &execution) {
    runAll(steps, execution);
    yield();
  }

  Steps steps;
  Transfer yield;
};

static void defineAll(Planner &planner, ValueRange values) {
  for (Value value : values)
    planner.define(value);
}

static void releaseAll(Planner &planner, ValueRange values) {
  for (Value value : values)
    planner.release(value);
}

static Step planIf(Planner &planner, scf::IfOp op) {
  Slot condition = planner.slotOf(op.getCondition());
  defineAll(planner, op.getResults());
  Body then(planner, *op.thenBlock(), op.getResults());
  std::optional<Body> otherwise;
  if (Block *block = op.elseBlock())
    otherwise.emplace(planner, *block, op.getResults());
  return [condition, then = std::move(then),
          otherwise = std::move(otherwise)](Execution &execution) mutable {
    if (*condition.as<uint8_t>())
      then.run(execution);
    else if (otherwise)
      otherwise->run(execution);
  };
}

static int64_t signedValue(Slot slot) {
  return visitInteger(slot.kind, [=](auto element) {
    return element.signExtend(*slot.as<typename decltype(element)::Storage>());
  });
}

static uint64_t unsignedValue(Slot slot) {
  return visitInteger(slot.kind, [=](auto element) {
    return element.zeroExtend(*slot.as<typename decltype(element)::Storage>());
  });
}

static void setInteger(Slot slot, uint64_t value) {
  visitInteger(slot.kind, [=](auto element) {
    *slot.as<typename decltype(element)::Storage>() = element.wrap(value);
  });
}

using Wide = __int128;

/// How often a loop runs: known before it starts, so that an induction variable that wraps past the
/// bound cannot keep it going. Never, if the step does not lead upwards.
static uint64_t tripCount(Slot lower, Slot upper, Wide stride, bool isUnsigned) {
  Wide distance = isUnsigned ? Wide(unsignedValue(upper)) - Wide(unsignedValue(lower))
                             : Wide(signedValue(upper)) - Wide(signedValue(lower));
  return distance <= 0 || stride <= 0 ? 0 : uint64_t((distance + stride - 1) / stride);
}

/// What is kept beside an induction variable: what is beside the bound that it begins with, or if
/// that is nothing, beside the step.
class InductionShadow {
public:
  InductionShadow(const Planner &planner, scf::ForOp op)
      : shadow(planner.shadowOf(op.getInductionVar())),
        sources{planner.shadowOf(op.getLowerBound()), planner.shadowOf(op.getStep())} {}

  void operator()() const {
    if (!shadow.data)
      return;
    std::memset(shadow.data, 0, shadow.bytes());
    for (const Slot &source : llvm::reverse(sources))
      if (source.data && llvm::any_of(std::span(source.data, source.bytes()),
                                      [](std::byte byte) { return byte != std::byte(); }))
        std::memcpy(shadow.data, source.data, shadow.bytes());
  }

private:
  Slot shadow;
  std::array<Slot, 2> sources;
};

static void leaveIfInterrupted(const Execution &execution) {
  if (execution.interruption && execution.interruption->isRequested())
    throw LaunchEnds();
}

static Step planFor(Planner &planner, scf::ForOp op) {
  Slot lower = planner.slotOf(op.getLowerBound()), upper = planner.slotOf(op.getUpperBound());
  Slot step = planner.slotOf(op.getStep());
  defineAll(planner, op.getResults());
  Slot induction = planner.define(op.getInductionVar());
  InductionShadow beside(planner, op);
  // The values carried round live where the results will be.
  for (auto [argument, result] : llvm::zip_equal(op.getRegionIterArgs(), op.getResults()))
    planner.alias(argument, result);
  Transfer enter(planner, op.getInitArgs(), op.getResults());
  Body body(planner, *op.getBody(), op.getResults());
  planner.release(op.getInductionVar());
  return [=, isUnsigned = op.getUnsignedCmp(), location = op.getLoc(), enter = std::move(enter),
          body = std::move(body)](Execution &execution) mutable {
    enter();
    beside();
    Wide stride = isUnsigned ? Wide(unsignedValue(step)) : Wide(signedValue(step));
    if (stride <= 0)
      execution.observer.stepNotPositive(location, execution.program, int64_t(stride));
    uint64_t value = unsignedValue(lower), left = tripCount(lower, upper, stride, isUnsigned);
    for (; left; --left, value += uint64_t(stride)) {
      setInteger(induction, value);
      body.run(execution);
      leaveIfInterrupted(execution);
    }
  };
}

static Step planWhile(Planner &planner, scf::WhileOp op) {
  defineAll(planner, op.getResults());
  defineAll(planner, op.getBeforeArguments());
  // What the condition passes on is the results if the loop ends, and the body's arguments if not.
  for (auto [argument, result] : llvm::zip_equal(op.getAfterArguments(), op.getResults()))
    planner.alias(argument, result);
  Transfer enter(planner, op.getInits(), op.getBeforeArguments());
  Body before(planner, *op.getBeforeBody(), op.getResults());
  Slot condition = planner.slotOf(op.getConditionOp().getCondition());
  Body after(planner, *op.getAfterBody(), op.getBeforeArguments());
  releaseAll(planner, op.getBeforeArguments());
  return [condition, location = op.getLoc(), enter = std::move(enter), before = std::move(before),
          after = std::move(after)](Execution &execution) mutable {
    enter();
    Round others = std::exchange(execution.round, {}); // those before, and what is outside
    for (before.run(execution); *condition.as<uint8_t>(); before.run(execution)) {
      runAll(after.steps, execution);
      const Round &round = execution.round;
      bool isSame = after.yield.changesNothing();
      if (isSame && !round.hasRead && !round.hasSynchronized) {
        execution.observer.loopNeverEnds(location, execution.program);
        throw ProgramEnds();
      }
      bool mayWait = execution.schedule && round.mayWait();
      bool standsStill = isSame && !round.hasChanged && !round.hasWritten;
      after.yield();
      others.add(round);
      if (mayWait)
        execution.schedule->waited(location, standsStill);
      execution.round = {};
      leaveIfInterrupted(execution);
    }
    execution.round.add(others);
  };
}

void addControlFlowOperations(OperationTable &table) {
  table.add<scf::IfOp>(planIf);
  table.add<scf::ForOp>(planFor);
  table.add<scf::WhileOp>(planWhile);
}

} // namespace nereid::interpret
