// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/AxisInfo.h"
#include "analysis/Slice.h"
#include "backend/gpu/products/DotLayouts.h"
#include "backend/gpu/products/Products.h"
#include "backend/gpu/rings/ProductLoads.h"
#include "backend/nvptx/Passes.h"
#include "backend/nvptx/products/FactorPlaces.h"
#include "backend/nvptx/rings/SharedBudget.h"
#include "dialect/nv/Nv.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nereid::backend::nvptx {

#define GEN_PASS_DEF_COPYLOADS
#include "backend/nvptx/Passes.h.inc"

namespace {

/// A load that becomes a copy, and when its tile is read.
struct Copied {
  tile::LoadOp load;
  nv::SharedType type;
  llvm::SetVector<tile::DotOp> products;
  Operation *first = nullptr, *last = nullptr; // of the block's operations that read it
  bool isOfRounds = false;                     // of the loop that these are
  Value room = {};
};

/// Rounds, or behind a loop of rounds, that have rings.
bool awaitsCopies(Block &block) { return !block.getOps<nv::AwaitCopiesOp>().empty(); }

/// Copies of one block whose rooms are there at the same time.
class CopyGroup {
public:
  CopyGroup(llvm::MutableArrayRef<Copied> copies, const analysis::AxisAnalysis &axes)
      : copies(copies), axes(axes), builder(copies.front().load) {}

  void build() {
    for (Copied &copied : copies)
      copied.room = nv::AllocOp::create(builder, copied.load.getLoc(), copied.type, 1);
    for (auto [i, copied] : llvm::enumerate(copies)) {
      begin(copied);
      if (!isAwaited(i))
        await(i);
    }
    Operation *last = copies.front().last;
    for (Copied &copied : copies)
      last = last->isBeforeInBlock(copied.last) ? copied.last : last;
    builder.setInsertionPointAfter(endOfRings(last));
    for (Copied &copied : llvm::reverse(copies))
      nv::FreeOp::create(builder, copied.load.getLoc(), copied.room);
    for (Copied &copied : copies)
      read(copied);
  }

private:
  void begin(Copied &copied) {
    Location loc = copied.load.getLoc();
    builder.setInsertionPoint(copied.load);
    Value mask = copied.load.getMask();
    if (!mask) {
      auto type = llvm::cast<RankedTensorType>(tile::maskOf(copied.load.getPointer().getType()));
      mask = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, true));
    }
    buildCopy(copied.load, mask, copied.room, axes, IRMapping(), builder);
    nv::CommitCopiesOp::create(builder, loc);
  }

  /// Whether a wait for another copy, before this one is read, is a wait for this one, too.
  bool isAwaited(size_t index) const {
    return llvm::any_of(copies.drop_front(index + 1), [&](const Copied &later) {
      return !copies[index].first->isBeforeInBlock(later.first);
    });
  }

  /// Those that have been begun since may be on their way, of rings as well.
  void await(size_t index) {
    Operation *reader = copies[index].first;
    auto begunBefore = llvm::count_if(
        copies, [&](const Copied &other) { return other.load->isBeforeInBlock(reader); });
    unsigned ofRings = 0;
    for (Operation *op = copies[index].load; op != reader; op = op->getNextNode())
      ofRings += llvm::isa<nv::CommitCopiesOp>(op);
    builder.setInsertionPoint(reader);
    nv::AwaitCopiesOp::create(builder, reader->getLoc(), begunBefore - index - 1 + ofRings);
  }

  /// Rooms that were made last are freed first: those of the loop's rings, right behind it.
  static Operation *endOfRings(Operation *loop) {
    while (llvm::isa_and_nonnull<nv::AwaitCopiesOp, nv::FreeOp>(loop->getNextNode()))
      loop = loop->getNextNode();
    return loop;
  }

  void read(Copied &copied) {
    tile::LoadOp load = copied.load;
    auto readBefore = [&](Operation *reader) -> Value {
      builder.setInsertionPoint(reader);
      return nv::ReadOp::create(builder, load.getLoc(), load.getType(), copied.room);
    };
    if (!copied.isOfRounds) {
      load.getResult().replaceAllUsesWith(readBefore(copied.first));
      load.erase();
      return;
    }
    for (OpOperand &use : llvm::make_early_inc_range(load.getResult().getUses())) {
      auto turned = llvm::dyn_cast<tile::PermuteOp>(use.getOwner());
      if (!turned) {
        use.set(readBefore(use.getOwner()));
        continue;
      }
      for (OpOperand &ofTurned : llvm::make_early_inc_range(turned.getResult().getUses())) {
        IRMapping map;
        map.map(load.getResult(), readBefore(ofTurned.getOwner()));
        ofTurned.set(builder.clone(*turned, map)->getResult(0));
      }
      turned.erase();
    }
    load.erase();
  }

  llvm::MutableArrayRef<Copied> copies; // in the order in which they begin
  const analysis::AxisAnalysis &axes;
  OpBuilder builder;
};

