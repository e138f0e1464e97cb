// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/rings/ProductLoads.h"
#include "backend/nvptx/Passes.h"
#include "backend/nvptx/products/TensorCores.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::backend::nvptx {

using namespace gpu;

#define GEN_PASS_DEF_TRANSPOSEPRODUCTS
#include "backend/nvptx/Passes.h.inc"

namespace {

Value turned(ImplicitLocOpBuilder &b, Value tile) {
  auto type = llvm::cast<RankedTensorType>(tile.getType());
  Type result =
      RankedTensorType::get({type.getDimSize(1), type.getDimSize(0)}, type.getElementType());
  return tile::PermuteOp::create(b, result, tile, llvm::ArrayRef<int64_t>{1, 0});
}

/// A lane has elements of the left factor: in one of 8 rows, of one of 4 steps of the depth,
/// and another one 8 rows further on. In memory, 32 of its rows lie beside one another, in 8 pieces
/// of 16 bytes that the hardware's pattern exchanges by the step: of the piece's number the low two
/// bits. So the instruction's rows 0 and 1 are half a line apart, 1 and 2 are neighbouring pairs of
/// a piece and its next one, and 0 and 8 are a pair: 16 lanes that read 8 bytes each touch all
/// banks once.
///
/// Bits of a row's number, from the highest on:
///   as the array has them         others | 16 | 8 | 4 2 | 1
///   as the instruction has them   others | 8 | 1 | 4 2 | 16
constexpr int64_t rowsInOrder = 32;

/// The tile with its rows, along that dimension, in the instruction's order, as the first
/// dimension.
Value inOrder(ImplicitLocOpBuilder &b, Value tile, unsigned rowDimension) {
  auto type = llvm::cast<RankedTensorType>(tile.getType());
  const int64_t rows = type.getDimSize(rowDimension), others = rows / rowsInOrder,
                along = type.getDimSize(1 - rowDimension);
  auto typeOf = [&](llvm::ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, type.getElementType());
  };
  const bool isFirst = rowDimension == 0;
  Value parts = tile::ReshapeOp::create(
      b, isFirst ? typeOf({others, 2, 2, 4, 2, along}) : typeOf({along, others, 2, 2, 4, 2}), tile);
  Value ordered = tile::PermuteOp::create(b, typeOf({others, 2, 2, 4, 2, along}), parts,
                                          isFirst ? llvm::ArrayRef<int64_t>{0, 2, 4, 3, 1, 5}
                                                  : llvm::ArrayRef<int64_t>{1, 3, 5, 4, 2, 0});
  return tile::ReshapeOp::create(b, typeOf({rows, along}), ordered);
}

/// What inOrder() did, undone for the sums.
Value asTheyWere(ImplicitLocOpBuilder &b, Value sums, unsigned rowDimension) {
  auto type = llvm::cast<RankedTensorType>(sums.getType());
  const int64_t rows = type.getDimSize(0), others = rows / rowsInOrder, along = type.getDimSize(1);
  auto typeOf = [&](llvm::ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, type.getElementType());
  };
  const bool isFirst = rowDimension == 0;
  Value parts = tile::ReshapeOp::create(b, typeOf({others, 2, 2, 4, 2, along}), sums);
  Value ordered = tile::PermuteOp::create(
      b, isFirst ? typeOf({others, 2, 2, 4, 2, along}) : typeOf({along, others, 2, 2, 4, 2}), parts,
      isFirst ? llvm::ArrayRef<int64_t>{0, 4, 1, 3, 2, 5}
              : llvm::ArrayRef<int64_t>{5, 0, 4, 1, 3, 2});
  return tile::ReshapeOp::create(b, isFirst ? typeOf({rows, along}) : typeOf({along, rows}),
                                 ordered);
}

/// Products of such factors read rows along the sum alone out of shared memory, of the left one
/// also registers. So of factors whose rows lie along their last dimension each, the right one
/// becomes the left one. Where the left one is read into registers, its rows are ordered.
class Turner {
public:
  Turner(tile::DotOp dot, const Configuration &configuration, const analysis::AxisAnalysis &axes)
      : dot(dot), configuration(configuration), axes(axes) {}

