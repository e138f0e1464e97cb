// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/StageOperands.h"

#include "backend/nvptx/FactorPlaces.h"
#include "backend/nvptx/SharedFactors.h"
#include "backend/nvptx/WarpgroupDots.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::backend::nvptx {
namespace {

class Stager {
public:
  Stager(tile::DotOp dot, WarpgroupShape shape)
      : dot(dot), shape(shape), loc(dot.getLoc()), builder(dot), factors(dot) {}

  void run() {
    Value rhs = shared(dot.getRhs(), Side::Rhs);
    Value lhs = findView(dot.getLhs(), Side::Lhs);
    if (!lhs)
      lhs = isMadeHere(dot.getLhs()) ? dot.getLhs() : staged(dot.getLhs(), Side::Lhs);
    builder.setInsertionPoint(dot);
    auto grid = builder.getDenseI32ArrayAttr({int(shape.grid.m), int(shape.grid.n)});
    Value products = nv::MultiplyOp::create(builder, loc, dot.getType(), lhs, rhs,
                                            dot.getAccumulator(), grid, shape.columns,
                                            /*leftPending=*/IntegerAttr());
    // What was put somewhere for this round is free after it.
    Overlap overlap = factors.hasRooms() ? Overlap::None : overlapOf(dot);
    if (overlap == Overlap::InFlight)
      finishAfterLoop(products);
    else
      finishHere(products, overlap == Overlap::Delayed);
    dot.erase();
  }

private:
  bool isMadeHere(Value factor) { return factor.getParentBlock() == dot->getBlock(); }

  void finishHere(Value products, bool mayBeDelayed) {
    auto done = nv::FinishOp::create(builder, loc, products);
    done.setMayBeDelayed(mayBeDelayed);
    factors.freeRooms(builder);
    dot.getResult().replaceAllUsesWith(done);
  }

  /// One product goes on while the next round begins.
  void finishAfterLoop(Value products) {
    auto loop = llvm::cast<scf::ForOp>(dot->getParentOp());
    nv::AwaitProductsOp::create(builder, loc, 1);
    OpResult result = loop->getResult(dot.getResult().use_begin()->getOperandNumber());
    dot.getResult().replaceAllUsesWith(products);
    builder.setInsertionPointAfter(loop);
    auto done = nv::FinishOp::create(builder, loc, result);
    result.replaceAllUsesExcept(done, done);
  }

  Value findView(Value factor, Side side) {
    return factors.findView(factor, [side](nv::SharedType type) { return isReadable(type, side); });
  }
  Value staged(Value factor, Side side) { return factors.stage(factor, stagedType(factor, side)); }
  Value shared(Value factor, Side side) {
    Value view = findView(factor, side);
    return view ? view : staged(factor, side);
  }

  tile::DotOp dot;
  WarpgroupShape shape;
  Location loc;
  OpBuilder builder;
  SharedFactors factors;
};

} // namespace

void stageOperands(func::FuncOp kernel, const target::NvidiaTarget &target, unsigned warps) {
  llvm::SmallVector<std::pair<tile::DotOp, WarpgroupShape>> dots;
  kernel.walk([&](tile::DotOp dot) {
    if (std::optional<WarpgroupShape> shape = warpgroupShape(dot, target, warps))
      dots.emplace_back(dot, *shape);
  });
  for (auto [dot, shape] : dots)
    Stager(dot, shape).run();
  eraseUnusedReads(kernel);
}

} // namespace nereid::backend::nvptx
