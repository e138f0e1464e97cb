// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/llvm/ReportAsserts.h"

#include "backend/llvm/PrintSites.h"
#include "dialect/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace nereid::backend {

/// Whether one of the truths, a tile or a scalar, is false.
static Value isAnyFalse(ImplicitLocOpBuilder &b, Value truths) {
  // As numbers: lanes exchange words.
  auto numbers = [&](Type type) -> Type {
    auto tile = llvm::dyn_cast<RankedTensorType>(type);
    return tile ? Type(RankedTensorType::get(tile.getShape(), b.getI32Type())) : b.getI32Type();
  };
  Value least = arith::ExtUIOp::create(b, numbers(truths.getType()), truths);
  while (tile::isTile(least.getType())) {
    auto type = llvm::cast<RankedTensorType>(least.getType());
    Type rest = type.getRank() == 1
                    ? b.getI32Type()
                    : Type(RankedTensorType::get(type.getShape().drop_front(), b.getI32Type()));
    auto reduce = tile::ReduceOp::create(b, TypeRange{rest}, ValueRange{least}, uint32_t(0));
    OpBuilder::InsertionGuard guard(b);
    Block *block = b.createBlock(&reduce.getCombine(), {}, {b.getI32Type(), b.getI32Type()},
                                 {b.getLoc(), b.getLoc()});
    Value both = arith::AndIOp::create(b, block->getArgument(0), block->getArgument(1));
    tile::YieldOp::create(b, both);
    least = reduce.getResult(0);
  }
  Value zero = arith::ConstantIntOp::create(b, 0, 32);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, least, zero);
}

void reportAsserts(func::FuncOp function) {
  llvm::SmallVector<tile::AssertOp> asserts;
  function.walk([&](tile::AssertOp op) {
    bool isCombining = op->getParentOfType<tile::ReduceOp>() || op->getParentOfType<tile::ScanOp>();
    if (!isCombining)
      asserts.push_back(op);
  });
  for (tile::AssertOp op : asserts) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    auto branch = scf::IfOp::create(b, isAnyFalse(b, op.getCondition()), /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
    std::string text = failureText(op);
    llvm::StringRef texts[] = {text};
    auto print = tile::PrintOp::create(b, tile::PrintStyle::Inline, b.getStrArrayAttr(texts),
                                       ValueRange(), llvm::ArrayRef<bool>(), false, false);
    markAsFailure(print);
    op.erase();
  }
}

} // namespace nereid::backend
