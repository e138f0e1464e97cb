// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions that change only the shape.
#include "Generator.h"

#include <algorithm>
#include <numeric>

namespace nereid::generate {

/// A shape that broadcasts to `shape`.
Shape Generator::smaller(const Shape &shape) {
  if (shape.empty() || random.chance(20))
    return {};
  Shape result = shape;
  if (random.chance(30))
    result.erase(result.begin());
  for (int64_t &size : result)
    if (random.chance(50))
      size = 1;
  return result;
}

Expression Generator::broadcast(const ValueType &type, int depth, Demand demand) {
  Expression value = expression({type.dtype, smaller(type.shape)}, depth, demand);
  return {"tl.broadcast_to(" + value.text + ", " + text(type.shape) + ")", type, value.accuracy};
}

Expression Generator::expand(const ValueType &type, int depth, Demand demand) {
  std::vector<size_t> ones;
  for (size_t i = 0; i < type.shape.size(); ++i)
    if (type.shape[i] == 1)
      ones.push_back(i);
  size_t axis = random.pick(ones), rank = type.shape.size();
  Shape source = type.shape;
  source.erase(source.begin() + static_cast<int64_t>(axis));
  Expression value = expression({type.dtype, source}, depth, demand);
  if (random.chance(60) && rank > 1) {
    std::string index;
    for (size_t i = 0; i < rank; ++i)
      index += (i ? ", " : "") + std::string(i == axis ? "None" : ":");
    return {value.text + "[" + index + "]", type, value.accuracy};
  }
  auto spelt = static_cast<int64_t>(axis) - (random.chance(30) ? static_cast<int64_t>(rank) : 0);
  if (source.empty()) // a scalar takes part in broadcasts as it is
    return {"tl.broadcast_to(" + value.text + ", " + text(type.shape) + ")", type, value.accuracy};
  return {"tl.expand_dims(" + value.text + ", " + std::to_string(spelt) + ")", type,
          value.accuracy};
}

Expression Generator::reshape(const ValueType &type, int depth, Demand demand) {
  int64_t count = elements(type.shape);
  Shape source;
  int64_t rows = random.pick({1, 2, 3, 4, 7, 8, 16});
  if (count % rows == 0)
    source.push_back(rows);
  source.push_back(count / elements(source));
  if (random.chance(30))
    source.insert(source.begin() + random.between(0, static_cast<int64_t>(source.size())), 1);
  Expression value = expression({type.dtype, source}, depth, demand);
  if (type.shape.size() == 1 && random.chance(30))
    return {"tl.ravel(" + value.text + ")", type, value.accuracy};
  return {"tl.reshape(" + value.text + ", " + text(type.shape) + ")", type, value.accuracy};
}

Expression Generator::permute(const ValueType &type, int depth, Demand demand) {
  size_t rank = type.shape.size();
  if (random.chance(40)) { // the last two change places
    Shape source = type.shape;
    std::swap(source[rank - 1], source[rank - 2]);
    Expression value = expression({type.dtype, source}, depth, demand);
    if (rank == 2 && random.chance(50))
      return {value.text + ".T", type, value.accuracy};
    return {"tl.trans(" + value.text + ")", type, value.accuracy};
  }
  std::vector<size_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = rank; i > 1; --i)
    std::swap(order[i - 1], order[static_cast<size_t>(random.below(static_cast<int64_t>(i)))]);
  Shape source(rank);
  std::string dims;
  for (size_t i = 0; i < rank; ++i) {
    source[order[i]] = type.shape[i];
    dims += (i ? ", " : "") + std::to_string(order[i]);
  }
  Expression value = expression({type.dtype, source}, depth, demand);
  bool isTuple = random.chance(50);
  return {"tl.permute(" + value.text + ", " + (isTuple ? "(" + dims + ")" : dims) + ")", type,
          value.accuracy};
}

/// Whether two tiles put together can have the shape.
bool Generator::isJoinable(const Shape &shape) {
  return std::ranges::any_of(shape, [](int64_t size) { return size % 2 == 0; });
}

/// Two tiles side by side, in turn or one behind the other.
Expression Generator::joined(const ValueType &type, int depth, Demand demand) {
  std::vector<size_t> even;
  size_t rank = type.shape.size();
  for (size_t i = 0; i < rank; ++i)
    if (type.shape[i] % 2 == 0)
      even.push_back(i);
  size_t dim = random.pick(even);
  bool isLast = dim + 1 == rank, isPair = isLast && rank > 1 && type.shape[dim] == 2;
  ValueType half = type;
  if (isPair)
    half.shape.pop_back();
  else
    half.shape[dim] /= 2;
  Expression first = expression(half, depth, demand), second = expression(half, depth, demand);
  std::string both = first.text + ", " + second.text, text;
  if (isPair)
    text = "tl.join(" + both + ")";
  else if (isLast && random.chance(50))
    text = "tl.interleave(" + both + ")";
  else
    text = "tl.cat(" + both + ", dim=" + std::to_string(dim) + ")";
  return {text, type, generate::join(first.accuracy, second.accuracy)};
}

/// One of the two that a tile is split into.
Expression Generator::half(const ValueType &type, int depth, Demand demand) {
  ValueType whole = type;
  whole.shape.push_back(2);
  Expression source = expression(whole, depth, demand);
  return {"tl.split(" + source.text + ")[" + std::to_string(random.below(2)) + "]", type,
          source.accuracy};
}

} // namespace nereid::generate
