// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Aliasing.h"
#include "analysis/Slice.h"
#include "backend/gpu/rings/ProductLoads.h"
#include "backend/nvptx/Passes.h"
#include "backend/nvptx/products/ProductRegisters.h"
#include "dialect/nv/LaneSources.h"
#include "dialect/tile/Remark.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::backend::nvptx {

#define GEN_PASS_DEF_OVERLAPPRODUCTS
#include "backend/nvptx/Passes.h.inc"

namespace {

/// Whether the round writes the tile that the room of a factor holds.
bool isWrittenIn(Block *round, Value factor) {
  while (llvm::isa_and_present<nv::SlotOp, nv::ViewOp>(factor.getDefiningOp()))
    factor = factor.getDefiningOp()->getOperand(0);
  return llvm::any_of(factor.getUsers(), [&](Operation *user) {
    return llvm::isa<nv::WriteOp>(user) && user->getBlock() == round;
  });
}

/// The way from a room to what a product reads: the operations in the loop that name a part of it,
/// and that wait for it to be filled. False if the room itself is made there, or the number of the
/// slot computed there.
bool findWay(Value factor, Block *body, llvm::SmallVectorImpl<Operation *> &way) {
  Operation *op = factor.getDefiningOp();
  if (!op || op->getBlock() != body)
    return true;
  if (!llvm::isa<nv::SlotOp, nv::ViewOp>(op))
    return false;
  if (auto slot = llvm::dyn_cast<nv::SlotOp>(op)) {
    Operation *number = slot.getIndex().getDefiningOp();
    if (number && number->getBlock() == body) {
      if (!llvm::isa<nv::AwaitSlotOp>(number))
        return false;
      way.push_back(number);
    }
  }
  bool isKnown = findWay(op->getOperand(0), body, way);
  way.push_back(op);
  return isKnown;
}

class LoopProducts {
public:
  LoopProducts(Block *body, unsigned mostSumRegisters, unsigned threads)
      : body(body), mostSumRegisters(mostSumRegisters),
        products(llvm::to_vector(body->getOps<nv::MultiplyOp>())) {
    const unsigned others = otherSums(threads);
    registers = sumRegisters(*body) + others;
    if (registers > mostSumRegisters)
      registers = sumRegistersAtOnce(*body) + others;
  }

  /// Whether threads use sums of several products in the round that makes them.
  bool areAwaited() { return llvm::range_size(body->getOps<nv::FinishOp>()) > 1; }

  void overlap(const analysis::Aliasing &aliasing) {
    if (products.size() > 1 && registers > mostSumRegisters)
      tile::remark(products[1], RemarkId::products_of_many_registers, registers, mostSumRegisters);
    if (!isPossible())
      return;
    for (auto load : llvm::make_early_inc_range(body->getOps<tile::LoadOp>()))
      loadEarly(load, aliasing);
    nv::MultiplyOp last = products[0];
    for (nv::MultiplyOp product : llvm::drop_begin(products))
      if (beginEarly(product, last))
        last = product;
    awaitedFirst();
    for (nv::FinishOp finish : llvm::to_vector(body->getOps<nv::FinishOp>()))
      finishLate(finish);
    for (nv::FinishOp finish : body->getOps<nv::FinishOp>())
      finish.setPending(newerThan(finish));
    // A wait for a product of this round is one for all those of the round before.
    if (!body->getOps<nv::FinishOp>().empty())
      for (auto await : llvm::make_early_inc_range(body->getOps<nv::AwaitProductsOp>()))
        await.erase();
    if (unsigned lefts = leftsInFlight(); lefts > 0 && registers + lefts > mostSumRegisters)
      awaitRoundBefore();
  }

  /// A left factor that comes back from other threads takes registers of its own. Where there are
  /// few, left factors of products that were begun before give theirs.
  void awaitBeforeExchanges() {
    unsigned lefts = 0, carried = 0;
    for (nv::MultiplyOp product : products) {
      lefts += leftRegisters(product);
      carried += isYielded(product) ? sumRegisters(product) : 0;
    }
    for (nv::MultiplyOp product : products) {
      auto turn = product.getLhs().getDefiningOp<tile::PermuteOp>();
      if (!turn || turn->getBlock() != body || isYielded(product) ||
          carried + sumRegisters(product) + lefts <= mostSumRegisters)
        continue;
      OpBuilder builder(turn);
      nv::AwaitProductsOp::create(builder, turn.getLoc(), 0);
    }
  }

