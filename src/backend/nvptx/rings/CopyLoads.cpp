// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/AxisInfo.h"
#include "analysis/Slice.h"
#include "backend/nvptx/Passes.h"
#include "backend/gpu/products/Products.h"
#include "backend/gpu/rings/ProductLoads.h"
#include "backend/nvptx/rings/SharedBudget.h"
#include "dialect/nv/Nv.h"

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
  Operation *first, *last; // of the block's operations that read it
  Value room = {};
};

/// Copies of one block whose rooms are there at the same time.
class CopyGroup {
public:
  explicit CopyGroup(llvm::MutableArrayRef<Copied> copies)
      : copies(copies), builder(copies.front().load) {}

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
    builder.setInsertionPointAfter(last);
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
    nv::CopyOp::create(builder, loc, copied.load.getPointer(), mask, copied.room);
    nv::CommitCopiesOp::create(builder, loc);
  }

  /// Whether a wait for another copy, before this one is read, is a wait for this one, too.
  bool isAwaited(size_t index) const {
    return llvm::any_of(copies.drop_front(index + 1), [&](const Copied &later) {
      return !copies[index].first->isBeforeInBlock(later.first);
    });
  }

  void await(size_t index) {
    Operation *reader = copies[index].first;
    auto begunBefore = llvm::count_if(
        copies, [&](const Copied &other) { return other.load->isBeforeInBlock(reader); });
    builder.setInsertionPoint(reader);
    nv::AwaitCopiesOp::create(builder, reader->getLoc(), begunBefore - index - 1);
  }

  void read(Copied &copied) {
    builder.setInsertionPoint(copied.first);
    Value tile = nv::ReadOp::create(builder, copied.load.getLoc(), copied.load.getType(),
                                    copied.room);
    copied.load.getResult().replaceAllUsesWith(tile);
    copied.load.erase();
  }

  llvm::MutableArrayRef<Copied> copies; // in the order in which they begin
  OpBuilder builder;
};

class BlockCopier {
public:
  BlockCopier(Block &block, const Configuration &configuration, const analysis::AxisAnalysis &axes)
      : block(block), axes(axes), roomBytes(roomOf(block, configuration)),
        leastBytes(uint64_t(configuration.warps) * target::warpSize *
                   configuration.policy.copied_bytes) {}

  void run() {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      auto load = llvm::dyn_cast<tile::LoadOp>(op);
      if (auto copied = load ? copyOf(load) : std::nullopt)
        add(std::move(*copied));
      else if (load ? tile::accessOf(load).isOrdered() : !isMemoryEffectFree(&op))
        last = nullptr;
    }
    finish();
  }

private:
  /// Bytes that leave an SM as many warps as the policy says, and a block what its products put
  /// into shared memory besides.
  static uint64_t roomOf(Block &block, const Configuration &configuration) {
    uint64_t blocks =
        llvm::divideCeil(configuration.policy.copying_warps, uint64_t(configuration.warps));
    uint64_t exchanged = configuration.policy.exchange_bytes + configuration.policy.found_bytes;
    uint64_t share = configuration.target.sharedPerSm / blocks;
    return std::min(without(share, blockOverhead + exchanged),
                    without(configuration.target.sharedPerBlock, exchanged + bytesStaged(block)));
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
    Copied copied{load, slotType(load, run.dimension), {}, nullptr, nullptr};
    if (copied.type.getSlotBytes() < leastBytes || !findReaders(load.getResult(), copied) ||
        copied.products.empty() || !staysUnwritten(copied))
      return std::nullopt;
    return copied;
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

  /// Nothing is written, and no loop with rooms of its own begins, until the tile has been read.
  static bool staysUnwritten(const Copied &copied) {
    for (Operation *op = copied.load->getNextNode(); op != copied.last; op = op->getNextNode())
      if (!llvm::isa<tile::LoadOp>(op) && !isMemoryEffectFree(op))
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
    CopyGroup(copies).build();
    copies.clear();
    usedBytes = 0;
    last = nullptr;
  }

  Block &block;
  const analysis::AxisAnalysis &axes;
  uint64_t roomBytes, leastBytes, usedBytes = 0;
  llvm::SmallVector<Copied> copies;
  Operation *last = nullptr; // the newest copy, if what comes may begin with it
};

bool isRound(Block &block) { return llvm::isa<LoopLikeOpInterface>(block.getParentOp()); }
bool awaitsCopies(Block &block) { return !block.getOps<nv::AwaitCopiesOp>().empty(); }

/// A block with rings, its own or of a loop around it, and a round whose author wants one stage are
/// left as they are.
bool isLeft(Block &block, const Configuration &configuration) {
  if (awaitsCopies(block) || (isRound(block) && configuration.stages == 1u))
    return true;
  for (Operation *op = block.getParentOp(); !llvm::isa<func::FuncOp>(op); op = op->getParentOp())
    if (isRound(*op->getBlock()) && awaitsCopies(*op->getBlock()))
      return true;
  return false;
}

struct CopyLoads final : ConfiguredPass<impl::CopyLoadsBase<CopyLoads>, CopyLoads> {
  void run(func::FuncOp kernel, const Configuration &configuration) {
    if (isFetchedFor(kernel))
      return;
    analysis::AxisAnalysis axes(kernel);
    llvm::SmallVector<Block *> blocks;
    kernel.walk([&](Block *block) {
      if (!block->getOps<tile::DotOp>().empty() && !isLeft(*block, configuration))
        blocks.push_back(block);
    });
    for (Block *block : blocks)
      BlockCopier(*block, configuration, axes).run();
  }
};

} // namespace

} // namespace nereid::backend::nvptx
