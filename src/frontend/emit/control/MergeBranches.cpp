// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the arms of a run-time branch meet: an scf.if that gives what they leave behind.
#include "frontend/emit/control/Carried.h"
#include "frontend/emit/threads/Complex.h"
#include "frontend/sema/ThreadTypes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringExtras.h"

namespace nereid::emit {

using sema::ConstantValue;

namespace {

/// What a function's result is called, which is no variable.
const std::string returned = "return";

using Branch = Emitter::Branch;

class BranchMerger {
public:
  BranchMerger(Emitter &emitter, mlir::Value condition, Branch &thenBranch, Branch &elseBranch,
               SourceRange range)
      : emitter(emitter), condition(condition), thenBranch(thenBranch), elseBranch(elseBranch),
        range(range) {}

  Flow merge(Scope &scope);

private:
  bool needs(const Branch &branch, const std::string &name) const;
  bool isMadeIn(const Branch &branch, const Value &value) const;
  bool unify(Value &lhs, Value &rhs);
  void widen(Value &lhs, Value &rhs);
  void carry(Value &place, const Value &like, const Value &thenValue, const Value &elseValue);
  void mergeValue(Value &place, const std::string &name, bool thenNeeds, bool elseNeeds,
                  const Value *thenValue, const Value *elseValue);
  void mergeName(const std::string &name, Scope &scope);
  void loseInnerNames(Scope &scope);
  void mergeExit(Flow way, Scope &scope);
  void mergeResult(Scope &scope);
  [[noreturn]] void failDiffering(const std::string &name, const Value &thenValue,
                                  const Value &elseValue) const;
  void makeIf();

