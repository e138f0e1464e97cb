// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Aliasing.h"
#include "backend/gpu/Passes.h"
#include "backend/gpu/tiles/Pieces.h"
#include "dialect/tile/EraseUnused.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nereid::backend::gpu {

namespace {

/// The dimension whose pieces are independent: each row of a product comes from one of its left
/// factor.
constexpr unsigned rowDim = 0;

class Rows {
public:
  Rows(func::FuncOp kernel, const Configuration &configuration)
      : body(kernel.getBody().front()), threads(configuration.threads()),
        warps(configuration.warps), sumRegisters(configuration.policy.sum_registers),
        aliasing(kernel) {}

  void run() {
    auto isWanted = [&](scf::ForOp loop) { return isTooLarge(loop) && findStores(loop); };
    while (llvm::any_of(body.getOps<scf::ForOp>(), isWanted))
      build();
  }

private:
  /// The rows of all its sums; 0 if they have not all as many, or there are none.
  static int64_t rowsOf(scf::ForOp loop) {
    llvm::SmallSetVector<int64_t, 2> counts;
    for (Value sums : carriedSums(loop))
      counts.insert(tile::shapeOf(sums.getType())[rowDim]);
    return counts.size() == 1 ? counts[0] : 0;
  }
  int64_t registersOf(scf::ForOp loop) const {
    int64_t registers = 0;
    for (Value sums : carriedSums(loop))
      registers += llvm::divideCeil(tile::elementCount(sums.getType()), threads);
    return registers;
  }

  bool isTooLarge(scf::ForOp loop) const { return registersOf(loop) > sumRegisters; }

  /// The stores that the loop's sums end in, and nowhere else: all they go through has pieces.
  bool findStores(scf::ForOp loop) {
    stores.clear();
    asked.clear();
    rows = rowsOf(loop);
    llvm::SetVector<Value> values;
    for (auto [result, argument] : llvm::zip(loop.getResults(), loop.getRegionIterArgs()))
      if (isCarriedSum(argument))
        values.insert(result);
    llvm::SetVector<Operation *> loops;
    loops.insert(loop);
    for (size_t i = 0; i < values.size(); ++i)
      for (OpOperand &use : values[i].getUses())
        if (!follow(use, values, loops))
          return false;
    // What else they give goes from one of them to the next, or nowhere.
    for (Operation *each : loops)
      for (Value result : each->getResults())
        if (!values.contains(result) && !endsIn(loops, result))
          return false;
    length = rows;
    int64_t registers = registersOf(loop);
    for (; registers > sumRegisters && length % 2 == 0; registers /= 2)
      length /= 2;
    constexpr int64_t leastRows = 16; // of a warp, as the tensor cores take them
    bool isDivided = length >= leastRows * (warps) && length < rows;
    return isDivided && !stores.empty() && isFreeOfOtherWrites() &&
           llvm::all_of(stores, [&](tile::StoreOp store) {
             return llvm::all_of(store->getOperands(), [&](Value operand) {
               return !tile::isTile(operand.getType()) || mayTakePiece(operand, rowDim);
             });
           });
  }

  static bool endsIn(const llvm::SetVector<Operation *> &loops, Value value) {
    return llvm::all_of(value.getUsers(), [&](Operation *user) {
      return loops.contains(user) || (user->getNumRegions() == 0 && isMemoryEffectFree(user) &&
                                      llvm::all_of(user->getResults(), [&](Value result) {
                                        return endsIn(loops, result);
                                      }));
    });
  }

