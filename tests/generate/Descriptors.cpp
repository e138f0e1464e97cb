// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor descriptors: those that the host makes, and what only descriptors can do. Blocks lie in
// part outside of their array.
#include "Generator.h"
#include "Inputs.h"

#include <algorithm>

namespace nereid::generate {

using std::to_string;

static std::string offsetsText(const std::vector<std::string> &offsets) {
  std::string text;
  for (const std::string &offset : offsets)
    text += (text.empty() ? "[" : ", ") + offset;
  return text + "]";
}

/// A parameter that is a descriptor of an array of its own, of about `blocks` blocks along the
/// first dimension.
ArrayParameter &Generator::addDescriptor(const ValueType &type, int64_t blocks, Fill fill) {
  Shape extents = type.shape;
  extents.front() *= blocks;
  for (int64_t &extent : extents)
    extent = std::max<int64_t>(1, extent + random.between(-2, 3));
  ArrayParameter &array = addArray("d", type.dtype, elements(extents), fill);
  array.extents = extents;
  array.block = type.shape;
  return array;
}

/// A block that all programs read, or each its own.
Expression Generator::loadHostBlock(const ValueType &type, Demand demand) {
  Fill fill = demand == Demand::Grid || random.chance(30) ? Fill::Small : Fill::Wild;
  ArrayParameter array = addDescriptor(type, random.between(1, programs), fill);
  std::vector<std::string> offsets;
  for (size_t i = 0; i < type.shape.size(); ++i)
    offsets.push_back(i == 0 && random.chance(60) ? "pid * " + to_string(type.shape[0])
                                                  : to_string(random.between(-2, 3)));
  Variable made = define("v", {array.name + ".load(" + offsetsText(offsets) + ")", type,
                               accuracyOf(fill, type.dtype)});
  return {made.name, type, made.accuracy};
}

/// Each program writes a block of its own, or what of it lies inside.
void Generator::storeHostBlock() {
  ValueType type = anyType();
  if (type.shape.empty())
    type.shape = {random.between(1, 9)};
  Expression value = expression(type, 2);
  std::string name = addDescriptor(type, programs, Fill::Wild).name;
  std::vector<std::string> offsets(type.shape.size(), "0");
  offsets.front() = "pid * " + to_string(type.shape[0]);
  for (size_t i = 1; i < offsets.size(); ++i)
    offsets[i] = to_string(random.between(-1, 2));
  std::string at = offsetsText(offsets);
  std::string action =
      isInteger(type.dtype) && bitWidth(type.dtype) >= 32 && random.chance(50)
          ? "atomic_" + random.pick<std::string>({"add", "max", "min", "and", "or", "xor"})
          : "store";
  emit({name + "." + action + "(" + at + ", " + value.text + ")", {}, {}});
}

/// Rows of an array, named by a tile.
void Generator::gatherRows() {
  DType dtype = random.pick(allTypes());
  int64_t rows = random.between(1, 12), columns = random.between(1, 20),
          count = random.between(1, 16);
  std::string array = addArray("a", dtype, rows * columns, Fill::Wild).name;
  ValueType type{dtype, {count, std::max<int64_t>(1, columns + random.between(-2, 3))}};
  std::string named = expression({DType::Int32, {count}}, 1).text;
  std::string descriptor = "tl.make_tensor_descriptor(" + array + ", " +
                           text(Shape{rows, columns}) + ", " + text(Shape{columns, 1}) + ", " +
                           text(Shape{1, type.shape[1]}) + ")";
  define("v", {descriptor + ".gather((" + named + " & 255) % " + to_string(rows + 2) + " - 1, " +
                   to_string(random.between(-2, 2)) + ")",
               type});
}

} // namespace nereid::generate
