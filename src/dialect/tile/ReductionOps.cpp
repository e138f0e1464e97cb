// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::tile {

Operation *findForeignTo(Region &combine) {
  Operation *foreign = nullptr;
  combine.walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool isArithmetic = isElementwise(op) && !accessOf(op).touchesMemory();
    if (isArithmetic || op->hasTrait<OpTrait::ReturnLike>() ||
        llvm::isa<scf::IfOp, AssertOp, AssumeOp>(op))
      return WalkResult::advance();
    foreign = op;
    return WalkResult::interrupt();
  });
  return foreign;
}

bool ReduceOp::isLanewise() { return false; }

LogicalResult ReduceOp::verify() {
  if (getSources().empty() || getSources().size() != getResults().size())
    return emitOpError("needs as many results as sources, and at least one");
  ArrayRef<int64_t> shape = shapeOf(getSources()[0].getType());
  if (getAxis() >= shape.size())
    return emitOpError() << "axis " << getAxis() << " is out of range";
  llvm::SmallVector<int64_t> reduced(shape);
  reduced.erase(reduced.begin() + getAxis());
  for (auto [source, result] : llvm::zip(getSources(), getResults())) {
    if (shapeOf(source.getType()) != shape)
      return emitOpError("sources must have the same shape");
    Type element = elementOf(source.getType());
    if (!isTileOf(result.getType(), reduced, element))
      return emitOpError() << "result must be " << tileOf(reduced, element) << ", not "
                           << result.getType();
  }
  return success();
}

LogicalResult ReduceOp::verifyRegions() {
  Block &block = getCombine().front();
  size_t count = getSources().size();
  auto isElement = [&](Type type, size_t i) {
    return type == elementOf(getSources()[i % count].getType());
  };
  if (block.getNumArguments() != 2 * count)
    return emitOpError() << "region must take " << 2 * count << " scalars";
  for (auto [i, type] : llvm::enumerate(block.getArgumentTypes()))
    if (!isElement(type, i))
      return emitOpError("region arguments must be elements of the sources");
  if (Operation *foreign = findForeignTo(getCombine()))
    return emitOpError() << "region cannot hold " << foreign->getName();
  Operation *yield = block.getTerminator();
  if (yield->getNumOperands() != count)
    return emitOpError() << "region must yield " << count << " scalars";
  for (auto [i, type] : llvm::enumerate(yield->getOperandTypes()))
    if (!isElement(type, i))
      return emitOpError("region must yield elements of the sources");
  return success();
}

} // namespace nereid::tile