class BlockCopier {
public:
  BlockCopier(Block &block, func::FuncOp kernel, const Configuration &configuration,
              const analysis::AxisAnalysis &axes)
      : block(block), configuration(configuration), axes(axes), hasRings(awaitsCopies(block)),
        takenBytes(bytesBeside(block, kernel)),
        leastBytes(uint64_t(configuration.warps) * target::warpSize *
                   configuration.policy.copied_bytes) {}

  void run() {
    roomBytes = roomOf();
    for (Operation &op : llvm::make_early_inc_range(block)) {
      auto load = llvm::dyn_cast<tile::LoadOp>(op);
      if (auto copied = load ? copyOf(load) : std::nullopt)
        add(std::move(*copied));
      else if (load ? tile::accessOf(load).isOrdered() : !isApart(&op))
        last = nullptr;
    }
    finish();
  }

private:
  /// What lies there while the block runs, or a loop of it whose rounds have rings.
  static uint64_t bytesBeside(Block &block, func::FuncOp kernel) {
    uint64_t bytes = bytesAt(&block.front(), kernel);
    for (auto behindLoop : block.getOps<nv::AwaitCopiesOp>())
      bytes = std::max(bytes, bytesAt(behindLoop, kernel));
    return bytes;
  }

  /// Bytes that leave an SM as many warps as the policy says, or as many blocks as have all
  /// registers where those do not suffice; and a block what its products put into shared memory
  /// besides. What threads exchange is little beside the share of a few warps in rounds: that a
  /// tile waits until another's room is free costs each of them another way to memory.
  uint64_t roomOf() const {
    const target::NvidiaTarget &target = configuration.target;
    const uint64_t others = configuration.policy.found_bytes + takenBytes,
                   exchanged = configuration.policy.exchange_bytes;
    uint64_t blocks = llvm::divideCeil(configuration.policy.copying_warps, configuration.warps);
    if (takenBytes > 0 || hasCopiesOfRounds())
      blocks = std::clamp<uint64_t>(
          target.registersPerSm / target.registersPerThread / configuration.threads(), 1, blocks);
    const uint64_t share = without(target.sharedPerSm / blocks, blockOverhead + others);
    const bool isRound = llvm::isa<scf::ForOp>(block.getParentOp());
    return std::min(!isRound || exchanged * 4 > share ? without(share, exchanged) : share,
                    without(target.sharedPerBlock, exchanged + others + bytesStaged(block)));
  }
  bool hasCopiesOfRounds() const {
    return llvm::any_of(block.getOps<tile::LoadOp>(), [&](tile::LoadOp load) {
      std::optional<Copied> copied = copyOf(load);
      return copied && copied->isOfRounds;
    });
  }
  static uint64_t without(uint64_t bytes, uint64_t others) {
    return bytes > others ? bytes - others : 0;
  }

  /// Factors that are made elsewhere, which lie there as long as this block runs, and the most that
  /// one product may put there.
  static uint64_t bytesStaged(Block &block) {
    llvm::SetVector<Value> elsewhere;
    uint64_t most = 0, staying = 0;
    for (auto dot : block.getOps<tile::DotOp>()) {
      uint64_t own = 0;
      for (Value factor : {dot.getLhs(), dot.getRhs()}) {
        uint64_t bytes = llvm::alignTo(tileBytes(factor.getType()), nv::roomAlignment);
        if (factor.getParentBlock() == &block)
          own += bytes;
        else if (elsewhere.insert(factor))
          staying += bytes;
      }
      most = std::max(most, own);
    }
    return most + staying;
  }

  std::optional<Copied> copyOf(tile::LoadOp load) const {
    if (!isCopyable(load) || tile::accessOf(load).isOrdered())
      return std::nullopt;
    Run run = runOf(load, axes);
    if (run.bytes < leastCopyBytes || !hasSlot(load, run.dimension))
      return std::nullopt;
    Copied copied{load, factorSlotType(load, run.dimension), {}};
    if (copied.type.getSlotBytes() < leastBytes)
      return std::nullopt;
    copied.isOfRounds = findRounds(copied);
    if (hasRings ? !copied.isOfRounds || isWithinRoom(load)
                 : !copied.isOfRounds && !findReaders(load.getResult(), copied))
      return std::nullopt;
    if (copied.products.empty() || !staysUnwritten(copied))
      return std::nullopt;
    return copied;
  }

