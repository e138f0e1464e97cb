// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Aliasing.h"
#include "backend/nvptx/products/FactorPlaces.h"
#include "backend/nvptx/products/ProductRegisters.h"
#include "backend/gpu/tiles/LoopRounds.h"
#include "backend/nvptx/Passes.h"
#include "backend/gpu/rings/ProductLoads.h"
#include "backend/gpu/products/Products.h"
#include "backend/nvptx/rings/RemarkLoads.h"
#include "backend/gpu/rings/RoundSlice.h"
#include "backend/nvptx/rings/ResidentBlocks.h"
#include "backend/nvptx/rings/SharedBudget.h"
#include "dialect/nv/Nv.h"
#include "dialect/tile/Remark.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace nereid::backend::nvptx {

#define GEN_PASS_DEF_RINGLOADS
#include "backend/nvptx/Passes.h.inc"

namespace {

/// One load's way through a ring: some slots for rounds ahead, one for the round that is computed,
/// and one behind it if a product of the round before still reads.
struct Ring {
  tile::LoadOp load;
  nv::SharedType type;
  llvm::SetVector<tile::DotOp> products;
  unsigned behind = 0;
  unsigned stages = 0;
  unsigned turn = 0; // rings of as many stages take turns together: the number of their slots
  Value room = {};
};

class LoopRings {
public:
  /// While they are there, the block is believed to take `reserved` bytes of shared memory.
  LoopRings(scf::ForOp loop, RoundSlice slice, llvm::MutableArrayRef<Ring> rings, unsigned ahead,
            uint64_t reserved, bool copiesBehindProduct, const analysis::AxisAnalysis &axes)
      : loop(loop), loc(loop.getLoc()), slice(std::move(slice)), rings(rings), ahead(ahead),
        reserved(reserved), copiesBehindProduct(copiesBehindProduct), axes(axes), builder(loop) {}

  void build() {
    for (Ring &ring : rings) {
      ring.room = nv::AllocOp::create(builder, loc, ring.type, ring.stages, IntegerAttr());
      ring.turn = llvm::find(turns, ring.stages) - turns.begin();
      if (ring.turn == turns.size())
        turns.push_back(ring.stages);
    }
    reserve(rings.back().room.getDefiningOp(), reserved, loop);
    llvm::SmallVector<Value> state = slice.initialState();
    Value hasRounds = buildHasRounds(loop, builder);
    for (unsigned i = 0; i < ahead; ++i) {
      Value isRound = hasRounds;
      if (i > 0)
        isRound =
            arith::AndIOp::create(builder, loc, hasRounds, isBeforeEnd(loop.getLowerBound(), i));
      state = beginRound(loop.getLowerBound(), i, isRound, state,
                         llvm::SmallVector<Value>(turns.size(), number(i)));
    }
    rewriteLoop(std::move(state));
    builder.setInsertionPointAfter(loop);
    // Rounds after the last write zeros.
    nv::AwaitCopiesOp::create(builder, loc, 0);
    for (Ring &ring : llvm::reverse(rings))
      nv::FreeOp::create(builder, loc, ring.room);
  }

private:
  /// Begins the copies of the round that is `later` rounds after the one of `induction`, if there
  /// is one, into a slot of each ring, of each turn the same, as one group; what the round after it
  /// starts from.
  llvm::SmallVector<Value> beginRound(Value induction, unsigned later, Value isRound,
                                      ValueRange state, ValueRange slots) {
    IRMapping map = slice.clone(builder, after(induction, later), state, isRound);
    for (Ring &ring : rings) {
      Value pointer = map.lookupOrDefault(ring.load.getPointer());
      Value mask = tile::SplatOp::create(builder, loc, tile::maskOf(pointer.getType()), isRound);
      if (Value own = ring.load.getMask())
        mask = arith::AndIOp::create(builder, loc, map.lookupOrDefault(own), mask);
      Value slot = nv::SlotOp::create(builder, loc, ring.room, slots[ring.turn]);
      nv::CopyOp::create(builder, ring.load.getLoc(), pointer, mask, slot,
                         leftOf(ring.load, axes, map, builder));
    }
    nv::CommitCopiesOp::create(builder, loc);
    return slice.nextState(map);
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

  /// The loop carries besides: of each turn the slot that is read and the one that is filled, and
  /// what the round that is begun starts from.
  void rewriteLoop(llvm::SmallVector<Value> state) {
    llvm::SmallVector<Value> carried;
    for (unsigned stages : turns)
      carried.append({number(0), number(ahead % stages)});
    carried.append(state);
    IRRewriter rewriter(builder);
    auto rewrite = [&](OpBuilder &, Location, ArrayRef<BlockArgument> added) {
      return rewriteBody(llvm::to_vector_of<Value>(added));
    };
    loop = llvm::cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
        rewriter, carried, /*replaceInitOperandUsesInLoop=*/false, rewrite));
  }

