// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/rings/LoopRings.h"

#include "backend/gpu/products/Products.h"
#include "backend/gpu/rings/ProductLoads.h"
#include "backend/gpu/tiles/LoopRounds.h"
#include "backend/nvptx/products/FactorPlaces.h"
#include "backend/nvptx/rings/SharedBudget.h"
#include "dialect/nv/Nv.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace nereid::backend::nvptx {

using namespace gpu;
namespace {

class LoopRings : RingPlan {
public:
  explicit LoopRings(RingPlan given)
      : RingPlan(std::move(given)), loc(loop.getLoc()), builder(loop) {}

  void build() {
    for (Ring &ring : rings) {
      ring.room = nv::AllocOp::create(builder, loc, ring.type, ring.stages, IntegerAttr());
      ring.turn = llvm::find(turns, ring.stages) - turns.begin();
      if (ring.turn == turns.size())
        turns.push_back(ring.stages);
    }
    for (Ring &ring : tables.rings)
      ring.room = nv::AllocOp::create(builder, loc, ring.type, tableSlots(), IntegerAttr());
    reserve(rings.back().room.getDefiningOp(), reserved, loop);
    const Value hasRounds = buildHasRounds(loop, builder);
    auto isRound = [&](unsigned round) -> Value {
      return round == 0 ? hasRounds
                        : arith::AndIOp::create(builder, loc, hasRounds,
                                                isBeforeEnd(loop.getLowerBound(), round));
    };
    llvm::SmallVector<Value> state = slice.initialState();
    llvm::SmallVector<Value> ofTables = stateAfter(tables.ofRings, hasRounds);
    for (unsigned i = 0; i < ahead; ++i) {
      state = copyRound(slice, loop.getLowerBound(), i, isRound(i), state,
                        llvm::SmallVector<Value>(turns.size(), number(i)));
      if (!tables.rings.empty())
        ofTables = copyTables(loop.getLowerBound(), ahead + i, isRound(ahead + i), ofTables,
                              number((ahead + i) % tableSlots()));
      nv::CommitCopiesOp::create(builder, loc);
    }
    llvm::SmallVector<Value> ofNumbers = stateAfter(tables.ofNumbers, hasRounds), numbers;
    if (tables.ofNumbers)
      ofNumbers = loadNumbers(loop.getLowerBound(), ahead, isRound(ahead), ofNumbers, numbers);
    rewriteLoop({rest.stateOf(slice, state), std::move(ofTables), std::move(numbers),
                 std::move(ofNumbers)});
    builder.setInsertionPointAfter(loop);
    // Rounds after the last write zeros.
    nv::AwaitCopiesOp::create(builder, loc, 0);
    for (Ring &ring : llvm::reverse(tables.rings))
      nv::FreeOp::create(builder, loc, ring.room);
    for (Ring &ring : llvm::reverse(rings))
      nv::FreeOp::create(builder, loc, ring.room);
  }

private:
  using Values = llvm::SmallVector<Value>;

  /// What the loop takes from one round to the next besides the slots' numbers.
  struct Carried {
    Values rest, ofTables, numbers, ofNumbers;

    Values together() const {
      Values all = rest;
      for (const Values *more : {&ofTables, &numbers, &ofNumbers})
        all.append(*more);
      return all;
    }
  };

  /// One that is read when the copies of a round begin, and those of the rounds until then.
  unsigned tableSlots() const { return ahead + 1; }

  /// Begins the copies of the round that is `later` rounds after the one of `induction`, if there
  /// is one, into a slot of each ring, of each turn the same; what the round after it starts from.
  Values copyRound(RoundSlice &of, Value induction, unsigned later, Value isRound, ValueRange state,
                   ValueRange slots, IRMapping given = {}) {
    IRMapping map = of.clone(builder, after(induction, later), state, isRound, std::move(given));
    for (Ring &ring : rings)
      copy(ring, map, isRound, slots[ring.turn]);
    return of.nextState(map);
  }

  Values copyTables(Value induction, unsigned later, Value isRound, ValueRange state, Value slot) {
    IRMapping map = tables.ofRings->clone(builder, after(induction, later), state, isRound);
    for (Ring &ring : tables.rings)
      copy(ring, map, isRound, slot);
    return tables.ofRings->nextState(map);
  }

  void copy(Ring &ring, IRMapping &map, Value isRound, Value slotNumber) {
    Value pointer = map.lookupOrDefault(ring.load.getPointer());
    Value mask = tile::SplatOp::create(builder, loc, tile::maskOf(pointer.getType()), isRound);
    if (Value own = ring.load.getMask())
      mask = arith::AndIOp::create(builder, loc, map.lookupOrDefault(own), mask);
    Value slot = nv::SlotOp::create(builder, loc, ring.room, slotNumber);
    buildCopy(ring.load, mask, slot, axes, map, builder);
  }

