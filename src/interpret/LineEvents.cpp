// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpret/LineEvents.h"

#include "dialect/tile/SourcePlace.h"
#include "dialect/tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::interpret {

/// Appends the places of the calls that led to a location, the outermost first, and its own.
static void appendPlaces(Location location, llvm::SmallVectorImpl<Location> &places) {
  if (auto named = dyn_cast<NameLoc>(location))
    return appendPlaces(named.getChildLoc(), places);
  if (auto call = dyn_cast<CallSiteLoc>(location)) {
    appendPlaces(call.getCaller(), places);
    return appendPlaces(call.getCallee(), places);
  }
  places.push_back(location);
}

static bool isSameLine(Location a, Location b) {
  auto first = dyn_cast<FileLineColRange>(a), second = dyn_cast<FileLineColRange>(b);
  return first && second && first.getFilename() == second.getFilename() &&
         first.getStartLine() == second.getStartLine();
}

/// Gives what a loop hands to each of its rounds to the names that it has there.
Step LineEvents::keepArguments(Planner &planner, Block &block) {
  std::vector<Step> steps;
  for (BlockArgument argument : block.getArguments())
    if (auto named = dyn_cast<NameLoc>(argument.getLoc()))
      steps.push_back(keepValue(planner, named.getName(), argument));
  return inOrder(std::move(steps));
}

Step LineEvents::before(Planner &planner, Operation &op) {
  bool isFirst = &op == &op.getBlock()->front() && !isa<func::FuncOp>(op.getParentOp());
  std::vector<Step> steps;
  steps.push_back(isFirst ? keepArguments(planner, *op.getBlock()) : Step());
  steps.push_back(reachLine(op));
  return inOrder(std::move(steps));
}

/// An operation that is where another line begins, or a call of functions that begin there.
Step LineEvents::reachLine(Operation &op) {
  // Constants stand wherever they were first needed; a loop's end is none of its lines.
  if (op.hasTrait<OpTrait::IsTerminator>() || op.hasTrait<OpTrait::ConstantLike>())
    return {};
  llvm::SmallVector<Location, 4> places;
  appendPlaces(op.getLoc(), places);
  size_t known = 0, both = std::min(places.size(), lastPlanned.size());
  while (known < both && isSameLine(places[known], lastPlanned[known]))
    ++known;
  lastPlanned = places;
  if (known == places.size())
    return {};
  llvm::SmallVector<Location, 4> news(llvm::drop_begin(places, known));
  return [this, news](Execution &execution) {
    for (Location location : news)
      reach(execution, location);
  };
}

/// The front end names what is assigned to a variable.
Step LineEvents::after(Planner &planner, Operation &op) {
  auto named = dyn_cast<NameLoc>(op.getLoc());
  // After a loop or a branch, the next line need not look like a new one.
  if (isa<scf::IfOp, scf::ForOp, scf::WhileOp>(op))
    lastPlanned.clear();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return keepAfterLoop(planner, loop.getRegionIterArgs(), loop.getResults());
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return keepAfterLoop(planner, loop.getAfterArguments(), loop.getResults());
  if (isa<scf::IfOp>(op) && named)
    return keepResults(planner, op, named.getName().strref());
  if (!named || op.getNumResults() == 0)
    return {};
  return keepValue(planner, named.getName(), op.getResult(0));
}

/// What the rounds of a loop handed on has the names that they gave it.
Step LineEvents::keepAfterLoop(Planner &planner, llvm::ArrayRef<BlockArgument> arguments,
                               ValueRange results) {
  std::vector<Step> steps;
  for (auto [argument, result] : llvm::zip_equal(arguments, results))
    if (auto named = dyn_cast<NameLoc>(argument.getLoc()))
      steps.push_back(keepValue(planner, named.getName(), result));
  return inOrder(std::move(steps));
}

Step LineEvents::keepValue(Planner &planner, llvm::StringRef name, Value value) {
  return [this, name = name.str(), type = value.getType(), slot = planner.slotOf(value)](
             Execution &execution) { keep(execution, name, type, slot); };
}

/// What a branch leaves has names too, with commas between; empty ones are nobody's.
Step LineEvents::keepResults(Planner &planner, Operation &op, llvm::StringRef names) {
  llvm::SmallVector<llvm::StringRef> parts;
  names.split(parts, ',');
  std::vector<Step> steps;
  for (auto [name, result] : llvm::zip(parts, op.getResults()))
    if (!name.empty())
      steps.push_back(keepValue(planner, name, result));
  return inOrder(std::move(steps));
}

void LineEvents::keep(const Execution &execution, const std::string &name, Type type, Slot slot) {
  if (program != execution.program) { // another one has its turn
    program = execution.program;
    variables.clear();
  }
  Variable &variable = variables[name];
  variable.type = type;
  variable.elements.assign(slot.data, slot.data + slot.bytes());
  if (slot.kind == ElementKind::Pointer)
    for (int64_t i = 0; i < slot.capacity; ++i)
      reinterpret_cast<uint64_t *>(variable.elements.data())[i] =
          execution.memory.toAddress(slot.as<uint64_t>()[i]);
}

void LineEvents::begin(Planner &planner, func::FuncOp kernel) {
  for (BlockArgument argument : kernel.getArguments())
    if (auto name = kernel.getArgAttrOfType<StringAttr>(argument.getArgNumber(), tile::nameAttr))
      parameters.push_back({name.str(), argument.getType(), planner.slotOf(argument)});
}

void LineEvents::reach(const Execution &execution, Location location) {
  for (const Parameter &parameter : parameters)
    if (program != execution.program || !variables.contains(parameter.name))
      keep(execution, parameter.name, parameter.type, parameter.slot);
  llvm::SmallVector<VariableView> views;
  for (const auto &[name, variable] : variables)
    views.push_back({name, variable.type, variable.elements});
  listener.reaches(location, execution.program, views);
}

} // namespace nereid::interpret
