// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/products/RemarkDots.h"

#include "backend/nvptx/products/TensorCores.h"
#include "dialect/tile/Remark.h"

using namespace mlir;

namespace nereid::backend::nvptx {
namespace {

/// Where tensor cores multiply and warpgroups do not, but for types that wgmma has no word for.
void remarkWarps(tile::DotOp dot, const Configuration &configuration) {
  unsigned warps = configuration.warps;
  if (!configuration.target.hasWarpgroupProducts || !hasWarpgroupInstruction(dot))
    return;
  auto say = [&](const std::string &reason) { tile::remark(dot, RemarkId::dot_of_warps, reason); };
  llvm::ArrayRef<int64_t> shape = tile::shapeOf(dot.getType());
  int64_t rows = shape[shape.size() - 2];
  if (shape.size() != 2)
    say("factors of three dimensions are many products");
  else if (rows < rowsPerGroup)
    say("the product has " + std::to_string(rows) + " rows, and wgmma takes " +
        std::to_string(rowsPerGroup));
  else if (warps % warpsPerGroup)
    say("a program has " + std::to_string(warps) + " of them");
  else
    say("its depth or its columns are too few");
}

} // namespace

void remarkDot(tile::DotOp dot, const Configuration &configuration) {
  if (!tile::wantsRemarks(dot))
    return;
  if (mmaDepth(dot))
    return remarkWarps(dot, configuration);
  bool isSingle = tile::elementOf(dot.getLhs().getType()).isF32();
  constexpr unsigned depthOfTf32 = 8;
  unsigned depth = isSingle ? depthOfTf32 : widestDepth(dot);
  if (isSingle && dot.getPrecision() == tile::DotPrecision::Ieee)
    tile::remark(dot, RemarkId::dot_exact);
  else if (depth) // the language has no other products
    tile::remark(dot, RemarkId::dot_small, tile::shapeOf(dot.getLhs().getType()).back(), depth);
}

} // namespace nereid::backend::nvptx
