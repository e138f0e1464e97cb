// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpret/events/LineEvents.h"

#include "dialect/tile/SourcePlace.h"
#include "dialect/tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <set>

using namespace mlir;

namespace nereid::interpret {

/// Appends the lines of the calls that led to a location, the outermost first, and its own.
void LineEvents::appendLines(Location location, llvm::SmallVectorImpl<Line> &lines) {
  auto inCall = dyn_cast<CallSiteLoc>(location);
  if (!inCall)
    return lines.push_back({location, nullptr});
  appendLines(inCall.getCaller(), lines);
  lines.push_back({inCall.getCallee(), inCall.getCaller()});
}

bool LineEvents::isSame(const Line &a, const Line &b) {
  auto first = dyn_cast<FileLineColRange>(a.place), second = dyn_cast<FileLineColRange>(b.place);
  return a.call == b.call && first && second && first.getFilename() == second.getFilename() &&
         first.getStartLine() == second.getStartLine();
}

/// An operation that is where another line begins, or a call of functions that begin there.
Step LineEvents::before(Planner &, Operation &op) {
  // Constants stand wherever they were first needed; a loop's end is none of its lines.
  if (op.hasTrait<OpTrait::IsTerminator>() || op.hasTrait<OpTrait::ConstantLike>())
    return {};
  llvm::SmallVector<Line, 4> lines;
  appendLines(op.getLoc(), lines);
  // Where a function's parameters stand it does not begin; what called it does.
  if (auto variable = dyn_cast<tile::VariableOp>(op); variable && !variable.getStatement())
    lines.pop_back();
  size_t known = 0, both = std::min(lines.size(), lastPlanned.size());
  while (known < both && isSame(lines[known], lastPlanned[known]))
    ++known;
  lastPlanned = lines;
  if (known == lines.size())
    return {};
  llvm::SmallVector<Line, 4> news(llvm::drop_begin(lines, known));
  return [this, news](Execution &execution) {
    for (const Line &line : news)
      reach(execution, line);
  };
}

Step LineEvents::after(Planner &planner, Operation &op) {
  // After a loop or a branch, the next line need not look like a new one.
  if (isa<scf::IfOp, scf::ForOp, scf::WhileOp>(op))
    lastPlanned.clear();
  auto variable = dyn_cast<tile::VariableOp>(op);
  if (!variable)
    return {};
  auto inCall = dyn_cast<CallSiteLoc>(op.getLoc());
  LocationAttr call = inCall ? LocationAttr(inCall.getCaller()) : nullptr;
  std::string name = variable.getName().str();
  if (Value value = variable.getValue())
    return [this, call, name, type = value.getType(),
            slot = planner.slotOf(value)](Execution &execution) {
      keep(execution, variablesOf(execution, call)[name], type, slot);
    };
  if (std::optional<llvm::StringRef> constant = variable.getConstant())
    return [this, call, name, text = constant->str()](Execution &execution) {
      variablesOf(execution, call)[name] = {nullptr, {}, text};
    };
  return [this, call, name](Execution &execution) { variablesOf(execution, call).erase(name); };
}

LineEvents::Variables &LineEvents::variablesOf(const Execution &execution, LocationAttr call) {
  if (program != execution.program) { // another one has its turn
    program = execution.program;
    calls.clear();
  }
  return calls[call.getAsOpaquePointer()];
}

void LineEvents::keep(const Execution &execution, Variable &variable, Type type, Slot slot) {
  variable.type = type;
  variable.constant.clear();
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

/// Calls that have ended leave nothing behind for the next one from the same place.
void LineEvents::forgetCallsBut(LocationAttr call) {
  std::set<const void *> open = {nullptr};
  while (call) {
    open.insert(call.getAsOpaquePointer());
    auto inCall = dyn_cast<CallSiteLoc>(call);
    call = inCall ? LocationAttr(inCall.getCaller()) : nullptr;
  }
  std::erase_if(calls, [&](const auto &entry) { return !open.contains(entry.first); });
}

void LineEvents::reach(const Execution &execution, const Line &line) {
  Variables &outermost = variablesOf(execution, nullptr);
  for (const Parameter &parameter : parameters)
    if (auto [entry, isNew] = outermost.try_emplace(parameter.name); isNew)
      keep(execution, entry->second, parameter.type, parameter.slot);
  forgetCallsBut(line.call);
  llvm::SmallVector<VariableView> views;
  for (const auto &[name, variable] : variablesOf(execution, line.call))
    views.push_back({name, variable.type, variable.elements, variable.constant});
  listener.reaches(line.place, execution.program, views);
}

} // namespace nereid::interpret
