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
  return emitter.reshape(value, {value.type.elements()}, arguments.callRange());
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
