// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/RingLoads.h"

#include "analysis/AxisInfo.h"
#include "backend/nvptx/RoundSlice.h"
#include "backend/nvptx/WarpgroupDots.h"
#include "dialect/nv/Nv.h"
#include "layout/OperandImage.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace nereid::backend::nvptx {
namespace {

/// The products in this block whose factor the tile is, perhaps after arithmetic of its lanes.
void findProductsOf(Value tile, Block *block, llvm::SetVector<tile::DotOp> &products) {
  for (OpOperand &use : tile.getUses()) {
    Operation *user = use.getOwner();
    if (user->getBlock() != block)
      continue;
    if (auto dot = llvm::dyn_cast<tile::DotOp>(user)) {
      if (use.get() == dot.getLhs() || use.get() == dot.getRhs())
        products.insert(dot);
    } else if (user->getNumResults() == 1 && tile::isLanewise(user) &&
               tile::isTile(user->getResult(0).getType())) {
      findProductsOf(user->getResult(0), block, products);
    }
  }
}

/// What is copied elsewhere is zero where the load's mask is false.
bool isZeroOrNone(Value other) {
  if (!other)
    return true;
  Attribute constant;
  if (!matchPattern(other, m_Constant(&constant)))
    return false;
  if (auto splat = llvm::dyn_cast<SplatElementsAttr>(constant))
    constant = splat.getSplatValue<Attribute>();
  if (auto real = llvm::dyn_cast<FloatAttr>(constant))
    return real.getValue().isPosZero();
  auto integer = llvm::dyn_cast<IntegerAttr>(constant);
  return integer && integer.getValue().isZero();
}

/// The dimension along which addresses run on, and how many bytes of them may be copied at once.
struct Run {
  unsigned dimension;
  int64_t bytes;
};

Run runOf(tile::LoadOp load, const analysis::AxisAnalysis &axes) {
  analysis::AxisInfo info = axes.of(load.getPointer());
  unsigned dimension = info.axes[0].contiguity > info.axes[1].contiguity ? 0 : 1;
  int64_t elements = analysis::vectorLength(axes, load.getPointer(), load.getMask(), dimension, 16);
  return {dimension, elements * tile::byteSizeOf(tile::elementOf(load.getType()))};
}

bool isCopyable(tile::LoadOp load, const analysis::AxisAnalysis &axes) {
  auto type = llvm::dyn_cast<RankedTensorType>(load.getType());
  if (!type || type.getRank() != 2 || nv::hasGhosts(type) || load.getIsVolatile() ||
      !isZeroOrNone(load.getOther()) || type.getElementType().isInteger(1) ||
      !type.getElementType().isIntOrFloat())
    return false;
  Run run = runOf(load, axes);
  unsigned bytes = tile::byteSizeOf(type.getElementType());
  // cp.async takes 4, 8 or 16 bytes; a swizzle's unit has 8 rows of 16 bytes.
  return run.bytes >= 4 && bytes <= 4 && type.getDimSize(run.dimension) * bytes >= 16 &&
         type.getDimSize(1 - run.dimension) >= 8;
}

/// Whether the loop writes nothing that the load may read: then it may be made rounds before.
bool mayBeEarly(tile::LoadOp load, scf::ForOp loop, bool isNoAlias) {
  BlockArgument base = tile::baseOf(load.getPointer());
  return !loop->walk([&](Operation *op) {
                if (op == loop || op->getNumRegions() > 0)
                  return WalkResult::advance();
                tile::Access access = tile::accessOf(op);
                if (!access.writes && !access.isOrdered())
                  return WalkResult::advance();
                BlockArgument other = access.pointer ? tile::baseOf(access.pointer) : nullptr;
                bool isApart = isNoAlias && base && other && base != other;
                return isApart && !access.isOrdered() ? WalkResult::advance()
                                                      : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// One load's way through a ring: some slots for rounds ahead, one for the round that is computed,
/// and one behind it if a product of the round before still reads.
struct Ring {
  tile::LoadOp load;
  nv::SharedType type;
  llvm::SetVector<tile::DotOp> products;
  unsigned behind = 0;
  unsigned stages = 0;
  Value room = {};

  uint64_t slotBytes() { return llvm::alignTo(type.getBytes(), nv::roomAlignment); }
};

class LoopRings {
public:
  LoopRings(scf::ForOp loop, RoundSlice slice, llvm::MutableArrayRef<Ring> rings, unsigned ahead)
      : loop(loop), loc(loop.getLoc()), slice(std::move(slice)), rings(rings), ahead(ahead),
        builder(loop) {}

  void build() {
    for (Ring &ring : rings)
      ring.room = nv::AllocOp::create(builder, loc, ring.type, ring.stages);
    llvm::SmallVector<Value> state = slice.initialState();
    for (unsigned i = 0; i < ahead; ++i)
      state = beginRound(loop.getLowerBound(), i, state,
                         llvm::SmallVector<Value>(rings.size(), number(i)));
    rewriteLoop(std::move(state));
    builder.setInsertionPointAfter(loop);
    // Rounds after the last write zeros.
    nv::AwaitCopiesOp::create(builder, loc, 0);
    for (Ring &ring : llvm::reverse(rings))
      nv::FreeOp::create(builder, loc, ring.room);
  }

private:
  /// Begins the copies of the round that is `later` rounds after the one of `induction` into a slot
  /// of each ring, as one group; what the round after it starts from.
  llvm::SmallVector<Value> beginRound(Value induction, unsigned later, ValueRange state,
                                      ValueRange slots) {
    IRMapping map = slice.clone(builder, after(induction, later), state);
    Value isRound = isBeforeEnd(induction, later);
    for (auto [ring, index] : llvm::zip(rings, slots)) {
      Value pointer = map.lookupOrDefault(ring.load.getPointer());
      Value mask = tile::SplatOp::create(builder, loc, tile::maskOf(pointer.getType()), isRound);
      if (Value own = ring.load.getMask())
        mask = arith::AndIOp::create(builder, loc, map.lookupOrDefault(own), mask);
      Value slot = nv::SlotOp::create(builder, loc, ring.room, index);
      nv::CopyOp::create(builder, ring.load.getLoc(), pointer, mask, slot);
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
  Value slotAfter(Value index, const Ring &ring) {
    Value next = arith::AddIOp::create(builder, loc, index, number(1));
    Value isEnd =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, next, number(ring.stages));
    return arith::SelectOp::create(builder, loc, isEnd, number(0), next);
  }

  /// The loop carries besides: of each ring the slot that is read and the one that is filled, and
  /// what the round that is begun starts from.
  void rewriteLoop(llvm::SmallVector<Value> state) {
    llvm::SmallVector<Value> carried;
    for (Ring &ring : rings)
      carried.append({number(0), number(ahead % ring.stages)});
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
    for (auto [i, ring] : llvm::enumerate(rings)) {
      read.push_back(carried[2 * i]);
      filled.push_back(carried[2 * i + 1]);
      next.append({slotAfter(read[i], ring), slotAfter(filled[i], ring)});
    }
    next.append(
        beginRound(loop.getInductionVar(), ahead, carried.drop_front(2 * rings.size()), filled));
    for (auto [ring, index] : llvm::zip(rings, read)) {
      builder.setInsertionPoint(ring.load);
      Location at = ring.load.getLoc();
      Value slot = nv::SlotOp::create(builder, at, ring.room, index);
      Value tile = nv::ReadOp::create(builder, at, ring.load.getType(), slot);
      ring.load.getResult().replaceAllUsesWith(tile);
      ring.load.erase();
    }
    return next;
  }

  scf::ForOp loop;
  Location loc;
  RoundSlice slice;
  llvm::MutableArrayRef<Ring> rings;
  unsigned ahead;
  OpBuilder builder;
};

/// Shared memory that other things than rings may want while a loop runs: factors that are no loads
/// of it, and tiles that change their layouts.
uint64_t bytesBeside(scf::ForOp loop) {
  uint64_t bytes = 16 << 10;
  loop.getBody()->walk([&](tile::DotOp dot) {
    for (Value factor : {dot.getLhs(), dot.getRhs()})
      if (!loop->isProperAncestor(factor.getParentRegion()->getParentOp()) &&
          factor.getParentBlock() != loop.getBody())
        bytes += tile::elementCount(factor.getType()) *
                 tile::byteSizeOf(tile::elementOf(factor.getType()));
  });
  return bytes;
}

class RingBuilder {
public:
  RingBuilder(func::FuncOp kernel, const target::NvidiaTarget &target, unsigned warps,
              std::optional<unsigned> wanted)
      : kernel(kernel), target(target), warps(warps), wanted(wanted), axes(kernel) {}

  void run() {
    llvm::SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      visit(loop);
  }

private:
  void visit(scf::ForOp loop) {
    llvm::SmallVector<Value> roots;
    llvm::SmallVector<Ring> rings = findRings(loop, roots);
    if (rings.empty())
      return;
    uint64_t beside = bytesBeside(loop);
    // Products overlap with the next round's where there is room for it; but better with those of a
    // second block, if one fits without.
    setOverlaps(rings, Overlap::InFlight);
    if (!fitsTwice(rings, helpfulRounds, beside)) {
      setOverlaps(rings, Overlap::Delayed);
      if (wanted || !fitsTwice(rings, helpfulRounds, beside))
        setOverlaps(rings, Overlap::InFlight);
    }
    unsigned ahead = roundsAhead(rings, beside);
    if (ahead == 0) {
      setOverlaps(rings, Overlap::None);
      ahead = roundsAhead(rings, beside);
    }
    if (ahead == 0)
      return;
    for (Ring &ring : rings)
      ring.stages = ahead + 1 + ring.behind;
    LoopRings(loop, *RoundSlice::of(loop, roots), rings, ahead).build();
  }

  /// The loads that can be made early and feed products; and their addresses and masks.
  llvm::SmallVector<Ring> findRings(scf::ForOp loop, llvm::SmallVectorImpl<Value> &roots) {
    bool isNoAlias = kernel->hasAttr(tile::noAliasAttr);
    llvm::SmallVector<Ring> rings;
    for (auto load : loop.getBody()->getOps<tile::LoadOp>()) {
      llvm::SetVector<tile::DotOp> products;
      findProductsOf(load.getResult(), loop.getBody(), products);
      if (products.empty() || !isCopyable(load, axes) || !mayBeEarly(load, loop, isNoAlias))
        continue;
      llvm::SmallVector<Value> own = {load.getPointer()};
      if (load.getMask())
        own.push_back(load.getMask());
      if (!RoundSlice::of(loop, own))
        continue;
      roots.append(own);
      rings.push_back({load, sharedType(load), std::move(products)});
    }
    return rings;
  }

  /// Products that warpgroups compute overlap as they can; those that could stay in flight only if
  /// `allowed` says so, none if it says none.
  void setOverlaps(llvm::MutableArrayRef<Ring> rings, Overlap allowed) {
    for (Ring &ring : rings) {
      ring.behind = 0;
      for (tile::DotOp dot : ring.products) {
        Overlap overlap = warpgroupShape(dot, target, warps) ? possibleOverlap(dot) : Overlap::None;
        if (allowed == Overlap::None || (allowed == Overlap::Delayed && overlap != allowed))
          overlap = Overlap::None;
        setOverlap(dot, overlap);
        if (overlap != Overlap::None)
          ring.behind = 1;
      }
    }
  }

  static uint64_t bytesFor(llvm::MutableArrayRef<Ring> rings, unsigned ahead) {
    uint64_t bytes = 0;
    for (Ring &ring : rings)
      bytes += ring.slotBytes() * (ahead + 1 + ring.behind);
    return bytes;
  }

  bool fitsTwice(llvm::MutableArrayRef<Ring> rings, unsigned ahead, uint64_t beside) {
    return 2 * (bytesFor(rings, ahead) + beside + blockOverhead) <= target.sharedPerSm;
  }

  /// 0 if not even one round fits.
  unsigned roundsAhead(llvm::MutableArrayRef<Ring> rings, uint64_t beside) {
    unsigned ahead = wanted ? *wanted - 1 : helpfulRounds;
    while (ahead > 0 && bytesFor(rings, ahead) + beside > target.sharedPerBlock)
      --ahead;
    return ahead;
  }

  nv::SharedType sharedType(tile::LoadOp load) {
    Type tile = load.getType();
    unsigned bytes = tile::byteSizeOf(tile::elementOf(tile));
    return nv::SharedType::get(
        kernel.getContext(), tile::shapeOf(tile), tile::elementOf(tile),
        layout::widestImage(nv::paddedShape(tile), runOf(load, axes).dimension, bytes).layout);
  }

  /// Two rounds of products are about as long as memory is away.
  static constexpr unsigned helpfulRounds = 2;
  /// Shared memory that each block costs besides its own.
  static constexpr uint64_t blockOverhead = 1024;

  func::FuncOp kernel;
  const target::NvidiaTarget &target;
  unsigned warps;
  std::optional<unsigned> wanted;
  analysis::AxisAnalysis axes;
};

} // namespace

void ringLoads(func::FuncOp kernel, const target::NvidiaTarget &target, unsigned warps,
               std::optional<unsigned> stages) {
  RingBuilder(kernel, target, warps, stages).run();
}

} // namespace nereid::backend::nvptx
