// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/Arguments.h"

namespace nereid::emit {

Value broadcastBuiltin(Emitter &emitter, const Arguments &arguments) {
  OperandPair pair = emitter.broadcast(arguments.tensor("input"), arguments.tensor("other"),
                                       arguments.callRange());
  return Tuple{{pair.lhs, pair.rhs}};
}

Value broadcast_toBuiltin(Emitter &emitter, const Arguments &arguments) {
  return emitter.broadcastTo(arguments.tensor("input"), arguments.shape("shape"),
                             arguments.callRange());
}

Value expand_dimsBuiltin(Emitter &emitter, const Arguments &arguments) {
  Tensor value = arguments.tensor("input");
  std::vector<sema::Integer> given = arguments.integers("axis");
  auto rank = static_cast<int64_t>(value.shape().size() + given.size());
  std::vector<int64_t> axes;
  for (sema::Integer axis : given)
    axes.push_back(emitter.wrapAxis(axis, rank, arguments.range("axis")));
  llvm::sort(axes);
  if (std::adjacent_find(axes.begin(), axes.end()) != axes.end())
    arguments.failValue("axis", "without repetition");
  for (int64_t axis : axes)
    value = emitter.expandDims(value, axis, arguments.callRange());
  return value;
}

Value reshapeBuiltin(Emitter &emitter, const Arguments &arguments) {
  return emitter.reshape(arguments.tensor("input"), arguments.shape("shape"),
                         arguments.callRange());
}

Value viewBuiltin(Emitter &emitter, const Arguments &arguments) {
  return reshapeBuiltin(emitter, arguments);
}

Value ravelBuiltin(Emitter &emitter, const Arguments &arguments) {
  Tensor value = arguments.tensor("x");
  arguments.flag("can_reorder"); // a permission that is not made use of
  return emitter.reshape(value, {value.type.elements()}, arguments.callRange());
}

Value squeezeBuiltin(Emitter &emitter, const Arguments &arguments) {
  Tensor value = arguments.tile("x");
  sema::Shape shape = value.shape();
  int64_t dim = emitter.wrapAxis(arguments.integer("dim"), static_cast<int64_t>(shape.size()),
                                 arguments.range("dim"));
  if (shape[static_cast<size_t>(dim)] != 1)
    failWithNote(arguments.range("dim"), {{}, "the value is a " + describe(value)},
                 DiagnosticId::argument_value, "dim", "squeeze", "a dimension of size 1",
                 describe(arguments["dim"]));
  shape.erase(shape.begin() + dim);
  return emitter.reshape(value, shape, arguments.callRange());
}

Value unsqueezeBuiltin(Emitter &emitter, const Arguments &arguments) {
  Tensor value = arguments.tensor("x");
  int64_t dim =
      emitter.wrapAxis(arguments.integer("dim"), static_cast<int64_t>(value.shape().size()) + 1,
                       arguments.range("dim"));
  return emitter.expandDims(value, dim, arguments.callRange());
}

Value itemBuiltin(Emitter &emitter, const Arguments &arguments) {
  Tensor value = arguments.tensor("self");
  if (value.type.elements() != 1)
    arguments.failType("self", "a scalar or a tile of one element");
  return value.isTile() ? emitter.reshape(value, {}, arguments.callRange()) : value;
}

/// Both halves, which have one type and at least one dimension.
static Tensor joined(Emitter &emitter, const Tensor &first, const Tensor &second,
                     SourceRange range) {
  sema::ValueType type = first.type;
  type.shape.push_back(2);
  emitter.checkShape(type.shape, range);
  return {emitter.make<tile::JoinOp>(range, emitter.irType(type), first.value, second.value), type};
}

static void checkSameElement(const Tensor &first, const Tensor &second,
                             const Arguments &arguments) {
  if (first.type.scalar != second.type.scalar)
    fail(arguments.callRange(), DiagnosticId::operand_types, arguments.function(),
         sema::toString(first.type), sema::toString(second.type));
}

Value joinBuiltin(Emitter &emitter, const Arguments &arguments) {
  SourceRange range = arguments.callRange();
  Tensor first = arguments.tensor("a"), second = arguments.tensor("b");
  checkSameElement(first, second, arguments);
  OperandPair pair = emitter.broadcast(first, second, range);
  if (pair.lhs.isTile())
    return joined(emitter, pair.lhs, pair.rhs, range);
  Tensor both = joined(emitter, emitter.splat(pair.lhs, {1}, range),
                       emitter.splat(pair.rhs, {1}, range), range);
  return emitter.reshape(both, {2}, range);
}

Value catBuiltin(Emitter &emitter, const Arguments &arguments) {
  SourceRange range = arguments.callRange();
  Tensor first = arguments.tile("input"), second = arguments.tile("other");
  checkSameElement(first, second, arguments);
  sema::Shape shape = first.shape();
  if (second.shape() != shape)
    arguments.failType("other", "a tile of shape " + sema::toString(shape));
  arguments.flag("can_reorder"); // a permission that is not made use of
  auto rank = static_cast<int64_t>(shape.size());
  int64_t dim = emitter.wrapAxis(arguments.integer("dim"), rank, arguments.range("dim"));
  std::vector<int64_t> order;
  for (int64_t i = 0; i < rank; ++i) {
    if (i == dim)
      order.push_back(rank);
    order.push_back(i);
  }
  shape[static_cast<size_t>(dim)] *= 2;
  return emitter.reshape(emitter.permute(joined(emitter, first, second, range), order, range),
                         shape, range);
}

Value splitBuiltin(Emitter &emitter, const Arguments &arguments) {
  SourceRange range = arguments.callRange();
  Tensor source = arguments.tile("a");
  if (source.shape().back() != 2)
    arguments.failType("a", "a tile whose last dimension has size 2");
  bool isPair = source.shape().size() == 1;
  if (isPair)
    source = emitter.reshape(source, {1, 2}, range);
  sema::ValueType type = source.type;
  type.shape.pop_back();
  mlir::Type half = emitter.irType(type);
  auto op = tile::SplitOp::create(emitter.builder, emitter.locate(range), half, half, source.value);
  Tensor first{op.getFirst(), type}, second{op.getSecond(), type};
  if (isPair)
    return Tuple{{emitter.reshape(first, {}, range), emitter.reshape(second, {}, range)}};
  return Tuple{{first, second}};
}

static Value permuteBy(Emitter &emitter, const Arguments &arguments, const Tensor &value) {
  auto rank = static_cast<int64_t>(value.shape().size());
  std::vector<int64_t> order, sorted;
  for (sema::Integer dim : arguments.integers("dims"))
    order.push_back(emitter.wrapAxis(dim, rank, arguments.range("dims")));
  sorted = order;
  llvm::sort(sorted);
  bool isRepeated = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
  if (isRepeated || static_cast<int64_t>(order.size()) != rank)
    arguments.failValue("dims", "each dimension once");
  return emitter.permute(value, order, arguments.callRange());
}

Value permuteBuiltin(Emitter &emitter, const Arguments &arguments) {
  return permuteBy(emitter, arguments, arguments.tile("input"));
}

Value transBuiltin(Emitter &emitter, const Arguments &arguments) {
  Tensor value = arguments.tile("input");
  if (!arguments.elements("dims").empty())
    return permuteBy(emitter, arguments, value);
  size_t rank = value.shape().size();
  if (rank < 2)
    arguments.failType("input", "a tile of rank 2 or more");
  std::vector<int64_t> order;
  for (size_t i = 0; i < rank; ++i)
    order.push_back(static_cast<int64_t>(i));
  std::swap(order[rank - 1], order[rank - 2]);
  return emitter.permute(value, order, arguments.callRange());
}

} // namespace nereid::emit
