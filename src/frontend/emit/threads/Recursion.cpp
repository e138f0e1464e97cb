// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/threads/Recursion.h"

#include "frontend/emit/threads/Operators.h"
#include "frontend/sema/ThreadTypes.h"

namespace nereid::emit::threads {

using namespace mlir;

/// Of a function that is under way as a loop.
struct OpenRecursion {
  Recursion &known;
  std::vector<Value> parameters; // as the loop has them
};

namespace {

bool isPlainNumber(const Value &value) { return isNumber(value) && !isPointer(value); }

/// Whether both would be the same parameters of a loop: whatever the run may tell apart may differ.
bool couldBeOneParameter(const Value &lhs, const Value &rhs) {
  if (isPlainNumber(lhs) && isPlainNumber(rhs))
    return true;
  if (const auto *tensor = lhs.as<Tensor>())
    return rhs.is<Tensor>() && tensor->type == rhs.as<Tensor>()->type;
  if (const auto *tuple = lhs.as<Tuple>()) {
    const auto *other = rhs.as<Tuple>();
    return other && llvm::equal(tuple->elements, other->elements, couldBeOneParameter);
  }
  if (const auto *array = lhs.as<ArrayView>()) {
    const auto *other = rhs.as<ArrayView>();
    return other && isSameKind(*array, *other);
  }
  return isSame(lhs, rhs);
}

bool hasRuntimeValues(const Value &value) {
  std::vector<Tensor> parts;
  flatten(value, parts);
  return !parts.empty();
}

void addTypes(Emitter &emitter, const Value &value, SourceRange range, std::vector<DType> &types) {
  std::vector<Tensor> parts;
  flatten(emitter.runtimeForm(value, range), parts);
  for (const Tensor &part : parts)
    types.push_back(part.dtype());
}

std::pair<const ast::Function *, std::vector<DType>> versionOf(Emitter &emitter,
                                                               const Frame &call) {
  std::vector<DType> types;
  for (const Value &argument : call.given)
    addTypes(emitter, argument, call.callRange, types);
  return {call.function, types};
}

/// Numbers that are known and change from call to call may end a recursion while it is traced.
constexpr unsigned mostTracedCalls = 16;

/// Whether the run decides how often the function calls itself.
bool isDecidedByRun(const Frame &outer, const Frame &inner, unsigned depth) {
  if (!std::equal(outer.given.begin(), outer.given.end(), inner.given.begin(), inner.given.end(),
                  couldBeOneParameter) ||
      !llvm::any_of(inner.given, hasRuntimeValues))
    return false;
  auto isKept = [](const Value &before, const Value &now) {
    return !before.is<sema::ConstantValue>() || !now.is<sema::ConstantValue>() ||
           isSame(before, now);
  };
  return depth >= mostTracedCalls ||
         std::equal(outer.given.begin(), outer.given.end(), inner.given.begin(), isKept);
}

/// A value as the loop's parameter has it; one that does not fit makes the parameter wider.
Value fitting(Emitter &emitter, const OpenRecursion &open, size_t index, const Value &value,
              SourceRange range) {
  const Value &parameter = open.parameters[index];
  if (!isPlainNumber(parameter))
    return emitter.runtimeForm(value, range);
  DType has = parameter.as<Tensor>()->dtype(), given = emitter.toTensor(value, range).dtype();
  DType wide = sema::unifyThreadTypes(has, given);
  if (wide == has)
    return castNumber(emitter, value, has, range);
  open.known.parameters[index] = wide;
  throw FoundRecursion();
}

Value callAgain(Emitter &emitter, const Frame &under, const Frame &inner) {
  SourceRange range = inner.callRange;
  const OpenRecursion &open = *under.recursion;
  for (const Frame *between = inner.caller; between != &under; between = between->caller)
    if (between->recursion)
      failWithNote(range,
                   {between->callRange, "it is called from inside of this, which calls "
                                        "itself as well"},
                   DiagnosticId::unsupported_control_flow,
                   "a function that calls itself by way of another that does, too");
  std::vector<mlir::Value> operands;
  for (size_t i = 0; i < inner.given.size(); ++i) {
    if (!couldBeOneParameter(open.parameters[i], inner.given[i]))
      fail(range, DiagnosticId::carried_type_changed, under.function->parameters[i].name,
           describe(open.parameters[i]), describe(inner.given[i]));
    std::vector<Tensor> parts;
    flatten(fitting(emitter, open, i, inner.given[i], range), parts);
    for (const Tensor &part : parts)
      operands.push_back(part.value);
  }
  sema::ScalarType type{open.known.result};
  std::vector<mlir::Type> results;
  if (!open.known.givesNothing)
    results.push_back(emitter.irType(type));
  auto call = func::CallOp::create(emitter.builder, emitter.locate(range), under.function->name,
                                   results, operands);
  return results.empty() ? Value() : Value(Tensor{call.getResult(0), {type, {}}});
}

/// The end of the body; what it gives must be what the calls inside were taken to give.
void giveBack(Emitter &emitter, Recursion &known, const Value &result, const Frame &inner) {
  SourceRange range = inner.function->nameRange;
  std::vector<mlir::Value> given;
  if (result.isNone()) {
    if (!std::exchange(known.givesNothing, true))
      throw FoundRecursion();
  } else {
    if (known.givesNothing || !isPlainNumber(result))
      failWithNote(inner.scope.resultRange, {inner.callRange, "it is called here"},
                   DiagnosticId::unsupported_control_flow,
                   "a function that calls itself and gives " + describe(result) +
                       ": it gives one number, or nothing");
    DType has = emitter.toTensor(result, range).dtype();
    DType wide = sema::unifyThreadTypes(known.result, has);
    if (std::exchange(known.result, wide) != wide)
      throw FoundRecursion();
    given.push_back(castNumber(emitter, result, wide, range).value);
  }
  func::ReturnOp::create(emitter.builder, emitter.locate(range), given);
}

/// Defines the parameters as arguments of the region, and gives what they are at first.
std::vector<mlir::Value> enter(Emitter &emitter, OpenRecursion &open, Frame &inner,
                               mlir::Region &region) {
  SourceRange range = inner.callRange;
  std::vector<Value> first;
  std::vector<mlir::Value> arguments;
  for (size_t i = 0; i < inner.given.size(); ++i) {
    Value value = emitter.runtimeForm(inner.given[i], range);
    if (open.known.parameters[i])
      value = castNumber(emitter, value, *open.known.parameters[i], range);
    std::vector<Tensor> parts;
    flatten(value, parts);
    for (const Tensor &part : parts)
      arguments.push_back(part.value);
    first.push_back(std::move(value));
  }
  std::vector<mlir::Location> locations(arguments.size(), emitter.locate(range));
  Block *block =
      emitter.builder.createBlock(&region, {}, mlir::ValueRange(arguments).getTypes(), locations);
  llvm::SmallVector<mlir::Value> values(block->getArguments());
  const mlir::Value *next = values.data();
  for (size_t i = 0; i < first.size(); ++i) {
    open.parameters.push_back(rebuild(first[i], next));
    inner.scope.define(inner.function->parameters[i].name, open.parameters.back());
  }
  return arguments;
}

Value traceLoop(Emitter &emitter, Recursion &known, const ast::Function &function, Frame &inner) {
  known.parameters.resize(inner.given.size());
  OpenRecursion open{known, {}};
  mlir::Region region;
  std::vector<mlir::Value> arguments;
  {
    OpBuilder::InsertionGuard guard(emitter.builder);
    arguments = enter(emitter, open, inner, region);
    inner.recursion = &open;
    emitter.enterRegion(inner.callRange);
    Value result = emitter.traceBody(function, inner);
    --emitter.regionDepth;
    inner.recursion = nullptr;
    giveBack(emitter, known, result, inner);
  }
  for (Operation &op : region.front())
    if (llvm::isa<func::CallOp>(op))
      failWithNote(inner.callRange, {{}, "a path on which it does not call itself ends it"},
                   DiagnosticId::unsupported_control_flow, "recursion that never ends");
  std::vector<mlir::Value> results = loopOverCalls(emitter, region, arguments, inner.callRange);
  if (results.empty())
    return {};
  return Tensor{results[0], {sema::ScalarType{known.result}, {}}};
}

} // namespace

Value traceCall(Emitter &emitter, const ast::Function &function, Frame &inner) {
  if (!emitter.isOfThreads() || inner.isHost || inner.isLibrary || !emitter.recursions)
    return emitter.traceBody(function, inner);
  for (const ast::Parameter &parameter : function.parameters)
    inner.given.push_back(inner.scope.values[parameter.name]);
  unsigned depth = 0;
  const Frame *latest = nullptr;
  for (const Frame *outer = inner.caller; outer; outer = outer->caller) {
    if (outer->function != &function || outer->around != inner.around)
      continue;
    if (outer->recursion)
      return callAgain(emitter, *outer, inner);
    latest = latest ? latest : outer;
    ++depth;
  }
  auto version = versionOf(emitter, inner);
  if (auto known = emitter.recursions->find(version); known != emitter.recursions->end())
    return traceLoop(emitter, known->second, function, inner);
  if (latest && isDecidedByRun(*latest, inner, depth)) {
    emitter.recursions->emplace(versionOf(emitter, *latest), Recursion());
    throw FoundRecursion();
  }
  return emitter.traceBody(function, inner);
}

} // namespace nereid::emit::threads