  Emitter &emitter;
  mlir::Value condition;
  Branch &thenBranch, &elseBranch;
  SourceRange range;
  /// The results of the scf.if: what each branch yields, and which values they are part of.
  std::vector<Tensor> thenParts, elseParts;
  std::vector<Value *> carried;
};

/// Whether anything reads the name after the branch: what follows, on paths that come to it, or
/// what a break or continue leads to.
bool BranchMerger::needs(const Branch &branch, const std::string &name) const {
  if (goesOn(branch.flow))
    return true;
  const auto &exits = branch.scope.exits;
  bool handsOn = exits.contains(Flow::Break) || exits.contains(Flow::Continue);
  return handsOn && emitter.frame->handedOn->contains(name);
}

/// Region::isAncestor cannot tell while the regions outside stand nowhere yet.
bool isInside(mlir::Region *inner, const mlir::Region *outer) {
  while (inner && inner != outer)
    inner = inner->getParentOp() ? inner->getParentOp()->getParentRegion() : nullptr;
  return inner;
}

bool BranchMerger::isMadeIn(const Branch &branch, const Value &value) const {
  std::vector<Tensor> parts;
  flatten(unpinned(value), parts);
  return llvm::any_of(parts, [&](Tensor part) {
    return isInside(part.value.getParentRegion(), branch.region.get());
  });
}

bool BranchMerger::unify(Value &lhs, Value &rhs) {
  if (isSame(lhs, rhs))
    return true;
  if (isNumber(lhs) && isNumber(rhs)) {
    mlir::OpBuilder::InsertionGuard guard(emitter.builder);
    for (auto [value, branch] : {std::pair(&lhs, &thenBranch), std::pair(&rhs, &elseBranch)}) {
      emitter.builder.setInsertionPointToEnd(&branch->region->back());
      *value = emitter.toTensor(*value, range);
    }
    if (emitter.isOfThreads())
      widen(lhs, rhs);
    return lhs.as<Tensor>()->type == rhs.as<Tensor>()->type;
  }
  if (auto part = emitter.isOfThreads() ? threads::commonPart(lhs, rhs) : std::nullopt) {
    mlir::OpBuilder::InsertionGuard guard(emitter.builder);
    for (auto [value, branch] : {std::pair(&lhs, &thenBranch), std::pair(&rhs, &elseBranch)}) {
      emitter.builder.setInsertionPointToEnd(&branch->region->back());
      *value = threads::complexValue(threads::toComplex(emitter, *value, *part, range));
    }
    return true;
  }
  if (auto *left = lhs.as<Tuple>(), *right = rhs.as<Tuple>(); left && right) {
    bool isEqual = left->elements.size() == right->elements.size();
    for (size_t i = 0; isEqual && i < left->elements.size(); ++i)
      isEqual = unify(left->elements[i], right->elements[i]);
    return isEqual;
  }
  if (auto *left = lhs.as<TensorDescriptor>(), *right = rhs.as<TensorDescriptor>(); left && right)
    return isSameKind(*left, *right);
  if (auto *left = lhs.as<ArrayView>(), *right = rhs.as<ArrayView>(); left && right) {
    left->isField = right->isField = left->isField || right->isField;
    return isSameKind(*left, *right);
  }
  auto *left = lhs.as<BlockPointer>(), *right = rhs.as<BlockPointer>();
  if (!left || !right || left->block != right->block || left->base.type != right->base.type)
    return false;
  left->isPinned = right->isPinned = isSameArray(*left, *right);
  return true;
}

/// In kernels of threads a variable has one type, which is right for both.
void BranchMerger::widen(Value &lhs, Value &rhs) {
  if (isPointer(lhs) || isPointer(rhs))
    return;
  DType type = sema::unifyThreadTypes(lhs.as<Tensor>()->dtype(), rhs.as<Tensor>()->dtype());
  for (auto [value, branch] : {std::pair(&lhs, &thenBranch), std::pair(&rhs, &elseBranch)}) {
    emitter.builder.setInsertionPointToEnd(&branch->region->back());
    *value = emitter.cast(*value->as<Tensor>(), {type}, range);
  }
}

void BranchMerger::carry(Value &place, const Value &like, const Value &thenValue,
                         const Value &elseValue) {
  flatten(thenValue, thenParts);
  flatten(elseValue, elseParts);
  place = like;
  carried.push_back(&place);
}

/// Of results, at the later `return`.
void BranchMerger::failDiffering(const std::string &name, const Value &thenValue,
                                 const Value &elseValue) const {
  Diagnostic diagnostic = diagnose(range, DiagnosticId::branch_types_differ, name,
                                   describe(thenValue), describe(elseValue));
  if (name == returned) {
    SourceRange first = thenBranch.scope.resultRange, second = elseBranch.scope.resultRange;
    if (second.begin < first.begin)
      std::swap(first, second);
    diagnostic.range = second;
    diagnostic.notes.push_back({first, "the other result is given here"});
  }
  throw SourceError(std::move(diagnostic));
}

/// The values are those of a name that each branch that needs it has.
void BranchMerger::mergeValue(Value &place, const std::string &name, bool thenNeeds, bool elseNeeds,
                              const Value *thenValue, const Value *elseValue) {
  if (thenNeeds && elseNeeds) {
    Value lhs = *thenValue, rhs = *elseValue;
    if (isSame(lhs, rhs))
      place = lhs;
    else if (unify(lhs, rhs))
      carry(place, lhs, lhs, rhs);
    else
      failDiffering(name, *thenValue, *elseValue);
    return;
  }
  Branch &needy = thenNeeds ? thenBranch : elseBranch, &other = thenNeeds ? elseBranch : thenBranch;
  Value known = unpinned(thenNeeds ? *thenValue : *elseValue);
  if (!isMadeIn(needy, known)) {
    place = known;
    return;
  }
  mlir::OpBuilder::InsertionGuard guard(emitter.builder);
  emitter.builder.setInsertionPointToEnd(&other.region->back());
  Value filler = placeholder(emitter, known, range);
  carry(place, known, thenNeeds ? known : filler, thenNeeds ? filler : known);
}

static const Value *find(const Branch &branch, const std::string &name) {
  auto entry = branch.scope.values.find(name);
  return entry == branch.scope.values.end() ? nullptr : &entry->second;
}

void BranchMerger::mergeName(const std::string &name, Scope &scope) {
  const Value *thenValue = find(thenBranch, name), *elseValue = find(elseBranch, name);
  bool thenNeeds = needs(thenBranch, name), elseNeeds = needs(elseBranch, name);
  bool isLostThen = thenNeeds && !thenValue, isLostElse = elseNeeds && !elseValue;
  // In kernels of threads a variable is there for the whole function, as Numba has it: with nothing
  // in particular where it was not assigned.
  if (emitter.isOfThreads() && isLostThen != isLostElse && (thenValue || elseValue)) {
    isLostThen = isLostElse = false;
    thenNeeds &= thenValue != nullptr;
    elseNeeds &= elseValue != nullptr;
  }
  if (isLostThen || isLostElse) {
    const auto &lost = (isLostThen ? thenBranch : elseBranch).scope.lost;
    auto earlier = lost.find(name);
    scope.lose(name, earlier != lost.end()      ? earlier->second
                     : isLostThen && isLostElse ? Scope::Loss{range}
                     : isLostThen
                         ? Scope::Loss{range, "it is assigned only where this does not hold"}
                         : Scope::Loss{range, "it is assigned only where this holds"});
  } else if (thenNeeds || elseNeeds) {
    Value &place = scope.values[name];
    scope.define(name, {});
    mergeValue(place, name, thenNeeds, elseNeeds, thenValue, elseValue);
  } else {
    scope.values.erase(name);
  }
}

/// Names that only the inside of a branch knew, so that what is said of them is more than that they
/// are unknown.
void BranchMerger::loseInnerNames(Scope &scope) {
  for (const Branch *branch : {&thenBranch, &elseBranch}) {
    for (const auto &[name, loss] : branch->scope.lost)
      if (!scope.values.contains(name))
        scope.lost.try_emplace(name, loss);
    for (const auto &[name, value] : branch->scope.lastTurns)
      if (!scope.values.contains(name) && !scope.lastTurns.contains(name))
        scope.lose(name, {range});
  }
}

void BranchMerger::mergeExit(Flow way, Scope &scope) {
  auto exitOf = [&](const Branch &branch) {
    auto exit = branch.scope.exits.find(way);
    return exit == branch.scope.exits.end() ? boolValue(false) : exit->second;
  };
  Value lhs = exitOf(thenBranch), rhs = exitOf(elseBranch);
  auto left = asConstant(lhs), right = asConstant(rhs);
  if (left && right && !sema::isTrue(*left) && !sema::isTrue(*right))
    return;
  Value &place = scope.exits[way];
  if (isSame(lhs, rhs)) {
    place = lhs;
  } else if (left && right) {
    Tensor bit{condition, {{DType::Int1}, {}}};
    place = sema::isTrue(*left) ? Value(bit) : emitter.logicalNot(bit, range);
  } else {
    unify(lhs, rhs);
    carry(place, lhs, lhs, rhs);
  }
}

void BranchMerger::mergeResult(Scope &scope) {
  // A branch that raised has left without a result.
  bool thenReturns = thenBranch.scope.result && thenBranch.scope.exits.contains(Flow::Return);
  bool elseReturns = elseBranch.scope.result && elseBranch.scope.exits.contains(Flow::Return);
  if (!thenReturns && !elseReturns)
    return;
  scope.result.emplace();
  scope.resultRange = (thenReturns ? thenBranch : elseBranch).scope.resultRange;
  if (emitter.frame->isResultUnknown)
    return;
  mergeValue(*scope.result, returned, thenReturns, elseReturns,
             thenReturns ? &*thenBranch.scope.result : nullptr,
             elseReturns ? &*elseBranch.scope.result : nullptr);
}

void BranchMerger::makeIf() {
  std::vector<mlir::Type> types;
  for (const Tensor &part : thenParts)
    types.push_back(part.value.getType());
  mlir::Location location = emitter.locate(range);
  auto ifOp = mlir::scf::IfOp::create(emitter.builder, location, types, condition,
                                      /*withElse=*/false);
  for (auto [region, branch, parts] :
       {std::tuple(&ifOp.getThenRegion(), &thenBranch, &thenParts),
        std::tuple(&ifOp.getElseRegion(), &elseBranch, &elseParts)}) {
    region->takeBody(*branch->region);
    mlir::OpBuilder::InsertionGuard guard(emitter.builder);
    emitter.builder.setInsertionPointToEnd(&region->back());
    std::vector<mlir::Value> yielded;
    for (const Tensor &part : *parts)
      yielded.push_back(part.value);
    mlir::scf::YieldOp::create(emitter.builder, location, yielded);
  }
  llvm::SmallVector<mlir::Value> results(ifOp.getResults());
  const mlir::Value *next = results.data();
  for (Value *place : carried)
    *place = rebuild(*place, next);
}

Flow BranchMerger::merge(Scope &scope) {
  std::set<std::string> names;
  for (const Scope *known : {&scope, &thenBranch.scope, &elseBranch.scope})
    for (const auto &[name, value] : known->values)
      names.insert(name);
  for (const std::string &name : names)
    mergeName(name, scope);
  loseInnerNames(scope);
  scope.exits.clear();
  for (Flow way : {Flow::Return, Flow::Break, Flow::Continue})
    mergeExit(way, scope);
  mergeResult(scope);
  makeIf();
  if (thenBranch.flow == elseBranch.flow)
    return thenBranch.flow;
  return goesOn(thenBranch.flow) || goesOn(elseBranch.flow) ? Flow::Open : Flow::Left;
}

} // namespace

Emitter::Branch Emitter::traceBranch(llvm::function_ref<Flow()> body) {
  Branch branch;
  branch.region = std::make_unique<mlir::Region>();
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(branch.region.get());
  Scope before = frame->scope;
  branch.flow = body();
  branch.scope = std::exchange(frame->scope, std::move(before));
  return branch;
}

Flow Emitter::mergeBranches(mlir::Value condition, Branch &thenBranch, Branch &elseBranch,
                            SourceRange range) {
  return BranchMerger(*this, condition, thenBranch, elseBranch, range).merge(frame->scope);
}

} // namespace nereid::emit
