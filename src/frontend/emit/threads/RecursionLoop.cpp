// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop whose rounds run the states of a function, and a stack of what waiting calls need.
#include "frontend/emit/threads/Recursion.h"
#include "frontend/emit/threads/RecursionStates.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace nereid::emit::threads {

using namespace mlir;

namespace {

/// On memory that is there once, however many calls wait: stacks of calls that begin and end in
/// one.
constexpr llvm::StringLiteral ofAllCalls = "of_all_calls";

/// What rounds carry: the state that is next, how many calls wait, results, then variables.
class Machine {
public:
  Machine(Emitter &emitter, Region &region, SourceRange range)
      : emitter(emitter), builder(emitter.builder), location(emitter.locate(range)), range(range),
        region(region), states(statesOf(withArraysFirst(region))), finished(states.size()) {
    resultTypes = llvm::to_vector(region.front().getTerminator()->getOperandTypes());
    for (const State &state : states)
      variables.insert(state.live.begin(), state.live.end());
    for (const State &state : states)
      if (state.end == State::End::Calls)
        saved.insert(states[state.next].live.begin(), states[state.next].live.end());
  }

  std::vector<mlir::Value> run(ValueRange arguments);

private:
  static Region &withArraysFirst(Region &region) {
    llvm::SmallVector<tile::LocalOp> arrays;
    region.walk([&](tile::LocalOp array) { arrays.push_back(array); });
    for (tile::LocalOp array : arrays)
      if (array.getOperation() != &region.front().front())
        array->moveBefore(&region.front().front());
    return region;
  }

  /// Of a thread. A GPU keeps as much for each thread that it can hold: 17 GB on an H200.
  static constexpr int64_t mostBytesOfArrays = int64_t(64) << 10;
  static constexpr size_t nextState = 0, waiting = 1, firstResult = 2;

  size_t placeOf(mlir::Value variable) const {
    return firstResult + resultTypes.size() +
           static_cast<size_t>(llvm::find(variables, variable) - variables.begin());
  }
  mlir::Value number(int64_t value) { return emitter.integer(value, DType::Int64, range).value; }
  mlir::Value zero(Type type) {
    if (llvm::isa<tile::PointerType>(type))
      return tile::IntToPointerOp::create(builder, location, type, number(0));
    return arith::ConstantOp::create(builder, location, type, builder.getZeroAttr(type));
  }
  /// Of what memory has no elements, a number that stands for it.
  Type keptType(Type type) {
    if (llvm::isa<tile::PointerType>(type))
      return builder.getI64Type();
    return type.isInteger(1) ? builder.getI8Type() : type;
  }
  mlir::Value toKept(mlir::Value value) {
    Type type = keptType(value.getType());
    if (llvm::isa<tile::PointerType>(value.getType()))
      return tile::PointerToIntOp::create(builder, location, type, value);
    if (type != value.getType())
      return arith::ExtUIOp::create(builder, location, type, value);
    return value;
  }
  mlir::Value fromKept(mlir::Value kept, Type type) {
    if (llvm::isa<tile::PointerType>(type))
      return tile::IntToPointerOp::create(builder, location, type, kept);
    if (type != kept.getType())
      return arith::TruncIOp::create(builder, location, type, kept);
    return kept;
  }

  void makeStack();
  void makeArrays();
  mlir::Value arrayOf(tile::LocalOp array, const std::vector<mlir::Value> &carried);
  mlir::Value memoryOfAllCalls(Type pointer, int64_t count) {
    auto memory = tile::LocalOp::create(builder, location, pointer, static_cast<uint64_t>(count));
    memory->setAttr(ofAllCalls, builder.getUnitAttr());
    return memory;
  }
  mlir::Value place(mlir::Value memory, mlir::Value depth) {
    return tile::OffsetOp::create(builder, location, memory.getType(), memory, depth);
  }
  void push(const std::vector<mlir::Value> &carried, mlir::Value fits, mlir::Value behind);
  void call(const State &state, const IRMapping &known, std::vector<mlir::Value> &carried);
  void pop(std::vector<mlir::Value> &carried);
  std::vector<mlir::Value> atStart(ValueRange arguments);
  std::vector<mlir::Value> runState(const State &state, const std::vector<mlir::Value> &carried);
  void copyOperations(const State &state, const std::vector<mlir::Value> &carried,
                      IRMapping &known);
  void end(const State &state, const IRMapping &known, std::vector<mlir::Value> &carried);

