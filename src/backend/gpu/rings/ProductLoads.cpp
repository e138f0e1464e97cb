// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/rings/ProductLoads.h"

#include "analysis/Slice.h"
#include "backend/gpu/tiles/RowEnds.h"
#include "dialect/nv/LaneSources.h"
#include "layout/OperandImage.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::backend::gpu {

llvm::SetVector<tile::DotOp> productsOf(tile::LoadOp load) {
  llvm::SetVector<tile::DotOp> products;
  Block *block = load->getBlock();
  auto isArithmetic = [&](Operation *op) {
    return op->getBlock() == block && op->getNumResults() == 1 && nv::hasSourceElements(op) &&
           tile::isTile(op->getResult(0).getType());
  };
  analysis::followUses(load.getResult(), isArithmetic, [&](OpOperand &use) {
    if (tile::DotOp dot = analysis::productOfFactor(use); dot && dot->getBlock() == block)
      products.insert(dot);
    return WalkResult::advance();
  });
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
  const int64_t elementBytes = tile::byteSizeOf(tile::elementOf(load.getType()));
  const int64_t alike = bytesTogether(load, axes, dimension);
  const int64_t most =
      analysis::vectorLength(axes, load.getPointer(), Value(), dimension, 16) * elementBytes;
  const bool ends = most > alike && endsRows(load.getMask(), dimension, most / elementBytes, axes);
  return {dimension, ends ? most : alike, ends};
}

void buildCopy(tile::LoadOp load, Value mask, Value slot, const analysis::AxisAnalysis &axes,
               const IRMapping &map, OpBuilder &builder) {
  Value pointer = map.lookupOrDefault(load.getPointer());
  const Run run = tile::shapeOf(load.getType()).size() == 2 ? runOf(load, axes) : Run();
  if (!run.ends) {
    nv::CopyOp::create(builder, load.getLoc(), pointer, mask, slot);
    return;
  }
  // A clone may know more, in a round of a known number: that its addresses are multiples of more.
  const int64_t together = run.bytes / tile::byteSizeOf(tile::elementOf(load.getType()));
  Value left = buildLeft(load.getMask(), run.dimension, together, axes, map, builder);
  nv::CopyOp::create(builder, load.getLoc(), pointer, mask, slot, left,
                     left ? builder.getI32IntegerAttr(together) : IntegerAttr());
}

static bool isCopyableOfRank(tile::LoadOp load, int64_t rank, unsigned mostBytes = 4) {
  auto type = llvm::dyn_cast<RankedTensorType>(load.getType());
  return type && type.getRank() == rank && !nv::hasGhosts(type) && !load.getIsVolatile() &&
         !type.getElementType().isInteger(1) && type.getElementType().isIntOrFloat() &&
         tile::byteSizeOf(type.getElementType()) <= mostBytes;
}

bool isCopyable(tile::LoadOp load) { return isCopyableOfRank(load, 2) && givesZeroOrNone(load); }

bool isCopiedRow(tile::LoadOp load, const analysis::AxisAnalysis &axes) {
  return isCopyableOfRank(load, 1) && bytesTogether(load, axes, /*dimension=*/0) >= leastCopyBytes;
}

bool isCopiedTable(tile::LoadOp load, const analysis::AxisAnalysis &axes) {
  return isCopyableOfRank(load, 1, /*mostBytes=*/8) && givesZeroOrNone(load) &&
         bytesTogether(load, axes, /*dimension=*/0) >= leastCopyBytes;
}

/// The rows of a swizzle's unit, and the least of their bytes.
static constexpr int64_t rowsOfImage = 8, bytesOfImageRow = 16;

static int64_t rowBytes(tile::LoadOp load, unsigned contiguous) {
  auto type = llvm::cast<RankedTensorType>(load.getType());
  return type.getDimSize(contiguous) * tile::byteSizeOf(type.getElementType());
}

bool isFactorItself(tile::LoadOp load) {
  return llvm::any_of(load->getUsers(), [](Operation *user) {
    return llvm::isa<tile::DotOp, tile::PermuteOp>(user);
  });
}

bool hasSlot(tile::LoadOp load, unsigned contiguous) {
  return rowBytes(load, contiguous) >= (isFactorItself(load) ? bytesOfImageRow : leastCopyBytes);
}

bool hasImage(tile::LoadOp load, unsigned contiguous) {
  auto type = llvm::cast<RankedTensorType>(load.getType());
  return rowBytes(load, contiguous) >= bytesOfImageRow &&
         type.getDimSize(1 - contiguous) >= rowsOfImage;
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
  layout::Shape shape = nv::paddedShape(tile);
  return nv::SharedType::get(tile.getContext(), tile::shapeOf(tile), tile::elementOf(tile),
                             hasImage(load, contiguous)
                                 ? layout::widestImage(shape, contiguous, bytes).layout
                                 : layout::shortImage(shape, contiguous, bytes));
}

nv::SharedType rowSlotType(Type element, uint64_t length) {
  return nv::SharedType::get(element.getContext(), {static_cast<int64_t>(length)}, element,
                             layout::LinearLayout::identity({layout::Offset, llvm::Log2_64(length)},
                                                            layout::tileSpaces({length})[0].name));
}

} // namespace nereid::backend::gpu
