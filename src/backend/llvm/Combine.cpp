// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/llvm/Combine.h"

#include "support/Check.h"

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
  const TypedAttr identity = tile::identityOf(op);
  return identity ? lanes.constant(identity, identity.getType()) : nullptr;
}

} // namespace nereid::backend
