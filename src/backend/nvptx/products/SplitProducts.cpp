// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/Passes.h"
#include "backend/nvptx/products/TensorCores.h"
#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace nereid::backend::nvptx {

#define GEN_PASS_DEF_SPLITPRODUCTS
#include "backend/nvptx/Passes.h.inc"

namespace {

using Parts = llvm::SmallVector<Value, 3>;

Type withElement(Value tile, Type element) {
  return llvm::cast<RankedTensorType>(tile.getType()).clone(element);
}

Value splat(ImplicitLocOpBuilder &b, Type type, TypedAttr value) {
  return arith::ConstantOp::create(b, DenseElementsAttr::get(llvm::cast<ShapedType>(type), value));
}

/// The digits that tf32 has, and the others, of which tensor cores read as many again.
Parts tf32Parts(ImplicitLocOpBuilder &b, Value tile) {
  Type words = withElement(tile, b.getI32Type());
  Value kept = splat(b, words, b.getI32IntegerAttr(int32_t(0xFFFFE000)));
  Value bits = arith::BitcastOp::create(b, words, tile);
  Value high = arith::BitcastOp::create(b, tile.getType(), arith::AndIOp::create(b, bits, kept));
  return {high, arith::SubFOp::create(b, tile, high)};
}

/// Each what is left of the tile after those before, rounded.
Parts bf16Parts(ImplicitLocOpBuilder &b, Value tile, unsigned count) {
  Parts parts;
  Value left = tile;
  for (unsigned i = 0; i < count; ++i) {
    if (i)
      left = arith::SubFOp::create(b, left, arith::ExtFOp::create(b, tile.getType(), parts.back()));
    parts.push_back(arith::TruncFOp::create(b, withElement(tile, b.getBF16Type()), left));
  }
  return parts;
}

/// Which part of the left factor meets which of the right; the largest two are left out.
std::vector<std::pair<unsigned, unsigned>> smallPairs(tile::DotPrecision precision) {
  if (precision == tile::DotPrecision::Bf16x6)
    return {{2, 0}, {0, 2}, {1, 1}, {1, 0}, {0, 1}};
  return {{1, 0}, {0, 1}};
}

void split(tile::DotOp dot) {
  ImplicitLocOpBuilder b(dot.getLoc(), dot);
  tile::DotPrecision precision = dot.getPrecision();
  bool isTf32 = precision == tile::DotPrecision::Tf32x3;
  unsigned count = precision == tile::DotPrecision::Bf16x6 ? 3 : 2;
  auto partsOf = [&](Value tile) {
    return isTf32 ? tf32Parts(b, tile) : bf16Parts(b, tile, count);
  };
  Parts lhs = partsOf(dot.getLhs()), rhs = partsOf(dot.getRhs());
  auto multiply = [&](unsigned i, unsigned j, Value sum) -> Value {
    return tile::DotOp::create(b, lhs[i], rhs[j], sum,
                               isTf32 ? tile::DotPrecision::Tf32 : tile::DotPrecision::Ieee);
  };
  Value zero = splat(b, dot.getType(), b.getF32FloatAttr(0));
  Value small = zero;
  for (auto [i, j] : smallPairs(precision))
    small = multiply(i, j, small);
  // Beside infinities the smaller parts are no numbers; the largest say what the sum is.
  Value isFinite = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ,
                                         arith::SubFOp::create(b, small, small), zero);
  small = arith::SelectOp::create(b, isFinite, small, zero);
  Value sum = multiply(0, 0, dot.getAccumulator());
  dot.getResult().replaceAllUsesWith(arith::AddFOp::create(b, sum, small).getResult());
  dot.erase();
}

/// Whether tensor cores multiply factors of this shape.
bool fits(tile::DotOp dot, const target::NvidiaTarget &target, unsigned warps) {
  tile::DotPrecision precision = dot.getPrecision();
  dot.setPrecision(tile::DotPrecision::Tf32);
  bool fitsTf32 = isForTensorCores(dot, target, warps);
  dot.setPrecision(precision);
  bool isTf32 = precision == tile::DotPrecision::Tf32x3;
  return fitsTf32 && (isTf32 || tile::shapeOf(dot.getLhs().getType()).back() >= 16);
}

struct SplitProducts final : ConfiguredPass<impl::SplitProductsBase<SplitProducts>, SplitProducts> {
  void run(func::FuncOp kernel, const Configuration &configuration) {
    kernel.walk([&](tile::DotOp dot) {
      bool isInParts = dot.getPrecision() != tile::DotPrecision::Ieee &&
                       dot.getPrecision() != tile::DotPrecision::Tf32;
      if (isInParts && tile::elementOf(dot.getLhs().getType()).isF32() &&
          fits(dot, configuration.target, configuration.warps))
        split(dot);
    });
  }
};

} // namespace

} // namespace nereid::backend::nvptx