  void run() {
    auto loop = llvm::dyn_cast<scf::ForOp>(dot->getParentOp());
    if (!loop || !isOfWords() || !carriesSums(loop) || !isForWarpgroups())
      return;
    const std::optional<unsigned> left = contiguousOf(dot.getLhs()),
                                  right = contiguousOf(dot.getRhs());
    ImplicitLocOpBuilder b(dot.getLoc(), dot);
    if (left == 1u && right == 1u)
      rewrite(loop, inOrder(b, dot.getRhs(), 1), turned(b, dot.getLhs()), 1);
    else if (left == 0u && right == 0u)
      rewrite(loop, inOrder(b, dot.getLhs(), 0), dot.getRhs(), 0);
  }

private:
  /// The dimension along which a factor that is multiplied as it is loaded lies in memory, if that
  /// is far enough that it may be fetched or copied.
  std::optional<unsigned> contiguousOf(Value factor) {
    bool isTurned = false;
    while (auto permute = factor.getDefiningOp<tile::PermuteOp>()) {
      isTurned = !isTurned;
      factor = permute.getSource();
    }
    auto load = factor.getDefiningOp<tile::LoadOp>();
    if (!load || load->getBlock() != dot->getBlock() || !isCopyable(load))
      return std::nullopt;
    const Run run = runOf(load, axes);
    if (!hasImage(load, run.dimension) || run.bytes < leastCopyBytes)
      return std::nullopt;
    return isTurned ? 1 - run.dimension : run.dimension;
  }

  bool isOfWords() {
    return tile::elementOf(dot.getLhs().getType()).isF32() &&
           tile::elementOf(dot.getRhs().getType()).isF32();
  }

  bool carriesSums(scf::ForOp loop) {
    auto sums = llvm::dyn_cast<BlockArgument>(dot.getAccumulator());
    if (!sums || sums.getOwner() != loop.getBody() || !sums.hasOneUse() ||
        !dot.getResult().hasOneUse())
      return false;
    OpOperand &use = *dot.getResult().use_begin();
    return use.getOwner() == loop.getBody()->getTerminator() &&
           loop.getRegionIterArg(use.getOperandNumber()) == sums;
  }

  /// As it stands, and turned.
  bool isForWarpgroups() {
    return warpgroupShape(dot, configuration.target, configuration.warps) &&
           tile::shapeOf(dot.getType())[1] >= rowsPerGroup;
  }

  /// As the product of these factors, whose rows are, in another order, along that dimension of the
  /// sums as they were.
  void rewrite(scf::ForOp loop, Value lhs, Value rhs, unsigned rowDimension) {
    ImplicitLocOpBuilder b(dot.getLoc(), dot);
    const unsigned number = dot.getResult().use_begin()->getOperandNumber();
    BlockArgument sums = loop.getRegionIterArg(number);
    auto shape = tile::shapeOf(dot.getType());
    auto type = RankedTensorType::get({shape[rowDimension], shape[1 - rowDimension]},
                                      tile::elementOf(dot.getType()));
    sums.setType(type);
    Value product = tile::DotOp::create(b, lhs, rhs, sums, dot.getPrecision());
    dot.getResult().replaceAllUsesWith(product);
    dot.erase();

    OpOperand &init = loop.getInitArgsMutable()[number];
    b.setInsertionPoint(loop);
    init.set(startOf(b, init.get(), type, rowDimension));
    OpResult result = loop->getResult(number);
    result.setType(type);
    if (result.use_empty())
      return;
    b.setInsertionPointAfter(loop);
    llvm::SmallVector<OpOperand *> uses;
    for (OpOperand &use : result.getUses())
      uses.push_back(&use);
    Value back = asTheyWere(b, result, rowDimension);
    for (OpOperand *use : uses)
      use->set(back);
  }

  /// What the sums are before the first round, as the sums lie now.
  static Value startOf(ImplicitLocOpBuilder &b, Value start, RankedTensorType type,
                       unsigned rowDimension) {
    DenseElementsAttr constant;
    if (matchPattern(start, m_Constant(&constant)) && constant.isSplat())
      return arith::ConstantOp::create(
          b, DenseElementsAttr::get(type, constant.getSplatValue<Attribute>()));
    return inOrder(b, start, rowDimension);
  }

  tile::DotOp dot;
  const Configuration &configuration;
  const analysis::AxisAnalysis &axes;
};

struct TransposeProducts final
    : ConfiguredPass<impl::TransposeProductsBase<TransposeProducts>, TransposeProducts> {
  void run(func::FuncOp kernel, const Configuration &configuration) {
    llvm::SmallVector<tile::DotOp> products;
    kernel.walk([&](tile::DotOp dot) { products.push_back(dot); });
    // Without slots of later rounds, factors are put into shared memory by the threads anyway.
    if (products.empty() || !configuration.target.hasWarpgroupProducts || configuration.stages == 1)
      return;
    const analysis::AxisAnalysis axes(kernel);
    for (tile::DotOp dot : products)
      Turner(dot, configuration, axes).run();
  }
};

} // namespace

} // namespace nereid::backend::nvptx
