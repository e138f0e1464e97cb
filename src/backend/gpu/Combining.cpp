// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/Combining.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::backend::gpu {

bool isCommutative(Block &combine) {
  unsigned count = combine.getNumArguments() / 2;
  return llvm::all_of(llvm::enumerate(combine.getTerminator()->getOperands()), [&](auto result) {
    Operation *op = result.value().getDefiningOp();
    Value a = combine.getArgument(result.index()), b = combine.getArgument(result.index() + count);
    return op && op->hasTrait<OpTrait::IsCommutative>() && op->getNumOperands() == 2 &&
           llvm::is_contained(op->getOperands(), a) && llvm::is_contained(op->getOperands(), b);
  });
}

static std::optional<WholeReduction> wholeReductionOf(Operation *op) {
  using Kind = std::optional<WholeReduction>;
  return llvm::TypeSwitch<Operation *, Kind>(op)
      .Case([](arith::AddIOp) { return WholeReduction::Add; })
      .Case([](arith::MinSIOp) { return WholeReduction::MinSigned; })
      .Case([](arith::MaxSIOp) { return WholeReduction::MaxSigned; })
      .Case([](arith::MinUIOp) { return WholeReduction::MinUnsigned; })
      .Case([](arith::MaxUIOp) { return WholeReduction::MaxUnsigned; })
      .Case([](arith::AndIOp) { return WholeReduction::And; })
      .Case([](arith::OrIOp) { return WholeReduction::Or; })
      .Case([](arith::XOrIOp) { return WholeReduction::Xor; })
      .Default([](Operation *) { return Kind(); });
}

std::optional<llvm::SmallVector<WholeReduction>> wholeReductionsOf(Block &combine) {
  if (!isCommutative(combine))
    return std::nullopt;
  llvm::SmallVector<WholeReduction> kinds;
  for (Value result : combine.getTerminator()->getOperands()) {
    auto kind = wholeReductionOf(result.getDefiningOp());
    if (!kind || !result.getType().isInteger(32))
      return std::nullopt;
    kinds.push_back(*kind);
  }
  return kinds;
}

} // namespace nereid::backend::gpu
