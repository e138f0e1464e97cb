// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/emit/RoundsTogether.h"

#include "dialect/tile/Tile.h"

#include <bit>

using namespace mlir;

namespace nereid::backend::gpu {

/// What may be written several times over: no memory, no meeting, no output. No load passes an
/// atomic, so that rounds with one gain nothing unless they begin with what can be done for all
/// of them before (leadOf).
static bool isRepeatable(Operation *op) {
  if (!llvm::isa<scf::IfOp>(op) && op->getNumRegions() != 0)
    return false;
  return !llvm::isa<tile::SharedOp, tile::LocalOp, tile::TableOp, tile::SyncThreadsOp,
                    tile::SyncThreadsCountOp, tile::SyncWarpOp, tile::ShuffleOp, tile::BallotOp,
                    tile::ActiveMaskOp, tile::PrintOp, tile::AssertOp, tile::AssemblyOp,
                    tile::AtomicRmwOp, tile::AtomicCasOp>(op);
}

static bool isAtomic(Operation *op) { return llvm::isa<tile::AtomicRmwOp, tile::AtomicCasOp>(op); }

/// An atomic that orders nothing else.
static bool isUnordered(Operation *op) {
  if (auto change = llvm::dyn_cast<tile::AtomicRmwOp>(op))
    return change.getOrder() == tile::MemoryOrder::Relaxed;
  auto exchange = llvm::dyn_cast<tile::AtomicCasOp>(op);
  return exchange && exchange.getOrder() == tile::MemoryOrder::Relaxed;
}

static Value memoryOf(Value pointer) {
  while (auto place = pointer.getDefiningOp<tile::OffsetOp>())
    pointer = place.getPointer();
  return pointer;
}

/// What a block or a thread has for itself, which no pointer of a launch reaches.
static bool isOfBlock(Value pointer) {
  Operation *made = memoryOf(pointer).getDefiningOp();
  return llvm::isa_and_nonnull<tile::SharedOp, tile::LocalOp>(made);
}

static bool isOfLaunch(Value pointer) { return tile::isParameter(memoryOf(pointer)); }

llvm::SmallVector<Operation *> leadOf(EmitContext &c, scf::ForOp op) {
  bool hasAtomics = false;
  auto visited = op.getBody()->walk([&](Operation *each) {
    hasAtomics |= isAtomic(each);
    bool isPlain = isPure(each) || llvm::isa<tile::LoadOp, scf::IfOp, scf::YieldOp>(each);
    bool writesBlock =
        (isUnordered(each) || llvm::isa<tile::StoreOp>(each)) && isOfBlock(each->getOperand(0));
    return isPlain || writesBlock ? WalkResult::advance() : WalkResult::interrupt();
  });
  llvm::SmallVector<Operation *> lead;
  if (!c.isOfThreads() || !hasAtomics || visited.wasInterrupted())
    return lead;
  auto isCarried = [&](Value value) { return llvm::is_contained(op.getRegionIterArgs(), value); };
  bool loads = false;
  for (Operation &each : op.getBody()->without_terminator()) {
    auto load = llvm::dyn_cast<tile::LoadOp>(each);
    // One that asks for what is in memory now stays where it is.
    bool isEarly = load ? isOfLaunch(load.getPointer()) && !load.getIsVolatile() &&
                              load.getCache() != tile::CacheModifier::DontCache
                        : isPure(&each);
    if (!isEarly || each.getNumRegions() != 0 || llvm::any_of(each.getOperands(), isCarried))
      break;
    loads |= load != nullptr;
    lead.push_back(&each);
  }
  if (!loads)
    lead.clear();
  return lead;
}

bool goesTogether(EmitContext &c, scf::ForOp op) {
  const bool hasLead = !leadOf(c, op).empty();
  unsigned count = 0;
  auto visited = op.getBody()->walk([&](Operation *each) {
    count += each->getName().getDialectNamespace() == "math" ? c.policy.operations_of_function : 1;
    bool isFit = isRepeatable(each) || (hasLead && isAtomic(each));
    return isFit && count <= c.policy.operations_together ? WalkResult::advance()
                                                          : WalkResult::interrupt();
  });
  return c.isOfThreads() && !visited.wasInterrupted();
}

static uint64_t bytesOfThread(tile::LoadOp load) {
  return uint64_t(registerCount(load.getType())) *
         tile::byteSizeOf(tile::elementOf(load.getType()));
}

/// What a thread may have on its way in loads that set out together.
static uint64_t mostBytesLoaded(const EmitContext &c) {
  constexpr unsigned word = 4;
  return uint64_t(word) * c.policy.loaded_registers;
}

/// As many of a known number as leave none over, if together they load no more than may be on its
/// way and are no longer than what is written out. Rounds that load much by themselves have that on
/// its way.
static unsigned partOfRounds(EmitContext &c, uint64_t rounds, unsigned operations,
                             uint64_t loaded) {
  const uint64_t length = 2 * uint64_t(c.policy.operations_together) * c.policy.rounds_together;
  constexpr unsigned word = 4;
  const bool isSmall = loaded && loaded < uint64_t(word) * c.policy.piece_registers;
  const uint64_t most = isSmall ? std::min(length / operations, mostBytesLoaded(c) / loaded) : 0;
  uint64_t together = std::bit_floor(std::max<uint64_t>(most, 1));
  while (rounds % together != 0)
    together /= 2;
  return unsigned(together);
}

unsigned roundsAhead(EmitContext &c, scf::ForOp op, std::optional<uint64_t> known) {
  auto stages = op->getAttrOfType<IntegerAttr>(tile::stagesAttr);
  if (c.isOfThreads() || (!stages && !known))
    return 1;
  uint64_t loaded = 0; // bytes of a thread
  unsigned count = 0;
  for (Operation &each : op.getBody()->without_terminator()) {
    const bool isOfGpu = each.getName().getDialectNamespace() == "nv";
    auto load = llvm::dyn_cast<tile::LoadOp>(each);
    if (isOfGpu || each.getNumRegions() || llvm::isa<tile::DotOp>(each) ||
        (load ? load.getIsVolatile() : !isPure(&each)) || ++count > c.policy.operations_together)
      return 1;
    if (load)
      loaded += bytesOfThread(load);
  }
  if (!stages)
    return partOfRounds(c, *known, count, loaded);
  // One stage is what is computed of. Loads that the author asked for ahead may take twice what
  // those of one round may.
  const uint64_t most = loaded ? 2 * mostBytesLoaded(c) / loaded : 1;
  return std::clamp<int64_t>(stages.getInt() - 1, 1, std::max<int64_t>(most, 1));
}

bool isWrittenOut(EmitContext &c, scf::ForOp op, uint64_t rounds) {
  const uint64_t most = uint64_t(c.policy.operations_together) * c.policy.rounds_together;
  if (c.isOfThreads() || rounds > most)
    return false;
  unsigned count = 0;
  uint64_t loaded = 0; // bytes of a thread
  auto visited = op.getBody()->walk([&](Operation *each) {
    const bool isOfGpu = each->getName().getDialectNamespace() == "nv";
    if (isOfGpu || !isRepeatable(each) || llvm::isa<tile::DotOp>(each) ||
        ++count > c.policy.operations_together)
      return WalkResult::interrupt();
    if (auto load = llvm::dyn_cast<tile::LoadOp>(each))
      loaded += bytesOfThread(load);
    return WalkResult::advance();
  });
  const bool isShort = rounds <= c.policy.rounds_together || rounds * count <= most;
  return !visited.wasInterrupted() && isShort && loaded && rounds * loaded <= mostBytesLoaded(c);
}

} // namespace nereid::backend::gpu