  llvm::SmallVector<Value> rewriteBody(ArrayRef<Value> carried) {
    builder.setInsertionPointToStart(loop.getBody());
    nv::AwaitCopiesOp::create(builder, loc, ahead - 1);
    llvm::SmallVector<Value> next, read, filled;
    for (auto [i, stages] : llvm::enumerate(turns)) {
      read.push_back(carried[2 * i]);
      filled.push_back(carried[2 * i + 1]);
      next.append({slotAfter(read[i], stages), slotAfter(filled[i], stages)});
    }
    Value induction = loop.getInductionVar();
    const Block::iterator end = builder.getInsertionPoint();
    Operation *before = &*std::prev(end);
    next.append(beginRound(induction, ahead, isBeforeEnd(induction, ahead),
                           carried.drop_front(2 * turns.size()), filled));
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

  /// Where addresses of a later round are loaded, what waits for them and the copies go behind the
  /// round's first product, which needs none of it; they begin at `first`, before `end`.
  void delay(Operation *first, Operation *end) {
    auto dots = loop.getBody()->getOps<tile::DotOp>();
    if (dots.empty() || productOf(*dots.begin()).getBy() != nv::Multiplier::Warps)
      return;
    llvm::SetVector<Operation *> late;
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
    }
    if (!isLoaded)
      return;
    Operation *place = *dots.begin();
    for (Operation *op : late) {
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

  scf::ForOp loop;
  Location loc;
  RoundSlice slice;
  llvm::MutableArrayRef<Ring> rings;
  llvm::SmallVector<unsigned> turns; // their stages
  unsigned ahead;
  uint64_t reserved;
  bool copiesBehindProduct;
  const analysis::AxisAnalysis &axes;
  OpBuilder builder;
};

class RingBuilder {
public:
  RingBuilder(func::FuncOp kernel, const Configuration &configuration)
      : kernel(kernel), configuration(configuration), target(configuration.target),
        wanted(configuration.stages), axes(kernel), aliasing(kernel) {}

  void run() {
    llvm::SmallVector<scf::ForOp> loops; // inner ones first
    kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      visit(loop);
  }

private:
  void visit(scf::ForOp loop) {
    remarkLoads(loop, axes, aliasing, [](tile::LoadOp) { return false; });
    llvm::SmallVector<Value> roots;
    llvm::SmallVector<Ring> rings = findRings(loop, roots);
    if (rings.empty())
      return;
    uint64_t beside = bytesBesideSlots(loop, configuration.policy.exchange_bytes, bytesStaged(loop, rings)) +
                      bytesOfInnerRooms(loop) + configuration.policy.found_bytes;
    chooseOverlaps(loop, rings);
    unsigned ahead = roundsAhead(rings, beside);
    if (ahead == 0) {
      uint64_t bytesOfOverlap = bytesFor(rings, 1);
      setOverlaps(rings, nv::Overlap::None);
      bytesOfOverlap -= bytesFor(rings, 1);
      ahead = roundsAhead(rings, beside);
      if (ahead > 0 && bytesOfOverlap > 0)
        tile::remark(loop, RemarkId::products_without_room, bytesOfOverlap);
    }
    if (ahead == 0 && wanted == 1u)
      tile::remark(loop, RemarkId::loads_one_stage);
    else if (ahead == 0)
      tile::remark(loop, RemarkId::loads_too_large, bytesFor(rings, 1), beside,
                   target.sharedPerBlock);
    else if (wanted && ahead + 1 < *wanted)
      tile::remark(loop, RemarkId::fewer_stages, *wanted, ahead + 1);
    const unsigned fit = ahead;
    ahead = besideAnother(loop, rings, fit);
    if (ahead < fit)
      tile::remark(loop, RemarkId::stages_beside_another, fit + 1, ahead + 1);
    if (ahead == 0)
      return;
    for (Ring &ring : rings)
      ring.stages = ahead + 1 + ring.behind;
    LoopRings(loop, *RoundSlice::of(loop, roots, aliasing), rings, ahead,
              bytesFor(rings, ahead) + beside,
              configuration.policy.copies_behind > 0 && leavesRegisters(loop, rings, ahead),
              axes)
        .build();
  }

  /// Whether no fewer blocks share an SM if threads take all registers that they may have:
  /// addresses of copies that begin within a round live beside the tiles of its products.
  bool leavesRegisters(scf::ForOp loop, llvm::MutableArrayRef<Ring> rings, unsigned ahead) {
    const uint64_t beside = bytesBesideRings(loop, rings);
    return blocksOfSm(loop, rings, beside, ahead) <=
           residentBlocks(target, configuration.warps, target.registersPerThread,
                          bytesFor(rings, ahead) + beside);
  }

  /// Products overlap with the next round's where there is room for it; but better with those of
  /// another block, if one fits without, and few would otherwise. What threads exchange does not
  /// count: rounds seldom do, and behind the loop its slots are free.
  void chooseOverlaps(scf::ForOp loop, llvm::MutableArrayRef<Ring> rings) {
    dropDelays(rings);
    const uint64_t beside = bytesBesideRings(loop, rings);
    auto best = nv::Overlap::InFlight;
    unsigned most = 0;
    for (auto allowed : {nv::Overlap::InFlight, nv::Overlap::Delayed, nv::Overlap::None}) {
      setOverlaps(rings, allowed);
      unsigned groups = warpgroupsOfSm(loop, rings, beside);
      if (groups > most)
        best = allowed;
      most = std::max(most, groups);
      if (most >= configuration.policy.overlapping_warpgroups)
        break;
    }
    setOverlaps(rings, best);
  }

  /// Without what threads exchange.
  uint64_t bytesBesideRings(scf::ForOp loop, llvm::ArrayRef<Ring> rings) const {
    return bytesBesideSlots(loop, /*exchanged=*/0, bytesStaged(loop, rings)) +
           bytesOfInnerRooms(loop);
  }

  /// How many would share an SM.
  unsigned warpgroupsOfSm(scf::ForOp loop, llvm::MutableArrayRef<Ring> rings, uint64_t beside) {
    constexpr unsigned warpsOfGroup = 4;
    unsigned ahead = wanted ? *wanted - 1 : configuration.policy.rounds_ahead;
    return blocksOfSm(loop, rings, beside, ahead) * configuration.warps / warpsOfGroup;
  }

  /// Warps that multiply by themselves wait for each other's tiles and for their own, and a block of
  /// a few that is alone on its SM leaves its units idle meanwhile: better with another block than
  /// as many rounds ahead. As many as let it in; all where none do.
  unsigned besideAnother(scf::ForOp loop, llvm::MutableArrayRef<Ring> rings, unsigned most) {
    const uint64_t beside = bytesBesideRings(loop, rings);
    auto isEnough = [&](unsigned ahead) {
      const unsigned blocks = blocksOfSm(loop, rings, beside, ahead);
      return blocks > 1 || configuration.warps >= configuration.policy.warps_beside;
    };
    bool isOfWarps = llvm::none_of(loop.getBody()->getOps<tile::DotOp>(), isOfWarpgroups);
    unsigned ahead = most;
    while (isOfWarps && ahead > configuration.policy.least_rounds_ahead && !isEnough(ahead))
      --ahead;
    return isEnough(ahead) ? ahead : most;
  }

  unsigned blocksOfSm(scf::ForOp loop, llvm::MutableArrayRef<Ring> rings, uint64_t beside,
                      unsigned ahead) {
    uint64_t sums = 0;
    for (auto dot : loop.getBody()->getOps<tile::DotOp>())
      sums += tile::elementCount(dot.getType()) / configuration.threads();
    const unsigned registers = std::min<uint64_t>(sums + configuration.policy.other_registers,
                                                  target.registersPerThread);
    return residentBlocks(target, configuration.warps, registers, bytesFor(rings, ahead) + beside);
  }

  /// Products that have no registers to be delayed with want no slot for it.
  void dropDelays(llvm::ArrayRef<Ring> rings) {
    for (const Ring &ring : rings)
      for (tile::DotOp dot : ring.products) {
        nv::ProductAttr product = productOf(dot);
        if (product.getOverlap() != nv::Overlap::Delayed)
          continue;
        std::string reason = whyNotBeside(dot, configuration);
        if (reason.empty())
          continue;
        tile::remark(dot, RemarkId::product_delay_registers, reason);
        dot->setAttr(nv::productAttr,
                     nv::ProductAttr::get(dot.getContext(), product.getBy(), product.getBelow(),
                                          product.getBeside(), product.getColumns(),
                                          product.getDepth(), nv::Overlap::None,
                                          product.getLeftOfRound(), product.getChained(),
                                          product.getTurned()));
      }
  }

  /// The loads that can be made early, if any of them feed products; and their addresses and masks.
  llvm::SmallVector<Ring> findRings(scf::ForOp loop, llvm::SmallVectorImpl<Value> &roots) {
    llvm::SmallVector<Ring> rings;
    for (ProductLoad &found : findProductLoads(loop, axes, aliasing)) {
      tile::LoadOp load = found.load;
      llvm::SmallVector<Value> own = rootsOf(load);
      if (!isCopiedByThreads(found) || !RoundSlice::of(loop, own, aliasing))
        continue;
      roots.append(own);
      rings.push_back({load, slotType(load, found.run.dimension), std::move(found.products)});
    }
    if (!rings.empty())
      addRows(loop, rings, roots);
    return rings;
  }

  /// What a round loads besides for its sums (attention's logarithms, scales), or it would wait for
  /// memory in the midst of it.
  void addRows(scf::ForOp loop, llvm::SmallVectorImpl<Ring> &rings,
               llvm::SmallVectorImpl<Value> &roots) {
    for (auto load : loop.getBody()->getOps<tile::LoadOp>()) {
      llvm::SmallVector<Value> own = rootsOf(load);
      if (!isCopiedRow(load, axes) || !aliasing.isUnwritten(load, loop) ||
          !RoundSlice::of(loop, own, aliasing))
        continue;
      roots.append(own);
      Type type = load.getType();
      rings.push_back({load, rowSlotType(tile::elementOf(type), tile::elementCount(type)), {}});
    }
  }
  static llvm::SmallVector<Value> rootsOf(tile::LoadOp load) {
    llvm::SmallVector<Value> roots = {load.getPointer()};
    if (load.getMask())
      roots.push_back(load.getMask());
    return roots;
  }

  /// Products that warpgroups compute overlap as they can; those that could stay in flight only if
  /// `allowed` says so, none if it says none.
  void setOverlaps(llvm::MutableArrayRef<Ring> rings, nv::Overlap allowed) {
    for (Ring &ring : rings) {
      ring.behind = 0;
      for (tile::DotOp dot : ring.products) {
        nv::Overlap overlap = productOf(dot).getOverlap();
        if (allowed == nv::Overlap::None || (allowed == nv::Overlap::Delayed && overlap != allowed))
          overlap = nv::Overlap::None;
        setOverlap(dot, overlap);
        if (overlap != nv::Overlap::None)
          ring.behind = 1;
      }
    }
    // Rows are small: better one more than a turn of their own.
    unsigned behind = 0;
    for (const Ring &ring : rings)
      behind = std::max(behind, ring.behind);
    for (Ring &ring : rings)
      if (ring.products.empty())
        ring.behind = behind;
  }

  uint64_t bytesStaged(scf::ForOp loop, llvm::ArrayRef<Ring> rings) const {
    return bytesStagedInRound(loop, [&](tile::LoadOp load) {
      const Ring *found = llvm::find_if(rings, [&](const Ring &each) { return each.load == load; });
      return found == rings.end() ? nv::SharedType() : found->type;
    });
  }

  static uint64_t bytesFor(llvm::MutableArrayRef<Ring> rings, unsigned ahead) {
    uint64_t bytes = 0;
    for (Ring &ring : rings)
      bytes += bytesOfRoom(ring.type, ahead + 1 + ring.behind);
    return bytes;
  }

  /// 0 if not even one round fits.
  unsigned roundsAhead(llvm::MutableArrayRef<Ring> rings, uint64_t beside) {
    unsigned ahead = wanted ? *wanted - 1 : configuration.policy.rounds_ahead;
    while (ahead > 0 && bytesFor(rings, ahead) + beside > target.sharedPerBlock)
      --ahead;
    return ahead;
  }

  func::FuncOp kernel;
  const Configuration &configuration;
  const target::NvidiaTarget &target;
  std::optional<unsigned> wanted;
  analysis::AxisAnalysis axes;
  analysis::Aliasing aliasing;
};

struct RingLoads final : ConfiguredPass<impl::RingLoadsBase<RingLoads>, RingLoads> {
  void run(func::FuncOp kernel, const Configuration &configuration) {
    if (!isFetchedFor(kernel))
      RingBuilder(kernel, configuration).run();
  }
};

} // namespace

} // namespace nereid::backend::nvptx
