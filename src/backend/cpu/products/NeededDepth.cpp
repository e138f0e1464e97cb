// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/cpu/products/NeededDepth.h"

#include "backend/cpu/products/ResultReaders.h"
#include "dialect/tile/Elements.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::backend::cpu {

/// Of other tiles to count the depth takes as long as is saved.
static constexpr int64_t leastProducts = 64 * 64 * 64;

static bool isZero(Value value) {
  return !value || matchPattern(value, m_PosZeroFloat()) || matchPattern(value, m_Zero());
}

/// Masks along the depth, dimension 0 of `at`, behind which the factor is zero; none if none is
/// known. Zeros stay zeros when they change their type or place.
static llvm::SmallVector<LineMask, 2> depthMasksOf(Value factor, Coordinates at) {
  llvm::SmallVector<LineMask, 2> masks;
  for (Operation *op = factor.getDefiningOp(); op; op = factor.getDefiningOp()) {
    if (auto load = llvm::dyn_cast<tile::LoadOp>(op)) {
      if (load.getMask() && isZero(load.getOther()))
        addLineMasks(load.getMask(), at, masks);
      break;
    }
    bool isCast = llvm::isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp,
                            arith::TruncIOp, arith::SIToFPOp, arith::UIToFPOp>(op);
    // A reshape that is not lane for lane has no map.
    const bool isMoved = tile::movesLanes(op) && tile::isLanewise(op) && op->getNumOperands() == 1;
    if (!isCast && !isMoved)
      break;
    at = tile::mapThrough(tile::laneMapOf(op->getOpOperand(0)), at);
    factor = op->getOperand(0);
  }
  return masks;
}

llvm::Value *emitNeededDepth(KernelEmitter &kernel, tile::DotOp dot) {
  llvm::ArrayRef<int64_t> shape = tile::shapeOf(dot.getLhs().getType());
  if (shape.size() != 2 || tile::elementCount(dot.getType()) * shape[1] < leastProducts)
    return nullptr;
  // Where only one factor is zero the other may be infinite.
  std::array<llvm::SmallVector<LineMask, 2>, 2> masks = {depthMasksOf(dot.getLhs(), {1, 0}),
                                                         depthMasksOf(dot.getRhs(), {0, 1})};
  llvm::SmallVector<Value> scalars;
  for (const auto &ofFactor : masks) {
    if (ofFactor.empty())
      return nullptr;
    for (const LineMask &mask : ofFactor)
      if (auto found = scalarsOf(mask.tile, dot, kernel.storage()))
        scalars.append(*found);
      else
        return nullptr;
  }
  llvm::Value *needed = nullptr;
  kernel.withScalars(scalars, [&] {
    needed = kernel.builder().CreateBinaryIntrinsic(llvm::Intrinsic::smax,
                                                    emitLastLine(kernel, masks[0], shape[1]),
                                                    emitLastLine(kernel, masks[1], shape[1]));
  });
  return needed;
}

} // namespace nereid::backend::cpu
