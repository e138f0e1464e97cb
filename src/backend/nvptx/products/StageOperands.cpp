// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/products/Products.h"
#include "backend/gpu/products/SharedFactors.h"
#include "backend/nvptx/Passes.h"
#include "backend/nvptx/products/FactorPlaces.h"
#include "dialect/tile/EraseUnused.h"
#include "dialect/tile/Remark.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::backend::nvptx {

#define GEN_PASS_DEF_STAGEOPERANDS
#include "backend/nvptx/Passes.h.inc"

namespace {

class Stager {
public:
  Stager(tile::DotOp dot, const analysis::AxisAnalysis &axes, bool hasLeftRooms)
      : dot(dot), product(productOf(dot)), loc(dot.getLoc()), builder(dot), factors(dot),
        axes(axes), hasLeftRooms(hasLeftRooms) {}

  void run() {
    Value rhs = shared(dot.getRhs(), Side::Rhs);
    bool isRightMade = factors.hasRooms();
    Value lhs = findView(dot.getLhs(), Side::Lhs);
    const bool mayStayInRegisters =
        isMadeHere(dot.getLhs()) && product.getTurned() == nv::Turned::None;
    if (!lhs && hasLeftRooms && mayStayInRegisters && isFromOthers(dot.getLhs()))
      lhs = inRoomOfLoop(dot.getLhs());
    if (!lhs)
      lhs = mayStayInRegisters ? dot.getLhs() : staged(dot.getLhs(), Side::Lhs);
    builder.setInsertionPoint(dot);
    auto grid = builder.getDenseI32ArrayAttr({int(product.getBelow()), int(product.getBeside())});
    Value products =
        nv::MultiplyOp::create(builder, loc, dot.getType(), lhs, rhs, dot.getAccumulator(), grid,
                               product.getColumns(), product.getTurned());
    if (factors.hasRooms())
      if (auto turn = findTurn(rhs))
        turnEarly(turn);
    // What was put somewhere for this round is free after it.
    nv::Overlap overlap = factors.hasRooms() ? nv::Overlap::None : overlapOf(dot);
    if (factors.hasRooms() && overlapOf(dot) != nv::Overlap::None)
      remarkFactor(isRightMade);
    if (overlap == nv::Overlap::InFlight && mayReadInNextRound(lhs))
      finishAfterLoop(products);
    else
      finishHere(products, overlap == nv::Overlap::Delayed);
    dot.erase();
  }

private:
  /// Why a factor that lies in shared memory for its round alone does not stay where it was loaded.
  void remarkFactor(bool isRight) {
    Value factor = isRight ? dot.getRhs() : dot.getLhs();
    while (auto permute = factor.getDefiningOp<tile::PermuteOp>())
      factor = permute.getSource();
    tile::remark(dot, RemarkId::factor_of_round, isRight ? "right" : "left",
                 factor.getDefiningOp<nv::ReadOp>() ? "is stored along the other dimension"
                                                    : "is computed in the round");
  }

  /// What turns a factor of this round, if its tile is awaited for that alone.
  nv::TurnOp findTurn(Value room) {
    for (Operation *user : room.getUsers())
      if (auto turn = llvm::dyn_cast<nv::TurnOp>(user); turn && turn->getBlock() == dot->getBlock())
        return turn;
    return {};
  }

  /// Beside the product of the round before this one, which is waited for first.
  void turnEarly(nv::TurnOp turn) {
    llvm::SmallVector<Operation *> moved = {turn, turn.getTarget().getDefiningOp()};
    Value source = turn.getSource();
    while (auto view = source.getDefiningOp<nv::ViewOp>()) {
      moved.push_back(view);
      source = view.getSource();
    }
    auto slot = source.getDefiningOp<nv::SlotOp>();
    auto await = slot ? slot.getIndex().getDefiningOp<nv::AwaitSlotOp>() : nv::AwaitSlotOp();
    if (!await)
      return;
    moved.append({slot, await});
    for (Operation *op : moved)
      if (op->getBlock() != dot->getBlock())
        return;
    // Rooms are a stack.
    Operation *before = dot->getPrevNode();
    while (before && !llvm::isa<nv::FinishOp, nv::FreeOp>(before))
      before = before->getPrevNode();
    if (!llvm::isa_and_present<nv::FinishOp>(before) || !before->isBeforeInBlock(turn))
      return;
    for (Operation *op : llvm::reverse(moved))
      if (before->isBeforeInBlock(op))
        op->moveBefore(before);
  }

  /// Whether threads would exchange the tile for a product that its round awaits.
  bool isFromOthers(Value factor) {
    return factor.getDefiningOp<tile::PermuteOp>() && llvm::isa<scf::ForOp>(dot->getParentOp()) &&
           !llvm::is_contained(dot->getUsers(), dot->getBlock()->getTerminator());
  }

  /// A room that stays from round to round, so that it is none of the products that go on beside.
  Value inRoomOfLoop(Value factor) {
    Operation *loop = dot->getParentOp();
    OpBuilder around(loop);
    nv::SharedType type = stagedType(factor, Side::Lhs, axes, product);
    Value room = nv::AllocOp::create(around, loc, type, 1, IntegerAttr());
    around.setInsertionPointAfter(loop);
    nv::FreeOp::create(around, loc, room);
    around.setInsertionPoint(dot);
    nv::WriteOp::create(around, loc, factor, room);
    return room;
  }

  bool isMadeHere(Value factor) { return factor.getParentBlock() == dot->getBlock(); }

  /// Registers must not be written before the product that reads them is done.
  bool mayReadInNextRound(Value lhs) const {
    return !tile::isTile(lhs.getType()) || product.getLeftOfRound();
  }

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
    return factors.findView(
        factor, [&](nv::SharedType type) { return isReadable(type, side, product.getTurned()); });
  }
  Value staged(Value factor, Side side) {
    nv::SharedType type = stagedType(factor, side, axes, product);
    if (Value view =
            factors.findView(factor, [&](nv::SharedType from) { return isTurnable(from, type); }))
      return factors.turn(view, type);
    return factors.stage(factor, type);
  }
  Value shared(Value factor, Side side) {
    Value view = findView(factor, side);
    return view ? view : staged(factor, side);
  }

  tile::DotOp dot;
  nv::ProductAttr product;
  Location loc;
  OpBuilder builder;
  SharedFactors factors;
  const analysis::AxisAnalysis &axes;
  bool hasLeftRooms;
};

struct StageOperands final : ConfiguredPass<impl::StageOperandsBase<StageOperands>, StageOperands> {
  void run(func::FuncOp kernel, const Configuration &configuration) {
    const bool hasLeftRooms = configuration.policy.left_rooms && isFetchedFor(kernel);
    llvm::SmallVector<tile::DotOp> products;
    kernel.walk([&](tile::DotOp dot) {
      if (isOfWarpgroups(dot))
        products.push_back(dot);
    });
    const analysis::AxisAnalysis axes(kernel);
    for (tile::DotOp dot : products)
      Stager(dot, axes, hasLeftRooms).run();
    // Reads of what products take out of shared memory by themselves.
    tile::eraseUnused(kernel);
  }
};

} // namespace

} // namespace nereid::backend::nvptx
