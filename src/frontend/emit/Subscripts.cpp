// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// object[index]: of tuples and os.environ here, of tiles in Elements.cpp.
#include "frontend/emit/Subscripts.h"

#include "frontend/emit/threads/Arrays.h"
#include "frontend/emit/threads/Functions.h"

#include "frontend/emit/Advice.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace nereid::emit {

using sema::ConstantValue;

static std::optional<int64_t>
boundOf(const Emitter &emitter, const std::shared_ptr<const Value> &bound, SourceRange range) {
  if (!bound || bound->isNone())
    return std::nullopt;
  auto constant = asConstant(*bound);
  auto integer = constant ? sema::asInteger(*constant) : std::nullopt;
  if (!integer) {
    Diagnostic mistake = diagnose(range, DiagnosticId::not_constexpr, "a slice bound");
    mistake.notes.push_back(
        {{},
         "the size of a tile is known when the kernel is compiled: a slice may begin anywhere if "
         "its length is a constant, as in tile[n:n + 4]; otherwise keep the whole tile and choose "
         "from it with tl.where or a mask"});
    failNotConstexpr(emitter, *bound, std::move(mistake));
  }
  constexpr sema::Integer farthest = 1 << 30; // beyond whatever is cut
  return static_cast<int64_t>(std::clamp(*integer, -farthest, farthest));
}

Span cut(const Emitter &emitter, const SliceValue &slice, int64_t size, SourceRange range) {
  int64_t step = boundOf(emitter, slice.step, range).value_or(1);
  if (step == 0)
    fail(range, DiagnosticId::cannot_index, "anything with step 0");
  int64_t lowest = step > 0 ? 0 : -1, highest = step > 0 ? size : size - 1;
  auto clip = [&](std::optional<int64_t> bound, int64_t otherwise) {
    if (!bound)
      return otherwise;
    return std::clamp(*bound < 0 ? *bound + size : *bound, lowest, highest);
  };
  int64_t start = clip(boundOf(emitter, slice.lower, range), step > 0 ? lowest : highest);
  int64_t stop = clip(boundOf(emitter, slice.upper, range), step > 0 ? highest : lowest);
  int64_t distance = step > 0 ? stop - start : start - stop, stride = step > 0 ? step : -step;
  return {start, step, distance > 0 ? (distance + stride - 1) / stride : 0};
}

/// Whether both are computed in the same way from the same values, which takes no effects and a few
/// operations.
static bool isSameComputation(mlir::Value a, mlir::Value b, unsigned &steps) {
  mlir::Operation *left = a.getDefiningOp(), *right = b.getDefiningOp();
  if (a == b)
    return true;
  bool isAlike = left && right && steps-- > 0 && mlir::isPure(left) && left->getNumRegions() == 0 &&
                 left->getNumResults() == 1 && left->getName() == right->getName() &&
                 left->getAttrDictionary() == right->getAttrDictionary() &&
                 left->getNumOperands() == right->getNumOperands() && a.getType() == b.getType();
  return isAlike && llvm::all_of(llvm::zip(left->getOperands(), right->getOperands()),
                                 [&](const auto &operands) {
                                   return isSameComputation(std::get<0>(operands),
                                                            std::get<1>(operands), steps);
                                 });
}

/// A sum as what a constant is added to, and the constant.
static std::pair<mlir::Value, int64_t> withoutConstant(mlir::Value value) {
  int64_t constant = 0;
  llvm::APInt number;
  while (auto sum = value.getDefiningOp<mlir::arith::AddIOp>()) {
    bool isRight = mlir::matchPattern(sum.getRhs(), mlir::m_ConstantInt(&number));
    if (!isRight && !mlir::matchPattern(sum.getLhs(), mlir::m_ConstantInt(&number)))
      break;
    constant += number.getSExtValue();
    value = isRight ? sum.getLhs() : sum.getRhs();
  }
  return {value, constant};
}

std::optional<int64_t> distance(const Tensor &lower, const Tensor &upper) {
  auto [from, less] = withoutConstant(lower.value);
  auto [to, more] = withoutConstant(upper.value);
  unsigned steps = 32;
  return isSameComputation(from, to, steps) ? std::optional(more - less) : std::nullopt;
}

bool isOpen(const SliceValue &slice) {
  auto isAbsent = [](const std::shared_ptr<const Value> &bound) {
    return !bound || bound->isNone();
  };
  return isAbsent(slice.lower) && isAbsent(slice.upper) && isAbsent(slice.step);
}

std::vector<Value> indicesOf(const Value &index) {
  const auto *several = index.as<Tuple>();
  return several ? several->elements : std::vector<Value>{index};
}

static Value indexTuple(const Emitter &emitter, const Tuple &tuple, const Value &index,
                        SourceRange range) {
  auto size = static_cast<int64_t>(tuple.elements.size());
  if (const auto *slice = index.as<SliceValue>()) {
    Span span = cut(emitter, *slice, size, range);
    Tuple result;
    for (int64_t i = 0; i < span.count; ++i)
      result.elements.push_back(tuple.elements[static_cast<size_t>(span.start + i * span.step)]);
    return result;
  }
  auto constant = asConstant(index);
  auto position = constant ? sema::asInteger(*constant) : std::nullopt;
  if (!position)
    failNotConstexpr(emitter, index,
                     diagnose(range, DiagnosticId::not_constexpr, "the index of a tuple"));
  if (*position < -size || *position >= size)
    failWithNote(range, {{}, "the index " + sema::toString(*constant) + " is out of range"},
                 DiagnosticId::cannot_index, describe(tuple));
  return tuple.elements[static_cast<size_t>(*position < 0 ? *position + size : *position)];
}

Value Emitter::subscript(const Value &object, const Value &index, SourceRange range) {
  if (const auto *at = index.as<Tensor>(); at && isOfThreads() && !asConstant(index))
    if (const auto *tuple = object.as<Tuple>())
      if (auto chosen = threads::chooseElement(*this, *tuple, *at, range))
        return *chosen;
  if (const auto *tuple = object.as<Tuple>())
    return indexTuple(*this, *tuple, index, range);
  const auto *space = object.as<std::shared_ptr<const sema::HostNamespace>>();
  const auto *key = space ? index.as<ConstantValue>() : nullptr;
  if (const auto *name = key ? std::get_if<std::string>(key) : nullptr) // of an enumeration
    return hostedAttribute(**space, *name, range);
  if (const auto *type = object.as<TupleType>())
    return indexTuple(*this, Tuple{type->types}, index, range);
  if (const auto *dictionary = object.as<Dictionary>()) {
    if (const Value *value = dictionary->find(index))
      return *value;
    failWithNote(range, {{}, "there is no key " + toText(index)}, DiagnosticId::cannot_index,
                 describe(object));
  }
  if (const auto *module = object.as<ModuleReference>(); module && module->path == "os.environ")
    return environmentVariable(index, std::nullopt, range);
  if (const auto *array = object.as<ArrayView>())
    return threads::readElement(*this, *array, index, range);
  const auto *tensor = object.as<Tensor>();
  if (!tensor)
    fail(range, DiagnosticId::cannot_index, describe(object));
  return element(*tensor, indicesOf(index), range);
}

} // namespace nereid::emit
