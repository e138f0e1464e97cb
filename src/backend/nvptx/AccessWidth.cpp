// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/AccessWidth.h"

#include "dialect/nv/Nv.h"

using namespace mlir;

namespace nereid::backend::nvptx {

unsigned registersTogether(const analysis::AxisAnalysis &axes, Value pointer, Value mask) {
  if (!tile::isTile(pointer.getType()))
    return 1;
  const layout::LinearLayout &layout = nv::layoutOf(pointer);
  auto bases = layout.bases(layout::Register);
  if (bases.empty())
    return 1;
  // The dimension along which the first bit steps, by one.
  layout::Coordinates first = layout::unpack(layout.outputs(), bases[0]);
  auto stepped = llvm::find(first, 1u);
  if (stepped == first.end() || llvm::count(first, 0u) + 1 != static_cast<long>(first.size()))
    return 1;
  unsigned dim = stepped - first.begin(), run = 2;
  for (unsigned bit = 1; bit < bases.size() && bases[bit] == bases[bit - 1] * 2; ++bit)
    run *= 2;
  return std::min<int64_t>(run, analysis::vectorLength(axes, pointer, mask, dim, 16));
}

} // namespace nereid::backend::nvptx