  bool follow(OpOperand &use, llvm::SetVector<Value> &values, llvm::SetVector<Operation *> &loops) {
    Operation *user = use.getOwner();
    if (user->getBlock() != &body)
      return false;
    if (auto store = llvm::dyn_cast<tile::StoreOp>(user)) {
      if (!llvm::is_contained(stores, store))
        stores.push_back(store);
      return true;
    }
    if (auto next = llvm::dyn_cast<scf::ForOp>(user)) {
      loops.insert(next);
      BlockArgument argument = next.getTiedLoopRegionIterArg(&use);
      if (!argument || !isCarriedSum(argument) || rowsOf(next) != rows)
        return false;
      values.insert(next.getTiedLoopResult(argument));
      return true;
    }
    if (!hasPieces(user) || dimOfOperand(use, rowDim) != rowDim)
      return false;
    values.insert(user->getResult(0));
    return true;
  }

  /// Up to the last store nothing else writes or waits, and the stores write what nobody reads
  /// there: all of it may be computed at the last store.
  bool isFreeOfOtherWrites() {
    llvm::sort(stores, [](tile::StoreOp a, tile::StoreOp c) { return a->isBeforeInBlock(c); });
    auto meetsOneOf = [&](llvm::ArrayRef<tile::StoreOp> some, Value pointer) {
      return llvm::any_of(
          some, [&](tile::StoreOp store) { return aliasing.mayMeet(store.getPointer(), pointer); });
    };
    for (auto [i, store] : llvm::enumerate(stores))
      if (meetsOneOf(llvm::ArrayRef(stores).take_front(i), store.getPointer()))
        return false;
    for (Operation &op : body) {
      if (&op == stores.back())
        return true;
      WalkResult found = op.walk([&](Operation *inner) {
        tile::Access access = tile::accessOf(inner);
        if (inner->getNumRegions() > 0 || llvm::is_contained(stores, inner) ||
            !access.touchesMemory())
          return WalkResult::advance();
        bool isApart = !access.isOrdered() && !access.writes && !meetsOneOf(stores, access.pointer);
        return isApart ? WalkResult::advance() : WalkResult::interrupt();
      });
      if (found.wasInterrupted())
        return false;
    }
    return true;
  }

  bool mayTakePiece(Value value, unsigned dim) {
    if (!asked.insert({value, dim}).second)
      return true;
    if (auto argument = llvm::dyn_cast<BlockArgument>(value))
      return dim == rowDim && isCarriedSum(argument);
    Operation *op = value.getDefiningOp();
    if (auto loop = llvm::dyn_cast<scf::ForOp>(op)) {
      if (loop->getBlock() != &body || rowsOf(loop) != rows || dim != rowDim ||
          !keepsSumsApart(loop, rowDim))
        return false;
      for (auto [argument, init, yielded] :
           llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs(), loop.getYieldedValues()))
        if (isCarriedSum(argument) &&
            !(mayTakePiece(init, rowDim) && mayTakePiece(yielded, rowDim)))
          return false;
      return true;
    }
    return hasPieces(op) && llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
             std::optional<unsigned> at = dimOfOperand(operand, dim);
             return !at || mayTakePiece(operand.get(), *at);
           });
  }

  void build() {
    Operation *last = stores.back();
    Location loc = last->getLoc();
    OpBuilder b(last);
    auto constant = [&](int64_t value) {
      return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
    };
    auto loop = scf::ForOp::create(b, loc, constant(0), constant(rows), constant(length));
    b.setInsertionPointToStart(loop.getBody());
    Pieces pieces(b, loop.getInductionVar(), length);
    for (tile::StoreOp store : stores)
      pieces.cloneEffect(store, rowDim);
    for (tile::StoreOp store : stores)
      store.erase();
    tile::eraseUnused(body.getParentOp());
  }

  Block &body;
  int64_t threads, warps, sumRegisters;
  analysis::Aliasing aliasing;
  llvm::SmallVector<tile::StoreOp> stores;
  int64_t rows = 0, length = 0;
  llvm::DenseSet<std::pair<Value, unsigned>> asked;
};

} // namespace

void loopOverRows(func::FuncOp kernel, const Configuration &configuration) {
  Rows(kernel, configuration).run();
}

} // namespace nereid::backend::gpu
