// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/StageOperands.h"

#include "backend/nvptx/FactorPlaces.h"
#include "backend/nvptx/WarpgroupDots.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace nereid::backend::nvptx {
namespace {

class Stager {
public:
  Stager(tile::DotOp dot, WarpgroupShape shape)
      : dot(dot), shape(shape), loc(dot.getLoc()), builder(dot) {}

  void run() {
    Value rhs = shared(dot.getRhs(), Side::Rhs);
    Value lhs = findView(dot.getLhs(), Side::Lhs);
    if (!lhs)
      lhs = isMadeHere(dot.getLhs()) ? dot.getLhs() : staged(dot.getLhs(), Side::Lhs);
    builder.setInsertionPoint(dot);
    auto grid = builder.getDenseI32ArrayAttr({int(shape.grid.m), int(shape.grid.n)});
    Value products = nv::MultiplyOp::create(builder, loc, dot.getType(), lhs, rhs,
                                            dot.getAccumulator(), grid, shape.columns);
    // What was put somewhere for this round is free after it.
    Overlap overlap = rooms.empty() ? overlapOf(dot) : Overlap::None;
    if (overlap == Overlap::InFlight && lhs != dot.getLhs())
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
    for (Value room : llvm::reverse(rooms))
      nv::FreeOp::create(builder, loc, room);
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

  Value shared(Value factor, Side side) {
    Value view = findView(factor, side);
    return view ? view : staged(factor, side);
  }

  /// The slot from which the factor is read, perhaps turned, if wgmma can read it there.
  Value findView(Value factor, Side side) {
    llvm::SmallVector<tile::PermuteOp> turns;
    while (auto permute = factor.getDefiningOp<tile::PermuteOp>()) {
      turns.push_back(permute);
      factor = permute.getSource();
    }
    auto read = factor.getDefiningOp<nv::ReadOp>();
    if (!read)
      return {};
    Value view = read.getSource();
    builder.setInsertionPoint(read);
    for (tile::PermuteOp turn : llvm::reverse(turns))
      view = nv::ViewOp::create(builder, loc, view, llvm::to_vector_of<int32_t>(turn.getOrder()));
    return isReadable(llvm::cast<nv::SharedType>(view.getType()), side) ? view : Value();
  }

  /// Put into shared memory where it is made: once for all rounds of loops that it is made before.
  Value staged(Value factor, Side side) {
    Operation *user = factor.getParentBlock()->findAncestorOpInBlock(*dot);
    builder.setInsertionPoint(user);
    Value room = nv::AllocOp::create(builder, loc, stagedType(factor, side), 1);
    nv::WriteOp::create(builder, loc, factor, room);
    if (user == dot) {
      rooms.push_back(room);
      return room;
    }
    Operation *last = user;
    while (llvm::isa<nv::FinishOp>(last->getNextNode()))
      last = last->getNextNode();
    builder.setInsertionPointAfter(last);
    nv::FreeOp::create(builder, loc, room);
    return room;
  }

  tile::DotOp dot;
  WarpgroupShape shape;
  Location loc;
  OpBuilder builder;
  llvm::SmallVector<Value> rooms; // of this round
};

/// Reads, perhaps turned, of what products take out of shared memory by themselves.
void eraseUnusedReads(func::FuncOp kernel) {
  llvm::SmallVector<Operation *> reads;
  kernel.walk([&](Operation *op) {
    if (llvm::isa<nv::ReadOp, tile::PermuteOp>(op))
      reads.push_back(op);
  });
  for (Operation *op : llvm::reverse(reads))
    if (op->use_empty())
      op->erase();
}

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