  /// Whether some room is made before the load and freed behind it, perhaps before the copy's is.
  bool isWithinRoom(tile::LoadOp load) const {
    return llvm::any_of(block.getOps<nv::AllocOp>(), [&](nv::AllocOp room) {
      return room->isBeforeInBlock(load) && llvm::none_of(room->getUsers(), [&](Operation *user) {
               return llvm::isa<nv::FreeOp>(user) && user->isBeforeInBlock(load);
             });
    });
  }

  /// Whether products of one loop's rounds are all that reads the tile, of which registers cannot
  /// hold what they want of it beside what the loop carries: then each round reads it anew.
  bool findRounds(Copied &copied) const {
    return findRounds(copied.load.getResult(), copied) && copied.first &&
           wordsOf(llvm::cast<scf::ForOp>(copied.first)) > configuration.policy.sum_registers;
  }
  bool findRounds(Value tile, Copied &copied) const {
    return llvm::all_of(tile.getUses(), [&](OpOperand &use) {
      auto turned = llvm::dyn_cast<tile::PermuteOp>(use.getOwner());
      if (turned && turned->getBlock() == &block && !tile.getDefiningOp<tile::PermuteOp>())
        return findRounds(turned.getResult(), copied);
      auto dot = llvm::dyn_cast<tile::DotOp>(use.getOwner());
      Operation *inBlock = block.findAncestorOpInBlock(*use.getOwner());
      auto loop = llvm::dyn_cast_if_present<scf::ForOp>(inBlock);
      bool isOther = copied.first && copied.first != loop;
      bool isFactor = use.getOperandNumber() < 2;
      if (!dot || !loop || isOther || !isFactor || productOf(dot).getBy() != nv::Multiplier::Warps)
        return false;
      copied.first = copied.last = loop;
      copied.products.insert(dot);
      return true;
    });
  }

  /// Registers of a thread: what the loop carries, and factors that all its rounds read.
  uint64_t wordsOf(scf::ForOp loop) const {
    uint64_t bytes = 0;
    for (Type type : loop.getResultTypes())
      if (tile::isTile(type))
        bytes += tileBytes(type) / configuration.threads();
    llvm::DenseSet<Value> seen;
    loop.walk([&](tile::DotOp dot) {
      if (isOfWarpgroups(dot))
        return; // its factors lie in shared memory
      const gpu::DotLayouts layouts = gpu::dotLayouts(dot, configuration.warps);
      for (auto [factor, layout] :
           {std::pair(dot.getLhs(), &layouts.lhs), std::pair(dot.getRhs(), &layouts.rhs)})
        if (!loop->isAncestor(factor.getParentBlock()->getParentOp()) && seen.insert(factor).second)
          bytes += uint64_t(tile::byteSizeOf(tile::elementOf(factor.getType())))
                   << layout->bases(layout::Register).size();
    });
    return bytes / 4;
  }

  /// Those of the tile, and of what it is when it is turned.
  bool findReaders(Value tile, Copied &copied) const {
    for (Operation *user : tile.getUsers()) {
      if (user->getBlock() != &block)
        return false;
      if (!copied.first || user->isBeforeInBlock(copied.first))
        copied.first = user;
      if (!copied.last || copied.last->isBeforeInBlock(user))
        copied.last = user;
      if (auto dot = llvm::dyn_cast<tile::DotOp>(user))
        copied.products.insert(dot);
      else if (auto turned = llvm::dyn_cast<tile::PermuteOp>(user);
               turned && !findReaders(turned.getResult(), copied))
        return false;
    }
    return true;
  }

  /// From all copies: arithmetic, what reads a room that is filled, and what fills rings.
  static bool isApart(Operation *op) {
    return isMemoryEffectFree(op) ||
           llvm::isa<nv::ReadOp, nv::AllocOp, nv::CopyOp, nv::CommitCopiesOp>(op);
  }

  /// Nothing is written, and no loop with rooms of its own begins, until the tile has been read.
  static bool staysUnwritten(const Copied &copied) {
    for (Operation *op = copied.load->getNextNode(); op != copied.last; op = op->getNextNode())
      if (!llvm::isa<tile::LoadOp>(op) && !isApart(op))
        return false;
    return true;
  }