  Emitter &emitter;
  OpBuilder &builder;
  Location location;
  SourceRange range;
  Region &region;
  std::vector<State> states;
  int64_t finished; // the number of no state
  llvm::SmallVector<Type> resultTypes;
  llvm::SetVector<mlir::Value> variables, saved;
  mlir::Value stateStack;
  llvm::SmallVector<mlir::Value> stacks;           // of `saved`
  llvm::DenseMap<Operation *, mlir::Value> arrays; // each with room for all calls
};

void Machine::makeStack() {
  auto memory = [&](Type element) -> mlir::Value {
    return memoryOfAllCalls(tile::PointerType::get(element), deepestRecursion);
  };
  stateStack = memory(builder.getI64Type());
  for (mlir::Value value : saved)
    stacks.push_back(memory(keptType(value.getType())));
}

/// Arrays of the function: each call has its own, also the one that no further may follow.
void Machine::makeArrays() {
  int64_t bytes = 0;
  region.walk([&](tile::LocalOp array) {
    if (array->hasAttr(ofAllCalls))
      return;
    int64_t count = static_cast<int64_t>(array.getCount()) * (deepestRecursion + 1);
    unsigned bits = tile::pointeeOf(array.getType()).getIntOrFloatBitWidth();
    bytes += count * ((bits + 7) / 8);
    if (bytes > mostBytesOfArrays)
      fail(range, DiagnosticId::unsupported_control_flow,
           "more than " + std::to_string(mostBytesOfArrays / (deepestRecursion + 1)) +
               " bytes of arrays in a function that calls itself, of which each of " +
               std::to_string(deepestRecursion + 1) + " calls has its own,");
    arrays[array] = memoryOfAllCalls(array.getType(), count);
  });
}

/// The array of the call that is under way.
mlir::Value Machine::arrayOf(tile::LocalOp array, const std::vector<mlir::Value> &carried) {
  mlir::Value count = number(static_cast<int64_t>(array.getCount()));
  return place(arrays.lookup(array),
               arith::MulIOp::create(builder, location, carried[waiting], count));
}

void Machine::push(const std::vector<mlir::Value> &carried, mlir::Value fits, mlir::Value behind) {
  mlir::Value depth = carried[waiting];
  auto branch = scf::IfOp::create(builder, location, fits, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(branch.getThenRegion().front().getTerminator());
  tile::StoreOp::create(builder, location, place(stateStack, depth), behind);
  for (auto [value, stack] : llvm::zip_equal(saved, stacks))
    tile::StoreOp::create(builder, location, place(stack, depth), toKept(carried[placeOf(value)]));
}

/// One for which the stack has no room does nothing and gives zero, where nobody looks.
void Machine::call(const State &state, const IRMapping &known, std::vector<mlir::Value> &carried) {
  mlir::Value depth = carried[waiting], begins = number(0), behind = number(state.next);
  mlir::Value fits = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::slt, depth,
                                           number(deepestRecursion));
  tile::AssertOp::create(builder, location, fits,
                         "a function calls itself more than " + std::to_string(deepestRecursion) +
                             " times deep");
  push(carried, fits, behind);
  auto choose = [&](size_t place, mlir::Value now, mlir::Value otherwise) {
    carried[place] = arith::SelectOp::create(builder, location, fits, now, otherwise);
  };
  for (auto [parameter, value] : llvm::zip_equal(region.getArguments(), state.handed))
    if (variables.contains(parameter)) {
      size_t place = placeOf(parameter);
      choose(place, known.lookupOrDefault(value), carried[place]);
    }
  for (size_t i = 0; i < resultTypes.size(); ++i)
    choose(firstResult + i, carried[firstResult + i], zero(resultTypes[i]));
  choose(nextState, begins, behind);
  choose(waiting, arith::AddIOp::create(builder, location, depth, number(1)), depth);
}

/// Goes on where the latest call waits; where none does, the function is over.
void Machine::pop(std::vector<mlir::Value> &carried) {
  std::vector<size_t> places{nextState, waiting};
  for (mlir::Value value : saved)
    places.push_back(placeOf(value));
  std::vector<Type> types;
  for (size_t place : places)
    types.push_back(carried[place].getType());
  mlir::Value waits = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::sgt,
                                            carried[waiting], number(0));
  auto branch = scf::IfOp::create(builder, location, types, waits, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&branch.getThenRegion().front());
  mlir::Value depth = arith::SubIOp::create(builder, location, carried[waiting], number(1));
  auto load = [&](mlir::Value stack) -> mlir::Value {
    mlir::Value from = place(stack, depth);
    return tile::LoadOp::create(builder, location, from);
  };
  std::vector<mlir::Value> restored{load(stateStack), depth};
  for (auto [value, stack] : llvm::zip_equal(saved, stacks))
    restored.push_back(fromKept(load(stack), value.getType()));
  scf::YieldOp::create(builder, location, restored);
  builder.setInsertionPointToStart(&branch.getElseRegion().front());
  std::vector<mlir::Value> kept{number(finished), carried[waiting]};
  for (mlir::Value value : saved)
    kept.push_back(carried[placeOf(value)]);
  scf::YieldOp::create(builder, location, kept);
  for (auto [place, result] : llvm::zip_equal(places, branch.getResults()))
    carried[place] = result;
}

