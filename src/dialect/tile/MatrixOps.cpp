// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/tile/Tile.h"

using namespace mlir;

namespace nereid::tile {

bool DotOp::isLanewise() { return false; }

LogicalResult DotOp::verify() {
  auto lhs = llvm::cast<RankedTensorType>(getLhs().getType());
  auto rhs = llvm::cast<RankedTensorType>(getRhs().getType());
  auto result = llvm::cast<RankedTensorType>(getType());
  int64_t rank = lhs.getRank();
  if ((rank != 2 && rank != 3) || rhs.getRank() != rank || result.getRank() != rank)
    return emitOpError("operands and result must all have rank 2 or all rank 3");
  bool fits = lhs.getDimSize(rank - 1) == rhs.getDimSize(rank - 2) &&
              lhs.getDimSize(rank - 2) == result.getDimSize(rank - 2) &&
              rhs.getDimSize(rank - 1) == result.getDimSize(rank - 1);
  if (rank == 3)
    fits &= lhs.getDimSize(0) == rhs.getDimSize(0) && lhs.getDimSize(0) == result.getDimSize(0);
  if (!fits)
    return emitOpError() << "shapes do not fit: " << lhs << " times " << rhs << " into " << result;
  Type element = lhs.getElementType(), other = rhs.getElementType();
  auto hasFloat8 = [](Type type) { return dtypeOf(type) && isFloat8(*dtypeOf(type)); };
  if (element != other && !(hasFloat8(element) && hasFloat8(other)))
    return emitOpError("both factors must have the same element type, or be floats of 8 bits");
  bool isFloat = llvm::isa<FloatType>(element);
  if (isFloat != llvm::isa<FloatType>(result.getElementType()) || llvm::isa<PointerType>(element))
    return emitOpError("factors and accumulator must be both float or both integer");
  return success();
}

} // namespace nereid::tile
