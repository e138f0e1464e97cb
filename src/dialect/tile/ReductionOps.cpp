// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/TypeSwitch.h"

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

TypedAttr identityOf(ReduceOp op) {
  Block &block = op.getCombine().front();
  if (llvm::range_size(block.without_terminator()) != 1 || op.getSources().size() != 1)
    return nullptr;
  Operation *combine = &block.front();
  bool isPlain = combine->getNumOperands() == 2 &&
                 llvm::equal(combine->getOperands(), block.getArguments()) &&
                 block.getTerminator()->getOperand(0).getDefiningOp() == combine;
  Type element = block.getArgument(0).getType();
  // Floats of 8 bits may lack the infinity that would be it.
  bool isFloat8 = llvm::isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8;
  if (!isPlain || isFloat8)
    return nullptr;
  auto number = [&](double value) { return FloatAttr::get(element, value); };
  auto bits = [&](llvm::APInt value) { return IntegerAttr::get(element, value); };
  unsigned width = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  return llvm::TypeSwitch<Operation *, TypedAttr>(combine)
      .Case([&](arith::AddFOp) { return number(-0.0); })
      .Case([&](arith::MulFOp) { return number(1.0); })
      .Case<arith::MaxNumFOp, arith::MinNumFOp>([&](Operation *) { return number(NAN); })
      .Case([&](arith::MaximumFOp) { return number(-INFINITY); })
      .Case([&](arith::MinimumFOp) { return number(INFINITY); })
      .Case<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(
          [&](Operation *) { return bits(llvm::APInt::getZero(width)); })
      .Case([&](arith::MulIOp) { return bits(llvm::APInt(width, 1)); })
      .Case<arith::AndIOp, arith::MinUIOp>(
          [&](Operation *) { return bits(llvm::APInt::getAllOnes(width)); })
      .Case([&](arith::MaxSIOp) { return bits(llvm::APInt::getSignedMinValue(width)); })
      .Case([&](arith::MinSIOp) { return bits(llvm::APInt::getSignedMaxValue(width)); })
      .Default([](Operation *) { return nullptr; });
}

bool ReduceOp::isLanewise() { return false; }
bool ScanOp::isLanewise() { return false; }
bool HistogramOp::isLanewise() { return false; }

/// What reductions and scans ask of their sources alike.
template <typename Combining> static LogicalResult verifySources(Combining op) {
  OperandRange sources = op.getSources();
  if (sources.empty() || sources.size() != op.getResults().size())
    return op.emitOpError("needs as many results as sources, and at least one");
  ArrayRef<int64_t> shape = shapeOf(sources[0].getType());
  if (op.getAxis() >= shape.size())
    return op.emitOpError() << "axis " << op.getAxis() << " is out of range";
  if (llvm::any_of(sources.getTypes(), [&](Type type) { return shapeOf(type) != shape; }))
    return op.emitOpError("sources must have the same shape");
  return success();
}

LogicalResult ReduceOp::verify() {
  if (failed(verifySources(*this)))
    return failure();
  llvm::SmallVector<int64_t> reduced(shapeOf(getSources()[0].getType()));
  reduced.erase(reduced.begin() + getAxis());
  for (auto [source, result] : llvm::zip(getSources(), getResults())) {
    Type element = elementOf(source.getType());
    if (!isTileOf(result.getType(), reduced, element))
      return emitOpError() << "result must be " << tileOf(reduced, element) << ", not "
                           << result.getType();
  }
  return success();
}

LogicalResult ScanOp::verify() {
  if (failed(verifySources(*this)))
    return failure();
  for (auto [source, result] : llvm::zip(getSources(), getResults())) {
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