std::vector<mlir::Value> Machine::atStart(ValueRange arguments) {
  std::vector<mlir::Value> carried{number(0), number(0)};
  for (Type type : resultTypes)
    carried.push_back(zero(type));
  for (mlir::Value variable : variables) {
    auto argument = llvm::find(region.getArguments(), variable);
    carried.push_back(argument == region.getArguments().end()
                          ? zero(variable.getType())
                          : arguments[llvm::cast<BlockArgument>(variable).getArgNumber()]);
  }
  return carried;
}

void Machine::copyOperations(const State &state, const std::vector<mlir::Value> &carried,
                             IRMapping &known) {
  auto bringConstants = [&](Operation *user) {
    for (mlir::Value operand : user->getOperands())
      if (!known.contains(operand) && region.isAncestor(operand.getParentRegion()))
        if (Operation *made = operand.getDefiningOp();
            made && made->hasTrait<OpTrait::ConstantLike>())
          builder.clone(*made, known);
  };
  for (Operation *op : state.ops) {
    op->walk([&](Operation *inner) {
      if (!inner->hasTrait<OpTrait::ConstantLike>())
        bringConstants(inner);
    });
    if (arrays.contains(op))
      known.map(op->getResult(0), arrayOf(llvm::cast<tile::LocalOp>(op), carried));
    else
      builder.clone(*op, known);
  }
  auto bring = [&](mlir::Value value) {
    Operation *made = value ? value.getDefiningOp() : nullptr;
    if (made && made->hasTrait<OpTrait::ConstantLike>() && !known.contains(value) &&
        region.isAncestor(value.getParentRegion()))
      builder.clone(*made, known);
  };
  bring(state.condition);
  llvm::for_each(state.handed, bring);
  for (auto [to, from] : state.moves)
    bring(from);
}

void Machine::end(const State &state, const IRMapping &known, std::vector<mlir::Value> &carried) {
  auto keep = [&](mlir::Value variable, mlir::Value value) {
    if (variables.contains(variable))
      carried[placeOf(variable)] = value;
  };
  for (mlir::Value variable : variables)
    if (mlir::Value value = known.lookupOrNull(variable))
      keep(variable, value);
  for (auto [to, from] : state.moves)
    keep(to, known.lookupOrDefault(from));
  switch (state.end) {
  case State::End::Goes:
    carried[nextState] = number(state.next);
    return;
  case State::End::Branches:
    carried[nextState] =
        arith::SelectOp::create(builder, location, known.lookupOrDefault(state.condition),
                                number(state.next), number(state.otherwise));
    return;
  case State::End::Calls:
    return call(state, known, carried);
  case State::End::Returns:
    for (auto [i, value] : llvm::enumerate(state.handed))
      carried[firstResult + i] = known.lookupOrDefault(value);
    return pop(carried);
  }
}

std::vector<mlir::Value> Machine::runState(const State &state,
                                           const std::vector<mlir::Value> &carried) {
  IRMapping known;
  for (mlir::Value variable : variables)
    known.map(variable, carried[placeOf(variable)]);
  for (auto [i, value] : llvm::enumerate(state.received))
    known.map(value, carried[firstResult + i]);
  copyOperations(state, carried, known);
  std::vector<mlir::Value> after = carried;
  end(state, known, after);
  return after;
}

std::vector<mlir::Value> Machine::run(ValueRange arguments) {
  makeStack();
  makeArrays();
  std::vector<mlir::Value> first = atStart(arguments);
  llvm::SmallVector<Type> types(ValueRange(first).getTypes());
  llvm::SmallVector<Location> locations(types.size(), location);
  auto loop = scf::WhileOp::create(builder, location, types, first);
  OpBuilder::InsertionGuard guard(builder);
  Block *test = builder.createBlock(&loop.getBefore(), {}, types, locations);
  mlir::Value goesOn = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ne,
                                             test->getArgument(nextState), number(finished));
  scf::ConditionOp::create(builder, location, goesOn, test->getArguments());
  Block *round = builder.createBlock(&loop.getAfter(), {}, types, locations);
  std::vector<mlir::Value> carried(round->args_begin(), round->args_end());
  for (auto [i, state] : llvm::enumerate(states)) {
    mlir::Value isNext = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq,
                                               carried[nextState], number(static_cast<int64_t>(i)));
    auto branch = scf::IfOp::create(builder, location, types, isNext, /*withElse=*/true);
    OpBuilder::InsertionGuard inside(builder);
    builder.setInsertionPointToStart(&branch.getThenRegion().front());
    scf::YieldOp::create(builder, location, runState(state, carried));
    builder.setInsertionPointToStart(&branch.getElseRegion().front());
    scf::YieldOp::create(builder, location, carried);
    carried.assign(branch.result_begin(), branch.result_end());
  }
  scf::YieldOp::create(builder, location, carried);
  auto results = loop.getResults().slice(firstResult, resultTypes.size());
  return {results.begin(), results.end()};
}

} // namespace

std::vector<mlir::Value> loopOverCalls(Emitter &emitter, Region &region, ValueRange arguments,
                                       SourceRange range) {
  return Machine(emitter, region, range).run(arguments);
}

} // namespace nereid::emit::threads
