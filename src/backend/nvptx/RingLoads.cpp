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

/// Whether the tile is a factor of a product in the same block, perhaps after arithmetic of its
/// lanes.
bool feedsProduct(Value tile, Block *block) {
  return llvm::any_of(tile.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (user->getBlock() != block)
      return false;
    if (auto dot = llvm::dyn_cast<tile::DotOp>(user))
      return use.get() == dot.getLhs() || use.get() == dot.getRhs();
    return user->getNumResults() == 1 && tile::isLanewise(user) &&
           tile::isTile(user->getResult(0).getType()) && feedsProduct(user->getResult(0), block);
  });
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

/// One load's way through a ring.
struct Ring {
  tile::LoadOp load;
  nv::SharedType type;
  Value room = {};
};

class LoopRings {
public:
  LoopRings(scf::ForOp loop, RoundSlice slice, llvm::SmallVector<Ring> rings, unsigned stages,
            unsigned ahead)
      : loop(loop), loc(loop.getLoc()), slice(std::move(slice)), rings(std::move(rings)),
        stages(stages), ahead(ahead), builder(loop) {}

  void build() {
    for (Ring &ring : rings)
      ring.room = nv::AllocOp::create(builder, loc, ring.type, stages);
    llvm::SmallVector<Value> state = slice.initialState();
    for (unsigned i = 0; i < ahead; ++i)
      state = beginRound(loop.getLowerBound(), i, state, number(i));
    rewriteLoop(std::move(state));
    builder.setInsertionPointAfter(loop);
    // Rounds after the last write zeros.
    nv::AwaitCopiesOp::create(builder, loc, 0);
    for (Ring &ring : llvm::reverse(rings))
      nv::FreeOp::create(builder, loc, ring.room);
  }

private:
  /// Begins the copies of the round that is `later` rounds after the one of `induction` into slot
  /// `index`, as one group; what the round after it starts from.
  llvm::SmallVector<Value> beginRound(Value induction, unsigned later, ValueRange state,
                                      Value index) {
    IRMapping map = slice.clone(builder, after(induction, later), state);
    Value isRound = isBeforeEnd(induction, later);
    for (Ring &ring : rings) {
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
  Value nextSlot(Value index) {
    Value next = arith::AddIOp::create(builder, loc, index, number(1));
    Value isEnd =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, next, number(stages));
    return arith::SelectOp::create(builder, loc, isEnd, number(0), next);
  }

  /// The loop carries besides: the slot that is read, the slot that is filled, and what the round
  /// that is begun starts from.
  void rewriteLoop(llvm::SmallVector<Value> state) {
    llvm::SmallVector<Value> carried = {number(0), number(ahead % stages)};
    carried.append(state);
    IRRewriter rewriter(builder);
    auto rewrite = [&](OpBuilder &, Location, ArrayRef<BlockArgument> added) {
      return rewriteBody(added[0], added[1], llvm::to_vector_of<Value>(added.drop_front(2)));
    };
    loop = llvm::cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
        rewriter, carried, /*replaceInitOperandUsesInLoop=*/false, rewrite));
  }

  llvm::SmallVector<Value> rewriteBody(Value read, Value filled, ValueRange state) {
    builder.setInsertionPointToStart(loop.getBody());
    nv::AwaitCopiesOp::create(builder, loc, ahead - 1);
    llvm::SmallVector<Value> next = {nextSlot(read), nextSlot(filled)};
    next.append(beginRound(loop.getInductionVar(), ahead, state, filled));
    for (Ring &ring : rings) {
      builder.setInsertionPoint(ring.load);
      Location at = ring.load.getLoc();
      Value slot = nv::SlotOp::create(builder, at, ring.room, read);
      Value tile = nv::ReadOp::create(builder, at, ring.load.getType(), slot);
      ring.load.getResult().replaceAllUsesWith(tile);
      ring.load.erase();
    }
    return next;
  }

  scf::ForOp loop;
  Location loc;
  RoundSlice slice;
  llvm::SmallVector<Ring> rings;
  unsigned stages, ahead;
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
    bool isNoAlias = kernel->hasAttr(tile::noAliasAttr);
    llvm::SmallVector<Ring> rings;
    llvm::SmallVector<Value> roots;
    uint64_t bytes = 0;
    for (auto load : loop.getBody()->getOps<tile::LoadOp>()) {
      if (!feedsProduct(load.getResult(), loop.getBody()) || !isCopyable(load, axes) ||
          !mayBeEarly(load, loop, isNoAlias))
        continue;
      llvm::SmallVector<Value> own = {load.getPointer()};
      if (load.getMask())
        own.push_back(load.getMask());
      if (!RoundSlice::of(loop, own))
        continue;
      roots.append(own);
      rings.push_back({load, sharedType(load)});
      bytes += llvm::alignTo(rings.back().type.getBytes(), nv::roomAlignment);
    }
    if (rings.empty())
      return;
    // A product in flight still reads the slot before.
    unsigned behind =
        llvm::all_of(loop.getBody()->getOps<tile::DotOp>(),
                     [&](tile::DotOp dot) {
                       return staysInFlight(dot) && warpgroupShape(dot, target, warps);
                     })
            ? 1
            : 0;
    uint64_t fitting = (target.sharedPerBlock - bytesBeside(loop)) / bytes;
    unsigned stages = std::min<uint64_t>(fitting, wanted.value_or(helpfulStages(bytes, behind)));
    if (stages < 2 + behind)
      behind = 0;
    if (stages >= 2)
      LoopRings(loop, *RoundSlice::of(loop, roots), std::move(rings), stages, stages - 1 - behind)
          .build();
  }

  nv::SharedType sharedType(tile::LoadOp load) {
    Type tile = load.getType();
    unsigned bytes = tile::byteSizeOf(tile::elementOf(tile));
    return nv::SharedType::get(
        kernel.getContext(), tile::shapeOf(tile), tile::elementOf(tile),
        layout::widestImage(nv::paddedShape(tile), runOf(load, axes).dimension, bytes).layout);
  }

  /// One slot is read while copies for others are on their way: two rounds of products are about as
  /// long as memory is away. One less where a second block fits beside the first for it, whose
  /// products go on while this one begins or ends.
  unsigned helpfulStages(uint64_t bytes, unsigned behind) const {
    unsigned stages = 3 + behind;
    auto blocks = [&](unsigned stages) { return target.sharedPerSm / (stages * bytes + 1024); };
    return blocks(stages) < 2 && blocks(stages - 1) >= 2 ? stages - 1 : stages;
  }

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
