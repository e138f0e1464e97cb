// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What keeps a tile's shape and looks along one of its dimensions: scans, sorting, other orders.
#include "Generator.h"

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
  // Of what is too long to add up exactly, the largest so far.
  const char *larger = "def combine_larger(a, b):\n    return tl.maximum(a, b)\n";
  const char *later = "def combine_later(a, b):\n    return b\n";
  bool hasMaximum = !isFloating || isWide;
  std::string combine =
      hasMaximum ? declare("combine_larger", larger) : declare("combine_later", later);
  return {"tl.associative_scan(" + source.text + ", " + axis + ", " + combine + direction + ")",
          type, source.accuracy};
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