  Values loadNumbers(Value induction, unsigned later, Value isRound, ValueRange state,
                     Values &numbers) {
    IRMapping map = tables.ofNumbers->clone(builder, after(induction, later), state, isRound);
    for (tile::LoadOp load : tables.numbers)
      numbers.push_back(map.lookup(load.getResult()));
    return tables.ofNumbers->nextState(map);
  }

  /// What the round begins with that is as many rounds after the first as copies are ahead.
  Values stateAfter(std::optional<RoundSlice> &of, Value hasRounds) {
    if (!of)
      return {};
    Values state = of->initialState();
    for (unsigned i = 0; i < ahead && !state.empty(); ++i) {
      IRMapping map = of->clone(builder, after(loop.getLowerBound(), i), state, hasRounds);
      state = of->nextState(map);
    }
    return state;
  }

  Value after(Value induction, unsigned later) {
    Value rounds =
        arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(induction.getType(), later));
    Value distance = arith::MulIOp::create(builder, loc, rounds, loop.getStep());
    return arith::AddIOp::create(builder, loc, induction, distance);
  }

  /// In 64 bits, in which a round after the last has not wrapped.
  Value isBeforeEnd(Value induction, unsigned later) {
    bool isUnsigned = loop.getUnsignedCmp();
    auto wide = [&](Value value) -> Value {
      if (value.getType().getIntOrFloatBitWidth() >= 64)
        return value;
      Type type = builder.getI64Type();
      if (isUnsigned)
        return arith::ExtUIOp::create(builder, loc, type, value);
      return arith::ExtSIOp::create(builder, loc, type, value);
    };
    Value rounds = arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(later));
    Value distance = arith::MulIOp::create(builder, loc, rounds, wide(loop.getStep()));
    Value round = arith::AddIOp::create(builder, loc, wide(induction), distance);
    auto isLess = isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
    return arith::CmpIOp::create(builder, loc, isLess, round, wide(loop.getUpperBound()));
  }

  Value number(int value) {
    return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(value));
  }
  Value slotAfter(Value index, unsigned stages) {
    Value next = arith::AddIOp::create(builder, loc, index, number(1));
    Value isEnd =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, next, number(stages));
    return arith::SelectOp::create(builder, loc, isEnd, number(0), next);
  }

  /// The loop carries besides: of each turn, and of tables, the slot that is read and the one that
  /// is filled, and what the round that is begun starts from.
  void rewriteLoop(Carried first) {
    Values carried;
    for (unsigned stages : turns)
      carried.append({number(0), number(ahead % stages)});
    if (!tables.rings.empty())
      carried.append({number(ahead), number(2 * ahead % tableSlots())});
    carried.append(first.together());
    IRRewriter rewriter(builder);
    auto rewrite = [&](OpBuilder &, Location, ArrayRef<BlockArgument> added) {
      Values given = llvm::to_vector_of<Value>(added);
      ArrayRef<Value> left = given;
      auto take = [&](size_t count) {
        Values taken(left.take_front(count));
        left = left.drop_front(count);
        return taken;
      };
      Values slots = take(2 * turns.size()), ofTables = take(tables.rings.empty() ? 0 : 2);
      Carried now{take(first.rest.size()), take(first.ofTables.size()), take(first.numbers.size()),
                  take(first.ofNumbers.size())};
      return rewriteBody(slots, ofTables, now);
    };
    loop = llvm::cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
        rewriter, carried, /*replaceInitOperandUsesInLoop=*/false, rewrite));
  }

  Values rewriteBody(ArrayRef<Value> slots, ArrayRef<Value> tableSlot, const Carried &now) {
    builder.setInsertionPointToStart(loop.getBody());
    nv::AwaitCopiesOp::create(builder, loc, ahead - 1);
    Values next, read, filled;
    for (auto [i, stages] : llvm::enumerate(turns)) {
      read.push_back(slots[2 * i]);
      filled.push_back(slots[2 * i + 1]);
      next.append({slotAfter(read[i], stages), slotAfter(filled[i], stages)});
    }
    for (Value slot : tableSlot)
      next.push_back(slotAfter(slot, tableSlots()));
    Value induction = loop.getInductionVar();
    const Block::iterator end = builder.getInsertionPoint();
    Operation *before = &*std::prev(end);
    Carried then;
    then.rest = copyRound(rest, induction, ahead, isBeforeEnd(induction, ahead), now.rest, filled,
                          tablesOf(tableSlot, now.numbers));
    if (!tables.rings.empty())
      then.ofTables = copyTables(induction, 2 * ahead, isBeforeEnd(induction, 2 * ahead),
                                 now.ofTables, tableSlot[1]);
    nv::CommitCopiesOp::create(builder, loc);
    if (tables.ofNumbers)
      then.ofNumbers = loadNumbers(induction, ahead + 1, isBeforeEnd(induction, ahead + 1),
                                   now.ofNumbers, then.numbers);
    next.append(then.together());
    if (copiesBehindProduct)
      delay(before->getNextNode(), &*end);
    for (Ring &ring : rings) {
      builder.setInsertionPoint(ring.load);
      Location at = ring.load.getLoc();
      Value slot = nv::SlotOp::create(builder, at, ring.room, read[ring.turn]);
      Value tile = nv::ReadOp::create(builder, at, ring.load.getType(), slot);
      if (!givesZeroOrNone(ring.load))
        tile = withOther(tile, ring.load);
      ring.load.getResult().replaceAllUsesWith(tile);
      ring.load.erase();
    }
    return next;
  }

  /// What was loaded for the round whose copies begin.
  IRMapping tablesOf(ArrayRef<Value> tableSlot, ArrayRef<Value> numbers) {
    IRMapping given;
    for (Ring &ring : tables.rings) {
      Location at = ring.load.getLoc();
      Value slot = nv::SlotOp::create(builder, at, ring.room, tableSlot[0]);
      given.map(ring.load.getResult(),
                nv::ReadOp::create(builder, at, ring.load.getType(), slot).getResult());
    }
    for (auto [load, number] : llvm::zip(tables.numbers, numbers))
      given.map(load.getResult(), number);
    return given;
  }

  /// Copies that have to ask where their rows are go behind the round's first product, which needs
  /// none of it; they begin at `first`, before `end`. What loads of this round give waits for them
  /// there: the addresses that are known before live beside the product's tiles.
  void delay(Operation *first, Operation *end) {
    auto dots = loop.getBody()->getOps<tile::DotOp>();
    if (dots.empty() || productOf(*dots.begin()).getBy() != nv::Multiplier::Warps)
      return;
    llvm::SetVector<Operation *> late, all;
    bool isLoaded = false;
    for (Operation *op = first; op != end; op = op->getNextNode()) {
      bool waits = llvm::any_of(op->getOperands(), [&](Value operand) {
        Operation *maker = operand.getDefiningOp();
        return late.contains(maker) ||
               (llvm::isa_and_nonnull<tile::LoadOp>(maker) && maker->getBlock() == loop.getBody());
      });
      isLoaded |= waits;
      if (waits || llvm::isa<nv::CopyOp, nv::CommitCopiesOp>(op))
        late.insert(op);
      all.insert(op);
      if (llvm::isa<nv::CommitCopiesOp>(op))
        break;
    }
    if (isLoaded ? !leavesRegisters : tables.empty())
      return;
    Operation *place = *dots.begin();
    for (Operation *op : isLoaded ? late : all) {
      op->moveAfter(place);
      place = op;
    }
  }

  /// Copies write zeros where the mask is false, to which the bits are added. LLVM would widen
  /// what is chosen between floats of 16 bits, and what is computed with it.
  Value withOther(Value read, tile::LoadOp load) {
    Location at = load.getLoc();
    auto type = llvm::cast<RankedTensorType>(read.getType());
    Type bits = type.clone(builder.getIntegerType(type.getElementTypeBitWidth()));
    auto bitsOf = [&](Value tile) -> Value {
      return type == bits ? tile : arith::BitcastOp::create(builder, at, bits, tile).getResult();
    };
    Value zero = arith::ConstantOp::create(builder, at, builder.getZeroAttr(bits));
    Value added =
        arith::SelectOp::create(builder, at, load.getMask(), zero, bitsOf(load.getOther()));
    Value sum = arith::OrIOp::create(builder, at, bitsOf(read), added);
    return type == bits ? sum : arith::BitcastOp::create(builder, at, type, sum).getResult();
  }

  Location loc;
  llvm::SmallVector<unsigned> turns; // stages of the rings
  OpBuilder builder;
};

} // namespace

llvm::SmallVector<tile::LoadOp> Tables::loads() const {
  llvm::SmallVector<tile::LoadOp> all = numbers;
  for (const Ring &ring : rings)
    all.push_back(ring.load);
  return all;
}

void buildRings(RingPlan plan) { LoopRings(std::move(plan)).build(); }

} // namespace nereid::backend::nvptx
