// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements and slices of tiles.
#include "Generator.h"

#include <algorithm>

namespace nereid::generate {

/// Some tile of the type; empty if no name has one.
std::string Generator::anyTileOf(DType dtype, bool isAssignable) {
  std::vector<std::string> found;
  for (const Variable &variable : scope)
    if (variable.type.dtype == dtype && !variable.type.shape.empty() &&
        (variable.isAssignable || !isAssignable))
      found.push_back(variable.name);
  return found.empty() ? "" : random.pick(found);
}

/// An index into a dimension, known while compiling or at run time.
std::string Generator::indexText(int64_t size) {
  std::string length = std::to_string(size);
  return random.chance(50) ? std::to_string(random.between(-size, size - 1))
                           : "(pid + " + std::to_string(random.below(size)) + ") % " + length;
}

/// One lane of a tile that has a name, or what a leaf is if none has.
Expression Generator::element(const ValueType &type, int, Demand demand) {
  std::string name = anyTileOf(type.dtype, /*isAssignable=*/false);
  if (name.empty())
    return leaf(type, demand);
  const Variable &tile = *std::ranges::find(scope, name, &Variable::name);
  std::string indices;
  for (int64_t size : tile.type.shape)
    indices += (indices.empty() ? "" : ", ") + indexText(size);
  return {name + "[" + indices + "]", type, tile.accuracy};
}

/// Writes one lane, or a row, of a tile that has a name.
void Generator::assignElement() {
  std::string name = anyTileOf(anyType().dtype, /*isAssignable=*/true);
  if (name.empty())
    return defineSomething();
  ValueType type = std::ranges::find(scope, name, &Variable::name)->type;
  bool isWhole = type.shape.size() == 1 || random.chance(60);
  std::string indices = indexText(type.shape[0]);
  for (size_t i = 1; isWhole && i < type.shape.size(); ++i)
    indices += ", " + indexText(type.shape[i]);
  Shape rest(type.shape.begin() + (isWhole ? static_cast<int64_t>(type.shape.size()) : 1),
             type.shape.end());
  Expression value = expression({type.dtype, rest}, 1);
  emit({name + "[" + indices + "] = " + value.text, {}, {}, name + " = " + name});
  Variable &tile = *std::ranges::find(scope, name, &Variable::name);
  tile.accuracy = join(tile.accuracy, value.accuracy);
}

} // namespace nereid::generate
