// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/Passes.h"
#include "backend/nvptx/products/TensorCores.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace nereid::backend::nvptx {

#define GEN_PASS_DEF_WIDENPRODUCTS
#include "backend/nvptx/Passes.h.inc"

namespace {

bool isFloatOf(Value tile, unsigned bits) {
  Type element = tile::elementOf(tile.getType());
  return llvm::isa<FloatType>(element) && element.getIntOrFloatBitWidth() == bits;
}

Type withElement(Type tile, Type element) {
  return llvm::cast<RankedTensorType>(tile).clone(element);
}

void widenSum(tile::DotOp dot) {
  OpBuilder builder(dot);
  Location loc = dot.getLoc();
  Type type = dot.getType(), wide = withElement(type, builder.getF32Type());
  Value accumulator = arith::ExtFOp::create(builder, loc, wide, dot.getAccumulator());
  Value sum = tile::DotOp::create(builder, loc, dot.getLhs(), dot.getRhs(), accumulator,
                                  dot.getPrecision());
  dot.getResult().replaceAllUsesWith(arith::TruncFOp::create(builder, loc, type, sum).getResult());
  dot.erase();
}

void widenFactors(tile::DotOp dot) {
  OpBuilder builder(dot);
  for (OpOperand *factor : {&dot.getLhsMutable(), &dot.getRhsMutable()}) {
    Value tile = factor->get();
    factor->set(arith::ExtFOp::create(builder, dot.getLoc(),
                                      withElement(tile.getType(), builder.getF16Type()), tile));
  }
}

struct WidenProducts final : ConfiguredPass<impl::WidenProductsBase<WidenProducts>, WidenProducts> {
  void run(func::FuncOp kernel, const Configuration &configuration) {
    kernel.walk([&](tile::DotOp dot) {
      if (isFloatOf(dot.getResult(), 16))
        widenSum(dot);
    });
    kernel.walk([&](tile::DotOp dot) {
      if (wantsHalves(dot, configuration.target, configuration.warps))
        widenFactors(dot);
    });
  }
};

} // namespace

} // namespace nereid::backend::nvptx
