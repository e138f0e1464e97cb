// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/control/Carried.h"

#include "frontend/emit/Advice.h"
#include "frontend/emit/threads/Complex.h"
#include "frontend/emit/threads/Operators.h"

namespace nereid::emit {

using sema::ConstantValue;

Value placeholder(Emitter &emitter, const Value &like, SourceRange range) {
  std::vector<Tensor> parts;
  flatten(like, parts);
  std::vector<mlir::Value> zeros;
  for (const Tensor &part : parts) {
    sema::ScalarType type = part.type.scalar;
    Tensor zero = part.isPointer()
                      ? emitter.cast(emitter.integer(0, DType::Int64, range), type, range)
                      : emitter.constant(ConstantValue(sema::Integer(0)), type, range);
    zeros.push_back(emitter.splat(zero, part.shape(), range).value);
  }
  const mlir::Value *next = zeros.data();
  return rebuild(like, next);
}

Value unpinned(const Value &value) {
  Value result = value;
  if (auto *block = result.as<BlockPointer>())
    block->isPinned = false;
  if (auto *tuple = result.as<Tuple>())
    for (Value &element : tuple->elements)
      element = unpinned(element);
  return result;
}

Value Emitter::runtimeForm(const Value &value, SourceRange range) {
  if (const auto *block = value.as<BlockPointer>()) {
    BlockPointer free = *block;
    free.isPinned = false;
    return free;
  }
  const auto *tuple = value.as<Tuple>();
  if (!tuple)
    return decay(value, range);
  Tuple result{{}, tuple->record};
  for (const Value &element : tuple->elements)
    result.elements.push_back(runtimeForm(element, range));
  return result;
}

std::vector<mlir::Type> Carried::types() const {
  std::vector<mlir::Type> types;
  for (mlir::Value part : parts)
    types.push_back(part.getType());
  return types;
}

std::set<std::string> namesChangedBy(const Emitter &emitter, const ast::StmtList &body) {
  return emitter.isOfThreads() ? reboundNames(body) : assignedNames(body);
}

Carried carriedBy(Emitter &emitter, const std::set<std::string> &assigned,
                  const ast::StmtList &body, SourceRange range) {
  Carried carried;
  for (const std::string &name : reassignedNames(body))
    if (emitter.frame->scope.values.contains(name))
      emitter.frame->scope.constexprs.erase(name);
  for (const std::string &name : assigned) {
    const Scope &scope = emitter.frame->scope;
    auto entry = scope.values.find(name);
    if (entry == scope.values.end() || scope.constexprs.contains(name))
      continue;
    carried.names.push_back(name);
    carried.initial.push_back(emitter.runtimeForm(entry->second, range));
    if (auto *block = carried.initial.back().as<BlockPointer>())
      block->isPinned = isOnlyAdvanced(name, body);
    std::vector<Tensor> parts;
    flatten(carried.initial.back(), parts);
    for (const Tensor &part : parts)
      carried.parts.push_back(part.value);
  }
  return carried;
}

void rebind(Emitter &emitter, const Carried &carried, mlir::ValueRange values) {
  llvm::SmallVector<mlir::Value> list(values);
  const mlir::Value *next = list.data();
  for (size_t i = 0; i < carried.names.size(); ++i) {
    emitter.frame->scope.define(carried.names[i], rebuild(carried.initial[i], next));
  }
}

Flow retryWider(Emitter &emitter, SourceRange range, llvm::function_ref<Flow()> makeLoop) {
  Scope before = emitter.frame->scope;
  for (;;) {
    try {
      return makeLoop();
    } catch (const Emitter::WidensVariable &widened) {
      emitter.frame->scope = before;
      auto known = before.values.find(widened.name);
      Value value = known != before.values.end() ? known->second : integerValue(0);
      emitter.frame->scope.define(
          widened.name,
          widened.isComplex
              ? threads::complexValue(threads::toComplex(emitter, value, widened.type, range))
              : Value(threads::castNumber(emitter, value, widened.type, range)));
      before = emitter.frame->scope;
    }
  }
}

static bool isSameForm(const Value &lhs, const Value &rhs) {
  if (const auto *tensor = lhs.as<Tensor>()) {
    const auto *other = rhs.as<Tensor>();
    return other && tensor->type == other->type;
  }
  if (const auto *tuple = lhs.as<Tuple>()) {
    const auto *other = rhs.as<Tuple>();
    return other && std::equal(tuple->elements.begin(), tuple->elements.end(),
                               other->elements.begin(), other->elements.end(), isSameForm);
  }
  if (const auto *block = lhs.as<BlockPointer>()) {
    const auto *other = rhs.as<BlockPointer>();
    return other && block->block == other->block && block->base.type == other->base.type &&
           (!block->isPinned || isSameArray(*block, *other));
  }
  if (const auto *descriptor = lhs.as<TensorDescriptor>()) {
    const auto *other = rhs.as<TensorDescriptor>();
    return other && isSameKind(*descriptor, *other);
  }
  if (const auto *array = lhs.as<ArrayView>()) {
    const auto *other = rhs.as<ArrayView>();
    return other && isSameKind(*array, *other);
  }
  return isSame(lhs, rhs);
}

std::vector<mlir::Value> finalParts(Emitter &emitter, const Carried &carried, SourceRange range) {
  std::vector<mlir::Value> result;
  for (size_t i = 0; i < carried.names.size(); ++i) {
    const std::string &name = carried.names[i];
    const Scope &scope = emitter.frame->scope;
    if (auto lost = scope.lost.find(name); lost != scope.lost.end() && lost->second.isMistake)
      emitter.failAsConsequence(range);
    auto entry = scope.values.find(name);
    NEREID_CHECK(entry != scope.values.end(), "a carried name was lost");
    Value value = emitter.runtimeForm(entry->second, range);
    bool isSame = isSameForm(carried.initial[i], value);
    if (auto part = !isSame && emitter.isOfThreads()
                        ? threads::commonPart(carried.initial[i], value)
                        : std::nullopt) {
      auto initial = threads::complexOf(carried.initial[i]);
      if (!initial || initial->part() != *part)
        throw Emitter::WidensVariable{name, *part, /*isComplex=*/true};
      value = threads::complexValue(threads::toComplex(emitter, value, *part, range));
      isSame = true;
    }
    if (auto pair = !isSame && emitter.isOfThreads()
                        ? threads::unify(emitter, carried.initial[i], value, range)
                        : std::nullopt) {
      if (pair->rhs.type != carried.initial[i].as<Tensor>()->type)
        throw Emitter::WidensVariable{name, pair->rhs.dtype()};
      value = pair->rhs;
      isSame = true;
    }
    if (!isSame)
      failWithNote(range, {{}, startAdvice(name, carried.initial[i], value)},
                   DiagnosticId::carried_type_changed, name, describe(carried.initial[i]),
                   describe(value));
    if (auto *block = value.as<BlockPointer>())
      block->isPinned = carried.initial[i].as<BlockPointer>()->isPinned;
    std::vector<Tensor> parts;
    flatten(value, parts);
    for (const Tensor &part : parts)
      result.push_back(part.value);
  }
  return result;
}

void leaveLoop(Emitter &emitter, Scope before, const Carried &carried,
               const std::set<std::string> &assigned, mlir::ValueRange results, SourceRange range,
               const ast::Stmt &loop) {
  emitter.frame->scope = std::move(before);
  rebind(emitter, carried, results);
  auto isAssigned = [](const ast::Stmt *stmt, const std::string &name) {
    return assignedNames(*stmt).contains(name);
  };
  for (const std::string &name : assigned) {
    if (llvm::is_contained(carried.names, name) || emitter.frame->scope.constexprs.contains(name))
      continue;
    bool isMistake = emitter.mistaken &&
                     llvm::any_of(*emitter.mistaken,
                                  [&](const ast::Stmt *stmt) { return isAssigned(stmt, name); });
    emitter.frame->scope.lose(
        name, {range, "a loop that runs no rounds does not assign it", isMistake, &loop});
  }
}

LoopBody::LoopBody(Emitter &emitter, const Carried &carried, SourceRange range)
    : emitter(emitter), names(carried.names.begin(), carried.names.end()),
      outer(std::exchange(emitter.frame->handedOn, &names)) {
  emitter.enterRegion(range);
}

LoopBody::~LoopBody() {
  --emitter.regionDepth;
  emitter.frame->handedOn = outer;
}

/// What is read behind the loop is carried from its start, though it has no value there.
static void carryNamesAfter(Emitter &emitter, const Carried &carried, const ast::Stmt &loop) {
  if (!emitter.namesAfterLoops)
    return;
  for (const std::string &name : (*emitter.namesAfterLoops)[&loop]) {
    auto value = emitter.frame->scope.values.find(name);
    if (llvm::is_contained(carried.names, name) || value == emitter.frame->scope.values.end())
      continue;
    if (isNumber(value->second) && !isPointer(value->second))
      throw Emitter::WidensVariable{name, emitter.toTensor(value->second, loop.range).dtype()};
  }
}

TurnEnd endOfTurn(Emitter &emitter, const Carried &carried, Flow flow, mlir::ValueRange begun,
                  SourceRange range, const ast::Stmt &loop) {
  flow = emitter.endTurn(flow, range);
  Scope &scope = emitter.frame->scope;
  carryNamesAfter(emitter, carried, loop);
  // Where every path returns, nobody reads what is carried, whatever became of it.
  if (flow == Flow::Return)
    rebind(emitter, carried, begun);
  return {finalParts(emitter, carried, range), scope.exits, scope.result};
}

CarriedExits::CarriedExits(Emitter &emitter, const TurnEnd &end, bool mayStopOtherwise,
                           SourceRange range)
    : emitter(emitter), range(range) {
  auto bit = [&](const Value &flag) { return emitter.toTensor(flag, range).value; };
  returns = end.exits.contains(Flow::Return);
  if (returns)
    result = end.result; // nothing where all that leave raise
  hasOwnFlag = returns && (mayStopOtherwise || end.exits.contains(Flow::Break));
  final.push_back(bit(emitter.hasLeft({Flow::Return, Flow::Break}, range)));
  if (hasOwnFlag)
    final.push_back(bit(end.exits.at(Flow::Return)));
  if (!result)
    return;
  std::vector<Tensor> parts;
  flatten(*result, parts);
  for (const Tensor &part : parts)
    final.push_back(part.value);
}

std::vector<mlir::Value> CarriedExits::initial() const {
  mlir::Value no = emitter.constant(ConstantValue(false), {DType::Int1}, range).value;
  std::vector<mlir::Value> values(hasOwnFlag ? 2 : 1, no);
  if (!returns || !result)
    return values;
  std::vector<Tensor> parts;
  flatten(placeholder(emitter, *result, range), parts);
  for (const Tensor &part : parts)
    values.push_back(part.value);
  return values;
}

Flow CarriedExits::leave(mlir::ValueRange results) const {
  if (!returns)
    return Flow::Next;
  llvm::SmallVector<mlir::Value> values(results);
  const mlir::Value *next = values.data() + (hasOwnFlag ? 1 : 0);
  Scope &scope = emitter.frame->scope;
  scope.exits[Flow::Return] = Tensor{*next++, {{DType::Int1}, {}}};
  if (result)
    scope.result = rebuild(*result, next);
  return Flow::Open;
}

} // namespace nereid::emit
