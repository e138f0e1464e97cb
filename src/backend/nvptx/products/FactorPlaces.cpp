// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/products/FactorPlaces.h"

#include "backend/gpu/products/Products.h"
#include "backend/gpu/rings/ProductLoads.h"
#include "layout/OperandImage.h"

using namespace mlir;

namespace nereid::backend::nvptx {

using namespace gpu;

/// The dimension along which the sum runs.
static unsigned depthOf(Side side) { return side == Side::Lhs ? 1 : 0; }

/// The dimension along which a factor that is not of 16 bits must lie.
static unsigned alongOf(Side side, nv::Turned turned) {
  const bool isTurned = turned == (side == Side::Lhs ? nv::Turned::Left : nv::Turned::Right);
  return isTurned ? 1 - depthOf(side) : depthOf(side);
}

bool isReadable(nv::SharedType type, Side side, nv::Turned turned) {
  unsigned bytes = tile::byteSizeOf(type.getElementType());
  std::optional<layout::OperandImage> image = layout::findImage(type.getLayout(), bytes);
  return image && (bytes == 2 || image->contiguous == alongOf(side, turned));
}

bool isTurnable(nv::SharedType from, nv::SharedType to) {
  if (tile::byteSizeOf(from.getElementType()) != 1)
    return false;
  auto source = layout::findImage(from.getLayout(), 1),
       target = layout::findImage(to.getLayout(), 1);
  return source && target && source->contiguous != target->contiguous &&
         from.getShape()[source->contiguous] >= rowsOfTurn &&
         from.getShape()[target->contiguous] >= depthOfTurn;
}

std::optional<unsigned> dimensionOfNeighbours(Value tile, const analysis::AxisAnalysis &axes,
                                              unsigned depth) {
  constexpr unsigned longest = 8;
  Operation *op = tile.getDefiningOp();
  if (!op || depth > longest)
    return std::nullopt;
  if (auto permute = llvm::dyn_cast<tile::PermuteOp>(op)) {
    auto dimension = dimensionOfNeighbours(permute.getSource(), axes, depth + 1);
    return dimension ? 1 - *dimension : 0; // as rows that were turned have it
  }
  if (auto load = llvm::dyn_cast<tile::LoadOp>(op))
    return runOf(load, axes).dimension;
  if (auto read = llvm::dyn_cast<nv::ReadOp>(op)) {
    nv::SharedType slot = read.getSource().getType();
    const unsigned bytes = tile::byteSizeOf(slot.getElementType());
    std::optional<layout::OperandImage> image = layout::findImage(slot.getLayout(), bytes);
    return image ? std::optional(image->contiguous) : std::nullopt;
  }
  if (auto branch = llvm::dyn_cast<scf::IfOp>(op)) {
    const unsigned number = llvm::cast<OpResult>(tile).getResultNumber();
    for (Block *block : {branch.thenBlock(), branch.elseBlock()})
      if (auto dimension =
              dimensionOfNeighbours(block->getTerminator()->getOperand(number), axes, depth + 1))
        return dimension;
    return std::nullopt;
  }
  if (!tile::isLanewise(op) || tile::movesLanes(op) || op->getNumRegions() > 0 ||
      tile::accessOf(op).touchesMemory())
    return std::nullopt;
  for (Value operand : op->getOperands())
    if (tile::isTile(operand.getType()) &&
        tile::shapeOf(operand.getType()) == tile::shapeOf(tile.getType()))
      if (auto dimension = dimensionOfNeighbours(operand, axes, depth + 1))
        return dimension;
  return std::nullopt;
}

static nv::SharedType stagedAlong(Type tile, unsigned contiguous,
                                  layout::RowOrder order = layout::RowOrder::Plain) {
  unsigned bytes = tile::byteSizeOf(tile::elementOf(tile));
  return nv::SharedType::get(
      tile.getContext(), tile::shapeOf(tile), tile::elementOf(tile),
      layout::widestImage(nv::paddedShape(tile), contiguous, bytes, order).layout);
}

/// Whether all uses of a tile are products that want columns of their right factor in this order,
/// which `dimension` of the tile runs along.
static bool haveEvenColumnsFirst(Value tile, unsigned dimension) {
  return llvm::all_of(tile.getUses(), [&](OpOperand &use) {
    if (auto permute = llvm::dyn_cast<tile::PermuteOp>(use.getOwner()))
      return haveEvenColumnsFirst(permute.getResult(), 1 - dimension);
    auto dot = llvm::dyn_cast<tile::DotOp>(use.getOwner());
    return dot && use.get() == dot.getRhs() && use.get() != dot.getLhs() && dimension == 1 &&
           productOf(dot).getEvenColumnsFirst();
  });
}

nv::SharedType factorSlotType(tile::LoadOp load, unsigned contiguous) {
  if (!load->use_empty() && hasImage(load, contiguous) &&
      haveEvenColumnsFirst(load.getResult(), 1 - contiguous))
    return stagedAlong(load.getType(), contiguous, layout::RowOrder::EvenFirst);
  return slotType(load, contiguous);
}

nv::SharedType stagedType(Value factor, Side side, const analysis::AxisAnalysis &axes,
                          nv::ProductAttr product) {
  const bool isReadableInBoth = tile::byteSizeOf(tile::elementOf(factor.getType())) == 2;
  const unsigned contiguous = isReadableInBoth ? dimensionOfNeighbours(factor, axes).value_or(1)
                                               : alongOf(side, product.getTurned());
  const bool isEvenFirst =
      side == Side::Rhs && contiguous == depthOf(side) && product.getEvenColumnsFirst();
  return stagedAlong(factor.getType(), contiguous,
                     isEvenFirst ? layout::RowOrder::EvenFirst : layout::RowOrder::Plain);
}

uint64_t stagedBytes(Value factor) {
  constexpr uint64_t access =
      16; // bytes, of which a row has one at least where it is stored along it
  const Type type = factor.getType();
  uint64_t most = 0;
  for (unsigned contiguous : {0, 1})
    if (nv::paddedShape(type)[contiguous] * tile::byteSizeOf(tile::elementOf(type)) >= access)
      most = std::max<uint64_t>(most, stagedAlong(type, contiguous).getSlotBytes());
  return most;
}

/// Whether the right factor is a slot, perhaps turned, as products read it.
static bool isReadInSlot(Value factor, nv::Turned turned,
                         llvm::function_ref<nv::SharedType(tile::LoadOp)> slotOf) {
  bool isTurned = false;
  while (auto permute = factor.getDefiningOp<tile::PermuteOp>()) {
    isTurned = !isTurned;
    factor = permute.getSource();
  }
  auto load = factor.getDefiningOp<tile::LoadOp>();
  nv::SharedType slot = load ? slotOf(load) : nv::SharedType();
  // The sum of a turned tile runs along the other dimension.
  if (isTurned)
    return slot && isReadable(slot, Side::Lhs,
                              turned == nv::Turned::Right ? nv::Turned::Left : nv::Turned::None);
  return slot && isReadable(slot, Side::Rhs, turned);
}

bool isStagedInRound(tile::DotOp dot, llvm::function_ref<nv::SharedType(tile::LoadOp)> slotOf) {
  Value factor = dot.getRhs();
  return factor.getParentBlock() == dot->getBlock() && isOfWarpgroups(dot) &&
         !isReadInSlot(factor, productOf(dot).getTurned(), slotOf);
}

uint64_t bytesStagedInRound(scf::ForOp loop,
                            llvm::function_ref<nv::SharedType(tile::LoadOp)> slotOf) {
  uint64_t most = 0;
  for (auto dot : loop.getBody()->getOps<tile::DotOp>())
    if (isStagedInRound(dot, slotOf))
      most = std::max(most, stagedBytes(dot.getRhs()));
  return most;
}

} // namespace nereid::backend::nvptx
