// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analyze/FoundAddresses.h"

#include "analysis/Slice.h"

using namespace mlir;

namespace nereid::analyzer {
bool isFound(Value pointers) {
  if (!tile::isTile(pointers.getType()))
    return false;
  auto sourcesOf = [](Value value, llvm::SmallVectorImpl<Value> &sources) {
    // Where all lanes have one number, they have it from wherever.
    if (!tile::isTile(value.getType()))
      return true;
    if (value.getDefiningOp<tile::LoadOp>())
      return false;
    analysis::addSources(value, sources);
    return true;
  };
  return !analysis::walkBack<Value>({pointers}, sourcesOf, [](Value) {});
}

} // namespace nereid::analyzer