  /// A row that was fetched for the round lies in shared memory until it is wanted: behind the wait
  /// for the sums that it is computed with.
  void readLate() {
    for (auto read : llvm::to_vector(body->getOps<nv::ReadOp>())) {
      llvm::SmallVector<Operation *> way = {read};
      auto isOfRowAlone = [&](Operation *user) {
        return user->getBlock() == body && user->getNumOperands() == 1 &&
               nv::hasSourceElements(user) && !tile::accessOf(user).touchesMemory();
      };
      while (way.back()->hasOneUse() && isOfRowAlone(*way.back()->user_begin()))
        way.push_back(*way.back()->user_begin());
      Operation *first = body->getTerminator();
      for (Operation *user : way.back()->getUsers())
        if (Operation *inBody = body->findAncestorOpInBlock(*user);
            inBody && inBody->isBeforeInBlock(first))
          first = inBody;
      if (tile::shapeOf(read.getType()).size() == 1)
        for (Operation *op : way)
          op->moveBefore(first);
    }
  }

  /// Nobody waits for a product behind copies of later rounds. (Those for a loop in between are
  /// wanted there, and those into rooms of the round's own before its products.)
  void copyBehindFirst() {
    if (products.empty() || isBehindLoop(products[0]) || hasCopiesOfItsOwn())
      return;
    Operation *place = products[0];
    for (Operation &op :
         llvm::make_early_inc_range(llvm::make_range(body->begin(), products[0]->getIterator()))) {
      if (!llvm::isa<nv::CopyOp, nv::CommitCopiesOp>(op))
        continue;
      op.moveAfter(place);
      place = &op;
    }
  }

private:
  /// The registers of tiles that the loop carries and that threads add up, beside its products.
  unsigned otherSums(unsigned threads) {
    unsigned others = 0;
    for (Value yielded : body->getTerminator()->getOperands())
      if (tile::isTile(yielded.getType()) && tile::shapeOf(yielded.getType()).size() == 2 &&
          !llvm::isa_and_present<nv::MultiplyOp, nv::FinishOp>(yielded.getDefiningOp()))
        others += tile::elementCount(yielded.getType()) / threads;
    return others;
  }

  bool hasCopiesOfItsOwn() {
    return llvm::any_of(body->getOps<nv::CopyOp>(), [&](nv::CopyOp copy) {
      auto room = copy.getTarget().getDefiningOp<nv::AllocOp>();
      return room && room->getBlock() == body;
    });
  }

  bool isBehindLoop(nv::MultiplyOp product) {
    return llvm::any_of(llvm::make_range(body->begin(), product->getIterator()), [](Operation &op) {
      auto isLoop = [](LoopLikeOpInterface) { return WalkResult::interrupt(); };
      return op.walk(isLoop).wasInterrupted();
    });
  }

  /// Not where a round puts factors into rooms of its own, which are free when their product is
  /// done; products that are delayed to the next round have their order from that.
  bool isPossible() {
    return products.size() > 1 && registers <= mostSumRegisters &&
           body->getOps<nv::AllocOp>().empty() &&
           llvm::none_of(body->getOps<nv::FinishOp>(),
                         [](nv::FinishOp finish) { return finish.getMayBeDelayed(); });
  }

  /// Memory is further away than the first product is long.
  void loadEarly(tile::LoadOp load, const analysis::Aliasing &aliasing) {
    if (load->isBeforeInBlock(products[0]) || load.getIsVolatile() ||
        !aliasing.isUnwritten(load, body->getParentOp()))
      return;
    auto way = findAddress(load);
    if (!way)
      return;
    for (Operation *op : *way)
      op->moveBefore(products[0]);
    load->moveBefore(products[0]);
  }

  /// What is computed behind the first product for this operation, in order; nothing if that is
  /// more than arithmetic.
  std::optional<llvm::SetVector<Operation *>> findAddress(Operation *op) {
    using analysis::Belongs;
    return analysis::backwardSlice(op->getOperands(), [&](Operation *source) {
      if (source->getBlock() != body || source->isBeforeInBlock(products[0]))
        return Belongs::No;
      bool isArithmetic =
          source != products[0] && isMemoryEffectFree(source) && source->getNumRegions() == 0;
      return isArithmetic ? Belongs::Yes : Belongs::Never;
    });
  }

