// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/AffineTiles.h"
#include "backend/gpu/Passes.h"
#include "dialect/tile/Tile.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace nereid::backend::gpu {

namespace {

using analysis::AffineTile;
using analysis::AffineTiles;
using analysis::Polynomial;

/// A comparison that holds for all elements of its tile while slope * induction <= room.
struct Limit {
  arith::CmpIOp compare;
  Polynomial room;
  int64_t slope;
};

class Split {
public:
  /// `least` elements of a round are to be chosen, all threads together.
  Split(scf::ForOp loop, AffineTiles &tiles, uint64_t least)
      : loop(loop), tiles(tiles), least(least) {}

  bool find() {
    if (loop.getUnsignedCmp() || loop.getBody()->getOps<tile::DotOp>().empty())
      return false;
    std::optional<AffineTile> lower = tiles.of(loop.getLowerBound()),
                              upper = tiles.of(loop.getUpperBound()), by = tiles.of(loop.getStep());
    std::optional<int64_t> constantStep = by ? by->start.constant() : std::nullopt;
    std::optional<Polynomial> length =
        lower && upper ? Polynomial::difference(upper->start, lower->start) : std::nullopt;
    if (!constantStep || *constantStep <= 0 || !length || length->constant())
      return false;
    step = *constantStep;
    for (auto compare : loop.getBody()->getOps<arith::CmpIOp>())
      if (!limit && tile::isTile(compare.getType()) && isChoice(compare))
        limit = limitOf(compare);
    return limit && chosenElements(limit->compare) >= least;
  }

  void run() {
    OpBuilder builder(loop);
    Location loc = loop.getLoc();
    Value rounds = wholeRounds(builder, loc);
    Value distance = arith::MulIOp::create(builder, loc, rounds, loop.getStep());
    Value middle = arith::AddIOp::create(builder, loc, loop.getLowerBound(), distance);
    IRMapping map;
    auto first = llvm::cast<scf::ForOp>(builder.clone(*loop, map));
    first.setUpperBound(middle);
    Operation *always = map.lookup(limit->compare.getResult()).getDefiningOp();
    for (Operation *user : llvm::make_early_inc_range(always->getUsers())) {
      auto choice = llvm::cast<arith::SelectOp>(user);
      choice.replaceAllUsesWith(choice.getTrueValue());
      choice.erase();
    }
    loop.setLowerBound(middle);
    for (auto [number, init] : llvm::enumerate(loop.getInitArgsMutable()))
      init.set(carriedInto(number, rounds, first, builder));
  }

private:
  static bool isChoice(arith::CmpIOp compare) {
    return !compare->use_empty() && llvm::all_of(compare->getUses(), [](OpOperand &use) {
      return llvm::isa<arith::SelectOp>(use.getOwner()) && use.getOperandNumber() == 0;
    });
  }

  static uint64_t chosenElements(arith::CmpIOp compare) {
    const uint64_t ofEach = tile::elementCount(compare.getType());
    return ofEach * std::distance(compare->use_begin(), compare->use_end());
  }

  bool isKnownBefore(const Polynomial &polynomial) {
    return llvm::all_of(polynomial.terms(), [&](const auto &term) {
      return llvm::all_of(term.first, [&](analysis::Symbol symbol) {
        Value value = tiles[symbol].value;
        return value && !loop->isAncestor(value.getParentRegion()->getParentOp());
      });
    });
  }

  std::optional<Limit> limitOf(arith::CmpIOp compare) {
    using P = arith::CmpIPredicate;
    P predicate = compare.getPredicate();
    bool isMore = predicate == P::sge || predicate == P::sgt;
    if (!isMore && predicate != P::sle && predicate != P::slt)
      return std::nullopt;
    std::optional<AffineTile> more = tiles.of(isMore ? compare.getLhs() : compare.getRhs()),
                              less = tiles.of(isMore ? compare.getRhs() : compare.getLhs());
    std::optional<Polynomial> room =
        more && less ? Polynomial::difference(more->start, less->start) : std::nullopt;
    int64_t least = predicate == P::sgt || predicate == P::slt ? -1 : 0;
    llvm::ArrayRef<int64_t> shape = tile::shapeOf(compare.getType());
    for (unsigned i = 0; room && i < shape.size(); ++i) {
      std::optional<Polynomial> stride = Polynomial::difference(more->strides[i], less->strides[i]);
      std::optional<int64_t> slope = stride ? stride->constant() : std::nullopt;
      if (!slope)
        return std::nullopt;
      least += std::min<int64_t>(0, *slope * (shape[i] - 1));
    }
    if (room)
      room = Polynomial::sum(*room, least);
    return room ? withoutInduction(compare, *room) : std::nullopt;
  }

