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
bool ScanOp::isLanewise() { return false; }
bool HistogramOp::isLanewise() { return false; }

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

LogicalResult ScanOp::verify() {
  if (getSources().empty() || getSources().size() != getResults().size())
    return emitOpError("needs as many results as sources, and at least one");
  ArrayRef<int64_t> shape = shapeOf(getSources()[0].getType());
  if (getAxis() >= shape.size())
    return emitOpError() << "axis " << getAxis() << " is out of range";
  for (auto [source, result] : llvm::zip(getSources(), getResults())) {
    if (shapeOf(source.getType()) != shape)
      return emitOpError("sources must have the same shape");
    if (result.getType() != source.getType())
      return emitOpError() << "result must be " << source.getType() << ", not " << result.getType();
  }
  return success();
}

/// The region of a reduction or scan: takes two scalars for each source, yields one.
static LogicalResult verifyCombine(Operation *op, Region &combine) {
  Block &block = combine.front();
  size_t count = op->getNumOperands();
  auto isElement = [&](Type type, size_t i) {
    return type == elementOf(op->getOperand(i % count).getType());
  };
  if (block.getNumArguments() != 2 * count)
    return op->emitOpError() << "region must take " << 2 * count << " scalars";
  for (auto [i, type] : llvm::enumerate(block.getArgumentTypes()))
    if (!isElement(type, i))
      return op->emitOpError("region arguments must be elements of the sources");
  if (Operation *foreign = findForeignTo(combine))
    return op->emitOpError() << "region cannot hold " << foreign->getName();
  Operation *yield = block.getTerminator();
  if (yield->getNumOperands() != count)
    return op->emitOpError() << "region must yield " << count << " scalars";
  for (auto [i, type] : llvm::enumerate(yield->getOperandTypes()))
    if (!isElement(type, i))
      return op->emitOpError("region must yield elements of the sources");
  return success();
}

LogicalResult ReduceOp::verifyRegions() { return verifyCombine(*this, getCombine()); }
LogicalResult ScanOp::verifyRegions() { return verifyCombine(*this, getCombine()); }

} // namespace nereid::tile