  bool beginEarly(nv::MultiplyOp product, nv::MultiplyOp before) {
    Operation *sums = product.getAccumulator().getDefiningOp();
    llvm::SmallVector<Operation *> way;
    if (llvm::isa<RankedTensorType>(product.getLhs().getType()) ||
        (sums && sums->getBlock() == body) || isWrittenIn(body, product.getLhs()) ||
        !findWay(product.getLhs(), body, way) || !findWay(product.getRhs(), body, way))
      return false;
    way.push_back(product);
    Operation *place = before;
    for (Operation *op : way) {
      if (op->isBeforeInBlock(place))
        continue;
      op->moveAfter(place);
      place = op;
    }
    return true;
  }

  /// A product that the round awaits begins before one that only later rounds do, which then goes
  /// on while its sums are used; if a third one goes on while its factors are made.
  void awaitedFirst() {
    llvm::SmallVector<nv::MultiplyOp> inOrder = llvm::to_vector(body->getOps<nv::MultiplyOp>());
    nv::MultiplyOp other; // in flight from before
    for (auto [before, product] : llvm::zip(inOrder, llvm::drop_begin(inOrder))) {
      if (!isYielded(before))
        continue;
      if (other && !isYielded(product) && !isAwaitedBetween(other, product))
        before->moveAfter(product);
      else
        other = before;
    }
  }

  bool isYielded(nv::MultiplyOp product) {
    return llvm::is_contained(product->getUsers(), body->getTerminator());
  }

  /// Whether a wait between the two is for the first one or for one that began behind it.
  bool isAwaitedBetween(nv::MultiplyOp first, nv::MultiplyOp second) {
    return llvm::any_of(
        llvm::make_range(first->getIterator(), second->getIterator()), [&](Operation &op) {
          auto finish = llvm::dyn_cast<nv::FinishOp>(op);
          return finish && !finish.getProducts().getDefiningOp()->isBeforeInBlock(first);
        });
  }

  void finishLate(nv::FinishOp finish) {
    Operation *first = body->getTerminator();
    for (Operation *user : finish->getUsers()) {
      Operation *inBody = body->findAncestorOpInBlock(*user);
      if (inBody && inBody->isBeforeInBlock(first))
        first = inBody;
    }
    finish->moveBefore(first);
  }

  /// What left factors take whose products go on into the next round: nothing else may lie there
  /// before there is a wait.
  unsigned leftsInFlight() {
    unsigned registers = 0, mayBe = products.size();
    for (Operation &op : llvm::reverse(*body)) {
      if (auto finish = llvm::dyn_cast<nv::FinishOp>(op))
        mayBe = std::min<unsigned>(mayBe, finish.getPending());
      auto product = llvm::dyn_cast<nv::MultiplyOp>(op);
      if (!product || mayBe == 0)
        continue;
      --mayBe;
      if (isYielded(product))
        registers += leftRegisters(product);
    }
    return registers;
  }

  /// Behind the wait for copies, which goes on beside them. With registers for less than all that
  /// is in flight the assembler lets every single instruction of the products wait.
  void awaitRoundBefore() {
    OpBuilder builder(products[0]);
    nv::AwaitProductsOp::create(builder, products[0].getLoc(), 0);
  }

  /// How many products were begun after the one that is waited for.
  int newerThan(nv::FinishOp finish) {
    int newer = 0;
    for (Operation *op = finish.getProducts().getDefiningOp()->getNextNode(); op != finish;
         op = op->getNextNode())
      newer += llvm::isa<nv::MultiplyOp>(op);
    return newer;
  }

  Block *body;
  /// The sums of all products of a round, and the left factors of those that go on into the next;
  /// the rest is for what is computed from them.
  unsigned mostSumRegisters;
  llvm::SmallVector<nv::MultiplyOp> products;
  /// Their sums take so many at the same time.
  unsigned registers;
};

struct OverlapProducts final
    : ConfiguredPass<impl::OverlapProductsBase<OverlapProducts>, OverlapProducts> {
  void run(func::FuncOp kernel, const Configuration &configuration) {
    const bool isFetched = isFetchedFor(kernel);
    const Policy &policy = configuration.policy;
    const unsigned mostSumRegisters =
        isFetched ? policy.fetched_sum_registers : policy.sum_registers;
    analysis::Aliasing aliasing(kernel);
    kernel.walk([&](scf::ForOp loop) {
      LoopProducts products(loop.getBody(), mostSumRegisters, configuration.threads());
      if (isFetched && !products.areAwaited())
        return;
      products.overlap(aliasing);
      if (isFetched) {
        products.readLate();
        products.awaitBeforeExchanges();
      }
      products.copyBehindFirst();
    });
  }
};

} // namespace

} // namespace nereid::backend::nvptx
