// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/Passes.h"
#include "backend/gpu/products/DotLayouts.h"
#include "backend/gpu/products/Products.h"
#include "backend/gpu/products/SharedFactors.h"
#include "dialect/tile/EraseUnused.h"
#include "layout/OperandImage.h"

using namespace mlir;

namespace nereid::backend::gpu {

namespace {

unsigned registersFor(Value factor, const layout::LinearLayout &layout) {
  unsigned perElement = tile::elementOf(factor.getType()).getIntOrFloatBitWidth() > 32 ? 2 : 1;
  return perElement << layout.bases(layout::Register).size();
}

/// With the widest swizzle that its rows fill; as rows, where it is too small for any.
nv::SharedType stagedType(Value factor) {
  Type tile = factor.getType(), element = tile::elementOf(tile);
  layout::Shape shape = nv::paddedShape(tile);
  unsigned bytes = tile::byteSizeOf(element), bits = layout::totalBits(layout::tileSpaces(shape));
  bool hasImage = shape.size() == 2 && shape[0] >= 8 && shape[1] * bytes >= 16;
  layout::LinearLayout layout =
      hasImage ? layout::widestImage(shape, 1, bytes).layout
               : layout::LinearLayout::identity({layout::Offset, bits}, "element")
                     .reshapedOutputs(layout::tileSpaces(shape));
  return nv::SharedType::get(tile.getContext(), tile::shapeOf(tile), element, layout);
}

bool isTooDeep(tile::DotOp dot, const Configuration &configuration) {
  if (productOf(dot).getBy() != nv::Multiplier::Threads)
    return false;
  DotLayouts layouts = dotLayouts(dot, configuration.warps);
  if (registersFor(dot.getLhs(), layouts.lhs) + registersFor(dot.getRhs(), layouts.rhs) <=
      configuration.policy.factor_registers)
    return false;
  uint64_t bytes = stagedType(dot.getLhs()).getBytes() + stagedType(dot.getRhs()).getBytes();
  // The rest is for slots, and tiles that are converted.
  return bytes <= configuration.machine.sharedPerBlock / 2;
}

void readFromShared(tile::DotOp dot, unsigned warps) {
  SharedFactors factors(dot);
  auto shared = [&](Value factor) {
    Value view = factors.findView(factor, [](nv::SharedType) { return true; });
    return view ? view : factors.stage(factor, stagedType(factor));
  };
  Value lhs = shared(dot.getLhs()), rhs = shared(dot.getRhs());
  OpBuilder builder(dot);
  Value sums = nv::MultiplyAddOp::create(builder, dot.getLoc(), dot.getType(), lhs, rhs,
                                         dot.getAccumulator(), warps);
  factors.freeRooms(builder);
  dot.getResult().replaceAllUsesWith(sums);
  dot.erase();
}

} // namespace

void loopOverDepth(func::FuncOp kernel, const Configuration &configuration) {
  llvm::SmallVector<tile::DotOp> dots;
  kernel.walk([&](tile::DotOp dot) {
    if (isTooDeep(dot, configuration))
      dots.push_back(dot);
  });
  for (tile::DotOp dot : dots)
    readFromShared(dot, configuration.warps);
  // Reads of what products take out of shared memory by themselves.
  tile::eraseUnused(kernel);
}

} // namespace nereid::backend::gpu