  void add(Copied copied) {
    uint64_t bytes = bytesOfRoom(copied.type, 1);
    std::optional<llvm::SetVector<Operation *>> sources;
    if (last && bytes <= roomBytes - usedBytes)
      sources = sourcesOf(copied.load);
    if (!sources && !copies.empty() && endOfCopies()->isBeforeInBlock(copied.load))
      finish();
    if (bytes > roomBytes - usedBytes)
      return;
    if (sources)
      moveUp(copied.load, sources->takeVector());
    usedBytes += bytes;
    last = copied.load;
    copies.push_back(std::move(copied));
  }

  Operation *endOfCopies() const {
    Operation *end = copies.front().last;
    for (const Copied &copied : copies)
      end = end->isBeforeInBlock(copied.last) ? copied.last : end;
    return end;
  }

  /// Behind the copy before.
  void moveUp(tile::LoadOp load, llvm::SmallVector<Operation *> sources) {
    llvm::sort(sources, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    sources.push_back(load);
    for (Operation *op : sources) {
      op->moveAfter(last);
      last = op;
    }
  }

  /// What the load's operands are computed from behind the last copy; nothing if that takes more
  /// than arithmetic.
  std::optional<llvm::SetVector<Operation *>> sourcesOf(tile::LoadOp load) const {
    return analysis::backwardSlice(load->getOperands(), [&](Operation *source) {
      if (llvm::any_of(copies, [&](const Copied &copied) { return copied.load == source; }))
        return analysis::Belongs::Never;
      if (source->getBlock() != &block || !last->isBeforeInBlock(source))
        return analysis::Belongs::No;
      bool isArithmetic = isMemoryEffectFree(source) && source->getNumRegions() == 0 &&
                          !llvm::isa<tile::DotOp>(source);
      return isArithmetic ? analysis::Belongs::Yes : analysis::Belongs::Never;
    });
  }

  void finish() {
    if (copies.empty())
      return;
    // Products that would go on into the next round read rooms that are free then.
    for (Copied &copied : copies)
      for (tile::DotOp dot : copied.products)
        setOverlap(dot, nv::Overlap::None);
    CopyGroup(copies, axes).build();
    copies.clear();
    usedBytes = 0;
    last = nullptr;
  }

  Block &block;
  const Configuration &configuration;
  const analysis::AxisAnalysis &axes;
  bool hasRings; // of loops in it
  uint64_t takenBytes, leastBytes, roomBytes = 0, usedBytes = 0;
  llvm::SmallVector<Copied> copies;
  Operation *last = nullptr; // the newest copy, if what comes may begin with it
};

bool isRound(Block &block) { return llvm::isa<LoopLikeOpInterface>(block.getParentOp()); }

/// Whether the block's own rounds have rings; those of a loop in it are awaited right behind it.
bool hasRounds(Block &block) {
  return llvm::any_of(block.getOps<nv::AwaitCopiesOp>(), [](nv::AwaitCopiesOp await) {
    return !llvm::isa_and_nonnull<scf::ForOp>(await->getPrevNode());
  });
}

/// Rounds with rings, and what is in them, are left as they are.
bool isLeft(Block &block) {
  if (hasRounds(block))
    return true;
  for (Operation *op = block.getParentOp(); !llvm::isa<func::FuncOp>(op); op = op->getParentOp())
    if (isRound(*op->getBlock()) && awaitsCopies(*op->getBlock()))
      return true;
  return false;
}

/// A block that multiplies, or in which a loop begins that does.
bool mayCopy(Block &block) {
  auto multiplies = [](scf::ForOp loop) {
    return loop.walk([](tile::DotOp) { return WalkResult::interrupt(); }).wasInterrupted();
  };
  return !block.getOps<tile::DotOp>().empty() ||
         llvm::any_of(block.getOps<scf::ForOp>(), multiplies);
}

struct CopyLoads final : ConfiguredPass<impl::CopyLoadsBase<CopyLoads>, CopyLoads> {
  void run(func::FuncOp kernel, const Configuration &configuration) {
    if (isFetchedFor(kernel))
      return;
    analysis::AxisAnalysis axes(kernel);
    llvm::SmallVector<Block *> blocks;
    kernel.walk([&](Block *block) {
      if (mayCopy(*block) && !isLeft(*block))
        blocks.push_back(block);
    });
    for (Block *block : llvm::reverse(blocks)) // outer ones first, whose rooms stay
      BlockCopier(*block, kernel, configuration, axes).run();
  }
};

} // namespace

} // namespace nereid::backend::nvptx
