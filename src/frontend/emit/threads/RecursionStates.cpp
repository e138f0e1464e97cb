// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/threads/RecursionStates.h"

#include "support/Check.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

namespace nereid::emit::threads {

using namespace mlir;

namespace {

bool holdsCall(Operation &op) {
  return op.walk([](func::CallOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// Cuts regions into states. Who is given a state gives the one in which the text goes on.
class StateCutter {
public:
  std::vector<State> states;

  unsigned add() {
    states.emplace_back();
    return static_cast<unsigned>(states.size() - 1);
  }

  unsigned follow(Block &block, unsigned at) {
    for (Operation &op : block) {
      if (op.hasTrait<OpTrait::IsTerminator>())
        break;
      if (auto call = llvm::dyn_cast<func::CallOp>(op)) {
        unsigned behind = add();
        states[at].end = State::End::Calls;
        llvm::append_range(states[at].handed, call.getOperands());
        states[at].next = behind;
        llvm::append_range(states[behind].received, call.getResults());
        at = behind;
      } else if (!holdsCall(op)) {
        states[at].ops.push_back(&op);
      } else if (auto branch = llvm::dyn_cast<scf::IfOp>(op)) {
        at = follow(branch, at);
      } else if (auto loop = llvm::dyn_cast<scf::WhileOp>(op)) {
        at = follow(loop, at);
      } else if (auto counted = llvm::dyn_cast<scf::ForOp>(op)) {
        at = follow(counted, at);
      } else {
        NEREID_UNREACHABLE("a call in an operation of which nobody knows how it goes on");
      }
    }
    return at;
  }

private:
  void move(unsigned at, ValueRange to, ValueRange from) {
    for (auto [target, source] : llvm::zip_equal(to, from))
      states[at].moves.emplace_back(target, source);
  }

  void branch(unsigned at, mlir::Value condition, unsigned next, unsigned otherwise) {
    states[at].end = State::End::Branches;
    states[at].condition = condition;
    states[at].next = next;
    states[at].otherwise = otherwise;
  }

  unsigned follow(scf::IfOp op, unsigned at) {
    unsigned arms[] = {add(), add()}, behind = add();
    branch(at, op.getCondition(), arms[0], arms[1]);
    for (unsigned arm = 0; arm < 2; ++arm) {
      unsigned end = arms[arm];
      Region &region = op->getRegion(arm);
      if (!region.empty()) {
        end = follow(region.front(), end);
        move(end, op.getResults(), region.front().getTerminator()->getOperands());
      }
      states[end].next = behind;
    }
    return behind;
  }

  unsigned follow(scf::WhileOp op, unsigned at) {
    unsigned test = add(), body = add(), behind = add();
    move(at, op.getBeforeArguments(), op.getInits());
    states[at].next = test;
    unsigned tested = follow(op.getBefore().front(), test);
    scf::ConditionOp condition = op.getConditionOp();
    move(tested, op.getAfterArguments(), condition.getArgs());
    move(tested, op.getResults(), condition.getArgs());
    branch(tested, condition.getCondition(), body, behind);
    unsigned end = follow(op.getAfter().front(), body);
    move(end, op.getBeforeArguments(), op.getYieldOp().getOperands());
    states[end].next = test;
    return behind;
  }

  unsigned follow(scf::ForOp op, unsigned at) {
    unsigned test = add(), body = add(), behind = add();
    // They stand before the loop to have an owner, and are copied to where they belong.
    OpBuilder builder(op);
    mlir::Value counter = op.getInductionVar();
    auto order = op.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
    auto goesOn = arith::CmpIOp::create(builder, op.getLoc(), order, counter, op.getUpperBound());
    auto following = arith::AddIOp::create(builder, op.getLoc(), counter, op.getStep());
    move(at, counter, op.getLowerBound());
    move(at, op.getRegionIterArgs(), op.getInitArgs());
    states[at].next = test;
    states[test].ops.push_back(goesOn);
    move(test, op.getResults(), op.getRegionIterArgs());
    branch(test, goesOn, body, behind);
    unsigned end = follow(*op.getBody(), body);
    states[end].ops.push_back(following);
    move(end, counter, following.getResult());
    move(end, op.getRegionIterArgs(), op.getBody()->getTerminator()->getOperands());
    states[end].next = test;
    return behind;
  }
};

/// The function's own region, where many values are made, has no operation around it.
bool isInside(mlir::Value value, Operation &op) {
  Operation *around = value.getParentRegion()->getParentOp();
  return around && op.isAncestor(around);
}

struct UsesAndDefinitions {
  llvm::SetVector<mlir::Value> uses; // before it defines them
  llvm::DenseSet<mlir::Value> definitions;
};

UsesAndDefinitions ofState(const State &state, const Region &region) {
  UsesAndDefinitions found;
  auto use = [&](mlir::Value value) {
    if (value && isKept(value, region) && !found.definitions.contains(value))
      found.uses.insert(value);
  };
  found.definitions.insert(state.received.begin(), state.received.end());
  for (Operation *op : state.ops) {
    op->walk([&](Operation *inner) {
      for (mlir::Value operand : inner->getOperands())
        if (!isInside(operand, *op))
          use(operand);
    });
    found.definitions.insert(op->result_begin(), op->result_end());
  }
  use(state.condition);
  llvm::for_each(state.handed, use);
  for (auto [to, from] : state.moves)
    use(from);
  for (auto [to, from] : state.moves)
    found.definitions.insert(to);
  return found;
}

void findLive(std::vector<State> &states, const Region &region) {
  std::vector<UsesAndDefinitions> all;
  for (const State &state : states)
    all.push_back(ofState(state, region));
  for (bool changes = true; changes;) {
    changes = false;
    for (size_t i = states.size(); i-- > 0;) {
      State &state = states[i];
      size_t before = state.live.size();
      state.live.insert(all[i].uses.begin(), all[i].uses.end());
      auto needs = [&](const State &next) {
        for (mlir::Value value : next.live)
          if (!all[i].definitions.contains(value))
            state.live.insert(value);
      };
      if (state.end != State::End::Returns)
        needs(states[state.next]);
      if (state.end == State::End::Branches)
        needs(states[state.otherwise]);
      changes |= state.live.size() != before;
    }
  }
}

} // namespace

bool isKept(mlir::Value value, const Region &region) {
  Operation *op = value.getDefiningOp();
  if (op && op->hasTrait<OpTrait::ConstantLike>())
    return false;
  return const_cast<Region &>(region).isAncestor(value.getParentRegion());
}

std::vector<State> statesOf(Region &region) {
  StateCutter cutter;
  unsigned last = cutter.follow(region.front(), cutter.add());
  Operation *end = region.front().getTerminator();
  NEREID_CHECK(llvm::isa<func::ReturnOp>(end), "the function does not return");
  State &state = cutter.states[last];
  state.end = State::End::Returns;
  llvm::append_range(state.handed, end->getOperands());
  findLive(cutter.states, region);
  return std::move(cutter.states);
}

} // namespace nereid::emit::threads
