// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/llvm/Combine.h"

#include "support/Check.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::backend {

Combiner::Values Combiner::operator()(llvm::ArrayRef<llvm::Value *> a,
                                      llvm::ArrayRef<llvm::Value *> b) {
  values.clear();
  width = LaneBuilder::widthOf(a[0]);
  for (unsigned i = 0; i < a.size(); ++i) {
    values[block.getArgument(i)] = a[i];
    values[block.getArgument(a.size() + i)] = b[i];
  }
  return emit(block);
}

llvm::Value *Combiner::get(Value value) {
  auto found = values.find(value);
  return found != values.end() ? found->second : lanes.splat(scalar(value), width);
}

Combiner::Values Combiner::emit(Block &body) {
  for (Operation &op : body.without_terminator()) {
    if (auto branch = llvm::dyn_cast<scf::IfOp>(op)) {
      emitIf(branch);
      continue;
    }
    if (auto constant = llvm::dyn_cast<arith::ConstantOp>(op)) {
      llvm::Value *lane = lanes.constant(constant.getValue(), constant.getType());
      values[constant] = lanes.splat(lane, width);
      continue;
    }
    Values operands;
    for (Value operand : op.getOperands())
      operands.push_back(get(operand));
    auto results = lanes.emit(&op, operands);
    NEREID_CHECK(!results.empty(), "no lanewise code for " + op.getName().getStringRef().str());
    for (auto [result, value] : llvm::zip(op.getResults(), results))
      values[result] = value;
  }
  Values results;
  for (Value yielded : body.getTerminator()->getOperands())
    results.push_back(get(yielded));
  return results;
}

void Combiner::emitIf(scf::IfOp branch) {
  Values thenValues = emit(*branch.thenBlock());
  Values elseValues = branch.elseBlock() ? emit(*branch.elseBlock()) : Values();
  for (auto [i, result] : llvm::enumerate(branch.getResults()))
    values[result] =
        lanes.builder().CreateSelect(get(branch.getCondition()), thenValues[i], elseValues[i]);
}

llvm::Value *identityOf(tile::ReduceOp op, LaneBuilder &lanes) {
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
  auto number = [&](double value) {
    return lanes.constant(FloatAttr::get(element, value), element);
  };
  auto bits = [&](llvm::APInt value) {
    return lanes.constant(IntegerAttr::get(element, value), element);
  };
  unsigned width = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  return llvm::TypeSwitch<Operation *, llvm::Value *>(combine)
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

} // namespace nereid::backend
