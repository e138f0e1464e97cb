// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What keeps a tile's shape and looks along one of its dimensions: scans, sorting, other orders.
#include "Generator.h"

#include <bit>

namespace nereid::generate {

/// A dimension of the shape as an argument: counted from either end.
std::string Generator::anyAxis(const Shape &shape, int64_t &length) {
  auto rank = static_cast<int64_t>(shape.size()), axis = random.below(rank);
  length = shape[static_cast<size_t>(axis)];
  return std::to_string(random.chance(30) ? axis - rank : axis);
}

Expression Generator::scan(const ValueType &type, int depth, Demand demand) {
  bool isFloating = isFloat(type.dtype);
  Expression source = expression(type, depth, isFloating ? Demand::Grid : demand);
  int64_t length = 0;
  std::string axis = anyAxis(type.shape, length);
  std::string direction = random.chance(40) ? ", reverse=True" : "";
  bool isWide = bitWidth(type.dtype) >= 32;
  Accuracy accuracy = times(source.accuracy, length).in(type.dtype);
  if (isWide && (isFloating ? accuracy.onGrid : random.chance(50)))
    return {"tl.cumsum(" + source.text + ", " + axis + direction + ")", type, accuracy};
  if (isWide && !isFloating && demand == Demand::Any && random.chance(40))
    return {"tl.cumprod(" + source.text + ", " + axis + direction + ")", type};
  // Of what is too long to add up exactly, the largest so far.
  const char *larger = "def combine_larger(a, b):\n    return tl.maximum(a, b)\n";
  const char *later = "def combine_later(a, b):\n    return b\n";
  bool hasMaximum = !isFloating || isWide;
  std::string combine =
      hasMaximum ? declare("combine_larger", larger) : declare("combine_later", later);
  return {"tl.associative_scan(" + source.text + ", " + axis + ", " + combine + direction + ")",
          type, source.accuracy};
}

/// What rises and then falls, sorted: of a power of two elements along the last dimension.
Expression Generator::merged(const ValueType &type, int depth, Demand demand) {
  Expression source = expression(type, depth, demand);
  std::string last = std::to_string(type.shape.size() - 1);
  std::string descending = random.chance(40) ? ", descending=True" : "";
  return {"tl.bitonic_merge(tl.sort(" + source.text + ", " + last + "), " + last + descending + ")",
          type, source.accuracy};
}

/// A scan of two tiles together, into two names.
void Generator::pairScan() {
  Shape shape = smaller(baseShape);
  if (shape.empty())
    return;
  ValueType first{random.pick({DType::Int32, DType::Int64, DType::UInt16}), shape};
  ValueType second{random.pick({DType::Int32, DType::Int16, DType::Float32}), shape};
  declare("combine_pair", "def combine_pair(a, b, c, d):\n    return a + c, tl.maximum(b, d)\n");
  int64_t length = 0;
  std::string axis = anyAxis(shape, length), one = freshName("v"), other = freshName("v");
  emit({one + ", " + other + " = tl.associative_scan((" + expression(first, 2).text + ", " +
            expression(second, 2).text + "), " + axis + ", combine_pair" +
            (random.chance(40) ? ", reverse=True)" : ")"),
        {},
        {}});
  scope.push_back({one, first, {}});
  scope.push_back({other, second, {}});
}

/// The indices that sort a tile, or of its largest elements.
Expression Generator::order(const ValueType &type, int depth) {
  std::vector<DType> comparable;
  for (DType dtype : allTypes())
    if (!isFloat(dtype) || bitWidth(dtype) >= 16)
      comparable.push_back(dtype);
  Expression source = expression({random.pick(comparable), type.shape}, depth);
  int64_t length = 0;
  std::string axis = anyAxis(type.shape, length);
  std::string descending = random.chance(40) ? ", descending=True" : "";
  if (random.chance(30))
    return {"tl.argsort(" + source.text + ", " + axis + descending + ")", type};
  if (random.chance(40))
    return {"tl.topk(" + source.text + ", " + std::to_string(length) + ", " + axis +
                ", return_indices=True)[1]",
            type};
  return {"tl.sort(" + source.text + ", " + axis + descending + ", return_indices=True)[1]", type};
}

Expression Generator::reordered(const ValueType &type, int depth, Demand demand) {
  if (type.dtype == DType::Int32 && demand == Demand::Any && random.chance(40))
    return order(type, depth);
  Expression source = expression(type, depth, demand);
  int64_t length = 0;
  std::string axis = anyAxis(type.shape, length);
  bool isComparable = !isFloat(type.dtype) || bitWidth(type.dtype) >= 16;
  auto last = static_cast<uint64_t>(type.shape.back());
  if (isComparable && std::has_single_bit(last) && random.chance(25))
    return merged(type, depth, demand);
  switch (random.below(3)) {
  case 0:
    return {"tl.flip(" + source.text + ", " + axis + ")", type, source.accuracy};
  case 1:
    if (isComparable)
      return {"tl.sort(" + source.text + ", " + axis +
                  (random.chance(40) ? ", descending=True)" : ")"),
              type, source.accuracy};
    [[fallthrough]];
  default:
    Expression index = expression({DType::Int32, type.shape}, depth);
    return {"tl.gather(" + source.text + ", (" + index.text + " & 2147483647) % " +
                std::to_string(length) + ", " + axis + ")",
            type, source.accuracy};
  }
}

} // namespace nereid::generate
