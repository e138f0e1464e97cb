// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/ProductLoads.h"

#include "layout/OperandImage.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::backend::nvptx {
namespace {

/// The products in this block whose factor the tile is, perhaps after arithmetic of its lanes.
void findProductsOf(Value tile, Block *block, llvm::SetVector<tile::DotOp> &products) {
  for (OpOperand &use : tile.getUses()) {
    Operation *user = use.getOwner();
    if (user->getBlock() != block)
      continue;
    if (auto dot = llvm::dyn_cast<tile::DotOp>(user)) {
      if (use.get() == dot.getLhs() || use.get() == dot.getRhs())
        products.insert(dot);
    } else if (user->getNumResults() == 1 && tile::isLanewise(user) &&
               tile::isTile(user->getResult(0).getType())) {
      findProductsOf(user->getResult(0), block, products);
    }
  }
}

} // namespace

llvm::SetVector<tile::DotOp> productsOf(tile::LoadOp load) {
  llvm::SetVector<tile::DotOp> products;
  findProductsOf(load.getResult(), load->getBlock(), products);
  return products;
}

/// What is copied elsewhere is zero where the load's mask is false.
bool givesZeroOrNone(tile::LoadOp load) {
  Value other = load.getOther();
  if (!other)
    return true;
  Attribute constant;
  if (!matchPattern(other, m_Constant(&constant)))
    return false;
  if (auto splat = llvm::dyn_cast<SplatElementsAttr>(constant))
    constant = splat.getSplatValue<Attribute>();
  if (auto real = llvm::dyn_cast<FloatAttr>(constant))
    return real.getValue().isPosZero();
  auto integer = llvm::dyn_cast<IntegerAttr>(constant);
  return integer && integer.getValue().isZero();
}

/// How many bytes along a dimension may be copied at once.
static int64_t bytesTogether(tile::LoadOp load, const analysis::AxisAnalysis &axes,
                             unsigned dimension) {
  int64_t elements = analysis::vectorLength(axes, load.getPointer(), load.getMask(), dimension, 16);
  return elements * tile::byteSizeOf(tile::elementOf(load.getType()));
}

Run runOf(tile::LoadOp load, const analysis::AxisAnalysis &axes) {
  analysis::AxisInfo info = axes.of(load.getPointer());
  unsigned dimension = info.axes[0].contiguity > info.axes[1].contiguity ? 0 : 1;
  return {dimension, bytesTogether(load, axes, dimension)};
}

static bool isCopyableOfRank(tile::LoadOp load, int64_t rank) {
  auto type = llvm::dyn_cast<RankedTensorType>(load.getType());
  return type && type.getRank() == rank && !nv::hasGhosts(type) && !load.getIsVolatile() &&
         givesZeroOrNone(load) && !type.getElementType().isInteger(1) &&
         type.getElementType().isIntOrFloat() && tile::byteSizeOf(type.getElementType()) <= 4;
}

bool isCopyable(tile::LoadOp load) { return isCopyableOfRank(load, 2); }

bool isCopiedRow(tile::LoadOp load, const analysis::AxisAnalysis &axes) {
  return isCopyableOfRank(load, 1) && bytesTogether(load, axes, /*dimension=*/0) >= leastCopyBytes;
}

/// A swizzle's unit has 8 rows of 16 bytes.
bool hasSlot(tile::LoadOp load, unsigned contiguous) {
  auto type = llvm::cast<RankedTensorType>(load.getType());
  return type.getDimSize(contiguous) * tile::byteSizeOf(type.getElementType()) >= 16 &&
         type.getDimSize(1 - contiguous) >= 8;
}

llvm::SmallVector<ProductLoad> findProductLoads(scf::ForOp loop, const analysis::AxisAnalysis &axes,
                                                const analysis::Aliasing &aliasing) {
  llvm::SmallVector<ProductLoad> found;
  for (auto load : loop.getBody()->getOps<tile::LoadOp>()) {
    llvm::SetVector<tile::DotOp> products = productsOf(load);
    if (!products.empty() && isCopyable(load) && aliasing.isUnwritten(load, loop))
      found.push_back({load, std::move(products), runOf(load, axes)});
  }
  return found;
}

nv::SharedType slotType(tile::LoadOp load, unsigned contiguous) {
  Type tile = load.getType();
  unsigned bytes = tile::byteSizeOf(tile::elementOf(tile));
  return nv::SharedType::get(tile.getContext(), tile::shapeOf(tile), tile::elementOf(tile),
                             layout::widestImage(nv::paddedShape(tile), contiguous, bytes).layout);
}

nv::SharedType rowSlotType(Type element, uint64_t length) {
  return nv::SharedType::get(element.getContext(), {static_cast<int64_t>(length)}, element,
                             layout::LinearLayout::identity({layout::Offset, llvm::Log2_64(length)},
                                                            layout::tileSpaces({length})[0].name));
}

/// Whether the factor is put somewhere before the loop begins, and stays there until it has ended.
static bool staysBeside(scf::ForOp loop, tile::DotOp dot, Value factor) {
  Block *home = factor.getParentBlock();
  if (home == dot->getBlock())
    return false;
  Operation *user = home->findAncestorOpInBlock(*dot);
  return user && user->isAncestor(loop);
}

uint64_t bytesBesideSlots(scf::ForOp loop, uint64_t staged) {
  uint64_t bytes = std::max(exchangeBytes, staged);
  loop->getParentOfType<func::FuncOp>().walk([&](tile::DotOp dot) {
    for (Value factor : {dot.getLhs(), dot.getRhs()})
      if (staysBeside(loop, dot, factor))
        bytes += tile::elementCount(factor.getType()) *
                 tile::byteSizeOf(tile::elementOf(factor.getType()));
  });
  return bytes;
}

} // namespace nereid::backend::nvptx
