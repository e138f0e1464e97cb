// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What products of threads and of warpgroups must be.
#include "dialect/nv/Verify.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <bit>

using namespace mlir;

namespace nereid::nv {

/// PTX ISA, "Asynchronous Warpgroup Level Matrix Shape": rows of one warpgroup's instruction, and
/// columns, of which layouts know the powers of two.
static constexpr int64_t rowsOfGroup = 64, leastColumns = 8, mostColumns = 256;

LogicalResult verifyGrid(Operation *op, llvm::ArrayRef<int32_t> grid, int64_t columns,
                         Turned turned, llvm::ArrayRef<int64_t> sums) {
  auto isPower = [](int64_t number) {
    return number > 0 && std::has_single_bit(static_cast<uint64_t>(number));
  };
  if (grid.size() != 2 || !llvm::all_of(grid, isPower))
    return op->emitOpError(
        "grid must be two powers of two: warpgroups below and beside one another");
  if (!isPower(columns) || columns < leastColumns || columns > mostColumns)
    return op->emitOpError() << "an instruction computes a power of two of columns, "
                             << leastColumns << " to " << mostColumns << ", not " << columns;
  const bool isTransposed = turned == Turned::Right;
  const int64_t below = (isTransposed ? columns : rowsOfGroup) * grid[0],
                beside = (isTransposed ? rowsOfGroup : columns) * grid[1];
  if (sums[0] % below != 0 || sums[1] % beside != 0)
    return op->emitOpError() << "a tile of " << sums[0] << " x " << sums[1]
                             << " is no multiple of what its warpgroups compute at once, " << below
                             << " x " << beside;
  return success();
}

/// Shapes and element types of factors and sums.
static LogicalResult verifyShapes(Operation *op, Type lhs, Type rhs, Type sums, bool allowsBatch) {
  TileShape a = tileShapeOf(lhs), b = tileShapeOf(rhs), c = tileShapeOf(sums);
  size_t rank = c.sizes.size();
  bool isPossible = rank == 2 || (rank == 3 && allowsBatch);
  if (!isPossible || a.sizes.size() != rank || b.sizes.size() != rank)
    return op->emitOpError() << "factors and sums must all have two dimensions"
                             << (allowsBatch ? ", or all three" : "");
  auto fits = [&](int64_t m, int64_t k, int64_t otherK, int64_t n) {
    return k == otherK && m == c.sizes[rank - 2] && n == c.sizes[rank - 1];
  };
  if (!fits(a.sizes[rank - 2], a.sizes[rank - 1], b.sizes[rank - 2], b.sizes[rank - 1]) ||
      (rank == 3 && (a.sizes[0] != c.sizes[0] || b.sizes[0] != c.sizes[0])))
    return op->emitOpError() << "shapes do not fit: " << lhs << " times " << rhs << " into " << sums
                             << " is not m x k times k x n into m x n";
  bool isSameSize = tile::byteSizeOf(a.element) == tile::byteSizeOf(b.element);
  bool areFloat8 = isSameSize && tile::byteSizeOf(a.element) == 1 &&
                   llvm::isa<FloatType>(a.element) && llvm::isa<FloatType>(b.element);
  if (a.element != b.element && !areFloat8)
    return op->emitOpError("both factors must have the same element type, or be floats of 8 bits");
  return success();
}

LogicalResult MultiplyAddOp::verify() {
  if (failed(verifyShapes(*this, getLhs().getType(), getRhs().getType(), getType(),
                          /*allowsBatch=*/true)))
    return failure();
  if (!std::has_single_bit(getWarps()))
    return emitOpError() << "is of a power of two of warps, not of " << getWarps();
  const layout::LinearLayout *layout = findLayout(getType());
  if (layout && *layout != resultLayout())
    return emitOpError("has its sums where its warps add them up, and its type says elsewhere");
  return success();
}

/// Whether sums in flight may go there.
static bool mayTakeSums(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto multiply = llvm::dyn_cast<MultiplyOp>(user))
    return use.getOperandNumber() == multiply.getAccumulatorMutable().getOperandNumber();
  return llvm::isa<FinishOp>(user) ||
         (llvm::isa<scf::YieldOp>(user) && llvm::isa<scf::ForOp>(user->getParentOp()));
}

/// A factor that is turned lies in shared memory, and is of bytes.
static LogicalResult verifyTurned(MultiplyOp op) {
  if (op.getTurned() == Turned::None)
    return success();
  auto lhs = llvm::dyn_cast<SharedType>(op.getLhs().getType());
  if (!lhs || tile::byteSizeOf(lhs.getElementType()) != 1)
    return op.emitOpError("turns a factor of bytes, of two that lie in shared memory");
  return success();
}

LogicalResult MultiplyOp::verify() {
  if (failed(verifyShapes(*this, getLhs().getType(), getRhs().getType(), getType(),
                          /*allowsBatch=*/false)) ||
      failed(verifyGrid(*this, getGrid(), getColumns(), getTurned(), tile::shapeOf(getType()))) ||
      failed(verifyTurned(*this)))
    return failure();
  for (OpOperand &use : getResult().getUses())
    if (!mayTakeSums(use))
      return emitOpError() << "is in flight: " << use.getOwner()->getName()
                           << " may take its sums behind nv.finish";
  const layout::LinearLayout *layout = findLayout(getType());
  if (layout && *layout != resultLayout())
    return emitOpError(
        "has its sums where its instructions leave them, and its type says elsewhere");
  const layout::LinearLayout *left = findLayout(getLhs().getType());
  if (left && *left != lhsLayout())
    return emitOpError("takes its left factor as instructions read it, and it lies elsewhere");
  return success();
}

bool isInFlight(Value sums) {
  if (sums.getDefiningOp<MultiplyOp>())
    return true;
  scf::ForOp loop;
  unsigned number = 0;
  if (auto argument = llvm::dyn_cast<BlockArgument>(sums)) {
    loop = llvm::dyn_cast_if_present<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument == loop.getInductionVar())
      return false;
    number = argument.getArgNumber() - 1;
  } else {
    loop = sums.getDefiningOp<scf::ForOp>();
    number = llvm::cast<OpResult>(sums).getResultNumber();
  }
  return loop && loop.getYieldedValues()[number].getDefiningOp<MultiplyOp>();
}

LogicalResult FinishOp::verify() {
  if (!isInFlight(getProducts()))
    return emitOpError("waits for sums of nv.multiply, or for what a loop carries of them");
  return success();
}

} // namespace nereid::nv