  /// Where the room shrinks by the same number for each step of the induction variable.
  std::optional<Limit> withoutInduction(arith::CmpIOp compare, const Polynomial &room) {
    analysis::Symbol induction = tiles.symbolOf(loop.getInductionVar());
    Limit limit{compare, {}, 0};
    for (const auto &[symbols, coefficient] : room.terms()) {
      if (symbols.size() == 1 && symbols[0] == induction) {
        limit.slope = -coefficient;
        continue;
      }
      std::optional<Polynomial> sum =
          Polynomial::sum(limit.room, Polynomial::product(coefficient, symbols));
      if (!sum)
        return std::nullopt;
      limit.room = *sum;
    }
    return limit.slope > 0 && isKnownBefore(limit.room) ? std::optional(limit) : std::nullopt;
  }

  /// How many rounds, from the first on, need not choose.
  Value wholeRounds(OpBuilder &builder, Location loc) {
    Type i64 = builder.getI64Type(), type = loop.getInductionVar().getType();
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
    };
    auto wide = [&](Value value) -> Value {
      return type == i64 ? value : arith::ExtSIOp::create(builder, loc, i64, value).getResult();
    };
    // A quotient that is not below zero; of what is, none.
    auto quotient = [&](Value dividend, int64_t divisor) -> Value {
      Value positive = arith::MaxSIOp::create(builder, loc, dividend, number(0));
      return arith::DivSIOp::create(builder, loc, positive, number(divisor));
    };
    Value lower = wide(loop.getLowerBound());
    Value length = arith::SubIOp::create(builder, loc, wide(loop.getUpperBound()), lower);
    Value all = quotient(arith::AddIOp::create(builder, loc, length, number(step - 1)), step);
    Value room = tiles.materialize(limit->room, builder, loc, i64);
    Value begun = arith::MulIOp::create(builder, loc, lower, number(limit->slope));
    room = arith::SubIOp::create(builder, loc, room, begun);
    int64_t perRound = limit->slope * step;
    Value whole = quotient(arith::AddIOp::create(builder, loc, room, number(perRound)), perRound);
    Value rounds = arith::MinSIOp::create(builder, loc, whole, all);
    return type == i64 ? rounds : arith::TruncIOp::create(builder, loc, type, rounds).getResult();
  }

  /// What the second loop begins with: what the first one ends with. Of numbers that grow evenly
  /// it is written as a sum, from which addresses can be read.
  Value carriedInto(unsigned number, Value rounds, scf::ForOp first, OpBuilder &builder) {
    Value result = first.getResult(number), argument = loop.getRegionIterArg(number);
    auto sum = loop.getYieldedValues()[number].getDefiningOp<arith::AddIOp>();
    if (!sum || !llvm::isa<IntegerType>(result.getType()) ||
        llvm::count(sum->getOperands(), argument) != 1)
      return result;
    Value added = sum.getLhs() == argument ? sum.getRhs() : sum.getLhs();
    std::optional<AffineTile> growth = tiles.of(added);
    if (!growth || growth->base || !isKnownBefore(growth->start))
      return result;
    Location loc = loop.getLoc();
    Type type = result.getType();
    Value perRound = tiles.materialize(growth->start, builder, loc, type);
    if (rounds.getType().getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
      rounds = arith::ExtSIOp::create(builder, loc, type, rounds);
    else if (rounds.getType() != type)
      rounds = arith::TruncIOp::create(builder, loc, type, rounds);
    Value distance = arith::MulIOp::create(builder, loc, perRound, rounds);
    return arith::AddIOp::create(builder, loc, first.getInitArgs()[number], distance);
  }

  scf::ForOp loop;
  AffineTiles &tiles;
  uint64_t least;
  int64_t step = 0;
  std::optional<Limit> limit;
};

} // namespace

void splitAtMask(func::FuncOp kernel, const Configuration &configuration) {
  const uint64_t least = uint64_t(configuration.policy.chosen_elements) * configuration.threads();
  llvm::SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops) {
    AffineTiles tiles; // a loop that was split is another one
    if (Split split(loop, tiles, least); split.find())
      split.run();
  }
}

} // namespace nereid::backend::gpu
