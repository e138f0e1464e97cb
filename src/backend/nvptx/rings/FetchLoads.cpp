// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Aliasing.h"
#include "backend/gpu/products/Products.h"
#include "backend/gpu/rings/ProductLoads.h"
#include "backend/nvptx/Passes.h"
#include "backend/nvptx/products/FactorPlaces.h"
#include "backend/nvptx/rings/BoxEnds.h"
#include "backend/nvptx/rings/LoopOverPrograms.h"
#include "backend/nvptx/rings/ProducerSlice.h"
#include "backend/nvptx/rings/RemarkLoads.h"
#include "backend/nvptx/rings/ResidentBlocks.h"
#include "backend/nvptx/rings/SendStores.h"
#include "backend/nvptx/rings/SharedBudget.h"
#include "dialect/tile/SourcePlace.h"
#include "runtime/ArrayBox.h"

using namespace mlir;

namespace nereid::backend::nvptx {

#define GEN_PASS_DEF_FETCHLOADS
#include "backend/nvptx/Passes.h.inc"

namespace {

using analysis::AffineTiles;
using analysis::Polynomial;

/// A loop's products that threads compute with in the round that makes them, which waits for each.
/// Rings that threads fill overlap those waits (nvptx-overlap-products).
llvm::SmallVector<tile::DotOp> productsUsedInRound(scf::ForOp loop) {
  llvm::SmallVector<tile::DotOp> used;
  for (auto dot : loop.getBody()->getOps<tile::DotOp>())
    if (llvm::any_of(dot->getUsers(), [&](Operation *user) {
          auto next = llvm::dyn_cast<tile::DotOp>(user);
          return !llvm::isa<scf::YieldOp>(user) &&
                 !(next && next.getAccumulator() == dot.getResult());
        }))
      used.push_back(dot);
  return used;
}

/// Whether one of them is made of what threads compute of the others' sums.
bool areOneBehindTheOther(llvm::ArrayRef<tile::DotOp> products) {
  llvm::SetVector<Operation *> readers(products.begin(), products.end());
  for (size_t i = 0; i < readers.size(); ++i)
    for (Operation *user : readers[i]->getUsers()) {
      if (llvm::isa<tile::DotOp>(user))
        return true;
      if (user->getBlock() == products[0]->getBlock() || user->getNumRegions())
        readers.insert(user);
    }
  return false;
}

/// A ring, and the loops that fill it.
struct LoopRing {
  nv::SharedType slot;
  nv::SharedType turned; // of a second ring, into which its tiles are turned, if any
  Location loc;          // of the first load that goes through it
  llvm::SmallVector<scf::ForOp, 2> loops;

  /// What is turned waits there for nothing but room where it is read, so one slot less will do;
  /// two stages take as much as a turn in each round does.
  unsigned slots(unsigned stages) const { return turned ? std::max(stages, 2u) - 1 : stages; }
  uint64_t bytes(unsigned stages) {
    return slots(stages) * slot.getSlotBytes() + (turned ? stages * turned.getSlotBytes() : 0);
  }
};

/// A load, and the ring that it goes through.
struct Fetch {
  tile::LoadOp load;
  Box box;
  nv::SharedType slot;
  nv::SharedType turned = {};                 // where it is read, if not there
  unsigned ring = 0;                          // its number, if it is one of a loop
  llvm::SetVector<tile::DotOp> products = {}; // of the loop

  nv::SharedType read() const { return turned ? turned : slot; }
};

/// A row of one dimension that a round reads for its sums, and where it begins.
struct FetchedRow {
  tile::LoadOp load;
  analysis::AffineTile address;
  unsigned ring;
};

class Fetcher {
public:
  Fetcher(func::FuncOp kernel, const Configuration &configuration)
      : kernel(kernel), target(configuration.target), policy(configuration.policy),
        warps(configuration.warps), wanted(configuration.stages), axes(kernel), aliasing(kernel) {}

  void run() {
    sends = findSends(kernel, tiles, axes);
    llvm::erase_if(sends, [&](const Send &send) {
      const bool isOfRound = llvm::isa<scf::ForOp>(send.store->getParentOp());
      return send.adds() && policy.sent_adds < (isOfRound ? 1 : 2);
    });
    bool isPossible = !kernel
                           .walk([&](scf::ForOp loop) {
                             return addLoop(loop) ? WalkResult::advance() : WalkResult::interrupt();
                           })
                           .wasInterrupted();
    if (!isPossible || fetches.empty() || fetches.size() > runtime::mostBoxes)
      return;
    if (fetches.size() + sends.size() > runtime::mostBoxes)
      sends.clear();
    for (auto load : kernel.getBody().front().getOps<tile::LoadOp>())
      if (fetches.size() + factors.size() + sends.size() < runtime::mostBoxes)
        addFactor(load);
    uint64_t beside = besideLoops() + policy.found_bytes;
    unsigned stages = stagesThatFit(beside);
    if (stages < policy.least_stages && llvm::any_of(sends, std::mem_fn(&Send::adds))) {
      llvm::erase_if(sends, std::mem_fn(&Send::adds));
      beside = besideLoops() + policy.found_bytes;
      stages = stagesThatFit(beside);
    }
    auto isFetchable = [&](scf::ForOp loop) { return mayFetch(loop); };
    if (stages < policy.least_stages || !llvm::all_of(loops, isFetchable))
      return;
    // Worth it if rings stay as deep as they must be.
    const uint64_t besideInLoop = besidePrograms() + policy.found_bytes;
    unsigned stagesInLoop = mayLoopOverPrograms(kernel) ? stagesThatFit(besideInLoop) : 0;
    bool mayLoop = stagesInLoop >= std::min(stages, policy.enough_stages);
    if (mayLoop) {
      stages = stagesInLoop;
      beside = besideInLoop;
    }
    remarkRest(stages);
    build(stages, beside);
    if (mayLoop)
      kernel->setAttr(nv::roomForProgramsAttr, UnitAttr::get(kernel.getContext()));
  }

private:
  /// An SM's only block of roles has nothing to overlap with several waits of a round, unless what
  /// the round makes is sent without any, or no product waits for another one: then one
  /// warpgroup's go on beside what the next one computes.
  bool mayFetch(scf::ForOp loop) const {
    const bool adds = llvm::any_of(
        sends, [&](const Send &send) { return send.adds() && loop->isProperAncestor(send.store); });
    const llvm::SmallVector<tile::DotOp> used = productsUsedInRound(loop);
    return used.size() <= (adds ? policy.fetched_sums : std::min(1u, policy.fetched_sums)) ||
           (policy.fetched_sums > 0 && !areOneBehindTheOther(used));
  }

  bool addLoop(scf::ForOp loop) {
    if (!mayFetch(loop))
      return false;
    unsigned inLoop = 0;
    for (ProductLoad &found : findProductLoads(loop, axes, aliasing)) {
      RemarkId refusal = RemarkId::box_address;
      std::optional<Box> box =
          findBox(found.load.getPointer(), found.load.getMask(), tiles, axes, &refusal);
      if (box)
        endAtModuli(*box, found.load, tiles);
      bool isMultipliedByGroups =
          llvm::all_of(found.products, [&](tile::DotOp dot) { return isOfWarpgroups(dot); });
      if (!box && !isCopiedByThreads(found))
        continue; // it stays a load, whatever becomes of others
      if (box && !hasImage(found.load, box->contiguous) && !isFactorItself(found.load))
        continue; // so do a few scales
      if (isMultipliedByGroups && tile::wantsRemarks(kernel) &&
          isKnownAhead(found.load, loop, aliasing))
        remarkRefusal(found.load, box.has_value(), refusal);
      if (!box || !hasImage(found.load, box->contiguous) || !isMultipliedByGroups ||
          !aliasing.isUnwritten(found.load, kernel) || !slice.add(found.load, startsOf(*box)))
        return false;
      nv::SharedType slot = factorSlotType(found.load, box->contiguous);
      nv::SharedType turned = turnedType(found.load, slot);
      unsigned ring = ringFor(slot, turned, found.load.getLoc(), loop, inLoop);
      fetches.push_back(
          {found.load, std::move(*box), slot, turned, ring, std::move(found.products)});
    }
    if (inLoop)
      loops.push_back(loop);
    // Where sums are awaited one after the other, rows would lie in registers beside all of them.
    if (inLoop && productsUsedInRound(loop).size() > 1)
      for (auto load : loop.getBody()->getOps<tile::LoadOp>())
        addRow(load, loop, inLoop);
    return true;
  }

  /// How a right factor of bytes lies that warps of the producer turn, because no instruction reads
  /// it as it is loaded. Beside two warpgroups only, with which the producer has a third one's
  /// registers; and for products whose left factor is made in the round: others turn it on its way
  /// to registers (TurnProducts).
  nv::SharedType turnedType(tile::LoadOp load, nv::SharedType slot) const {
    auto dot = llvm::dyn_cast<tile::DotOp>(*load->user_begin());
    if (!policy.turning_producer || warps != warpsOfTwoGroups || !load->hasOneUse() || !dot ||
        load.getResult() != dot.getRhs() || !isOfWarpgroups(dot) ||
        !productOf(dot).getLeftOfRound() || isReadable(slot, Side::Rhs))
      return {};
    nv::SharedType turned = stagedType(load.getResult(), Side::Rhs, axes, productOf(dot));
    return isTurnable(slot, turned) ? turned : nv::SharedType();
  }

  void addRow(tile::LoadOp load, scf::ForOp loop, unsigned &inLoop) {
    if (!isCopiedRow(load, axes) || load.getMask() || !aliasing.isUnwritten(load, kernel))
      return;
    std::optional<analysis::AffineTile> address = tiles.of(load.getPointer());
    const Type element = tile::elementOf(load.getType());
    const uint64_t length = tile::elementCount(load.getType()), bytes = tile::byteSizeOf(element);
    if (!address || !address->base || address->strides[0] != Polynomial(1) ||
        !tiles.conditionsOf(address->start).empty() || length * bytes % copyAlignment != 0 ||
        axes.of(address->base).axes[0].divisibility % copyAlignment != 0 ||
        !isCopyAligned(address->start, bytes, tiles, axes))
      return;
    llvm::SmallVector<Value> sources = {address->base};
    addSymbols(address->start, sources);
    if (!slice.add(load, sources))
      return;
    const unsigned ring = ringFor(rowSlotType(element, length), {}, load.getLoc(), loop, inLoop);
    rows.push_back({load, std::move(*address), ring});
  }

  void remarkRefusal(tile::LoadOp load, bool isBox, RemarkId refusal) {
    if (!isBox)
      tile::remark(load, refusal);
    else if (Operation *writer = aliasing.findWriter(load, kernel))
      tile::remark(load, RemarkId::box_overwritten, tile::placeText(writer->getLoc()));
  }

  /// What there is to say where loads are fetched.
  void remarkRest(unsigned stages) {
    if (wanted && stages < *wanted)
      tile::remark(loops.front(), RemarkId::fewer_stages, *wanted, stages);
    auto isFetched = [&](tile::LoadOp load) {
      return llvm::any_of(fetches, [&](const Fetch &fetch) { return fetch.load == load; }) ||
             llvm::any_of(rows, [&](const FetchedRow &row) { return row.load == load; });
    };
    kernel.walk([&](scf::ForOp loop) { remarkLoads(loop, axes, aliasing, isFetched); });
  }

  /// A load before the loops that is nothing but a factor of their products.
  void addFactor(tile::LoadOp load) {
    if (!isCopyable(load) || !aliasing.isUnwritten(load, kernel))
      return;
    std::optional<Box> box = findBox(load.getPointer(), load.getMask(), tiles, axes);
    if (!box || !hasImage(load, box->contiguous))
      return;
    nv::SharedType slot = factorSlotType(load, box->contiguous);
    bool isFactor =
        !load->use_empty() && llvm::all_of(load.getResult().getUses(), [&](OpOperand &use) {
          auto dot = llvm::dyn_cast<tile::DotOp>(use.getOwner());
          return dot && use.get() != dot.getAccumulator() &&
                 llvm::is_contained(loops, dot->getParentOp()) && isOfWarpgroups(dot) &&
                 isReadable(slot, use.get() == dot.getLhs() ? Side::Lhs : Side::Rhs,
                            productOf(dot).getTurned());
        });
    if (isFactor && slice.add(load, startsOf(*box)))
      factors.push_back({load, std::move(*box), slot});
  }

  // What is in shared memory while slots are being filled

  /// While a program's loops run.
  uint64_t besideLoops() {
    // Rings are there from the kernel's beginning.
    uint64_t most = bytesOfProductsOutside(kernel, loops, policy.exchange_bytes);
    for (scf::ForOp loop : loops)
      most = std::max(most, bytesBesideSlots(loop, policy.exchange_bytes, bytesStaged(loop)) +
                                bytesStoredAround(loop) + bytesOfOtherFactors(loop));
    return most;
  }

  /// The bytes of factors that other loops read: all rooms are there until the last loop ends.
  uint64_t bytesOfOtherFactors(scf::ForOp loop) {
    uint64_t bytes = 0;
    for (Fetch &factor : factors)
      if (llvm::none_of(factor.load->getUsers(),
                        [&](Operation *user) { return user->getParentOp() == loop; }))
        bytes += factor.slot.getSlotBytes();
    return bytes;
  }

  uint64_t bytesStaged(scf::ForOp loop) const {
    return bytesStagedInRound(loop, [&](tile::LoadOp load) {
      auto found = llvm::find_if(fetches, [&](const Fetch &each) { return each.load == load; });
      return found == fetches.end() ? nv::SharedType() : found->read();
    });
  }

  /// The bytes of tiles that are stored in the same operation of the kernel's body, a loop or a
  /// branch: until its end the rings keep their room.
  uint64_t bytesStoredAround(scf::ForOp loop) {
    Operation *around = kernel.getBody().front().findAncestorOpInBlock(*loop);
    uint64_t scratch = 0;
    llvm::SmallVector<const Send *> inside;
    around->walk([&](Operation *op) {
      auto store = llvm::dyn_cast<tile::StoreOp>(op);
      if (const Send *send = findSend(op))
        inside.push_back(send);
      else if (store && around != loop)
        scratch = std::max(scratch, tileBytes(store.getValue().getType()));
    });
    return scratch + bytesOfRooms(inside);
  }

  /// At any time, where one program follows another.
  uint64_t besidePrograms() const {
    llvm::SmallVector<const Send *> all;
    for (const Send &send : sends)
      all.push_back(&send);
    uint64_t rooms = bytesOfRooms(all), staged = 0;
    for (const Fetch &factor : factors)
      rooms += nv::SharedType(factor.slot).getSlotBytes();
    for (scf::ForOp loop : loops)
      staged = std::max(staged, bytesStaged(loop));
    auto isLoad = [](Operation *op) { return [op](const Fetch &each) { return each.load == op; }; };
    return rooms + staged + bytesBesideRings(kernel, policy.exchange_bytes, [&](Operation *op) {
             return findSend(op) || llvm::any_of(fetches, isLoad(op)) ||
                    llvm::any_of(factors, isLoad(op));
           });
  }

  const Send *findSend(Operation *op) const {
    auto found = llvm::find_if(sends, [&](const Send &send) { return send.store == op; });
    return found == sends.end() ? nullptr : &*found;
  }

  /// What the coordinates are computed from.
  llvm::SmallVector<Value> startsOf(const Box &box) const {
    llvm::SmallVector<Value> values;
    for (const Box::Dimension &dimension : box.dimensions)
      addSymbols(dimension.start, values);
    return values;
  }
  void addSymbols(const Polynomial &polynomial, llvm::SmallVectorImpl<Value> &values) const {
    for (const auto &[symbols, coefficient] : polynomial.terms())
      for (analysis::Symbol symbol : symbols) {
        const AffineTiles::Unknown &unknown = tiles[symbol];
        if (unknown.value)
          values.push_back(unknown.value);
        else
          addSymbols(unknown.dividend, values);
      }
  }

  /// Loops one after the other share rings, in the order of their loads. A loop within another does
  /// not share the other's: tiles are fetched in the order of the text, but awaited when they are
  /// read.
  unsigned ringFor(nv::SharedType slot, nv::SharedType turned, Location loc, scf::ForOp loop,
                   unsigned &inLoop) {
    auto mayServe = [&](const LoopRing &ring) {
      return ring.slot == slot && ring.turned == turned &&
             llvm::none_of(ring.loops, [&](scf::ForOp other) {
               return other->isProperAncestor(loop) || loop->isProperAncestor(other);
             });
    };
    while (inLoop < rings.size() && !mayServe(rings[inLoop]))
      ++inLoop;
    if (inLoop == rings.size())
      rings.push_back({slot, turned, loc, {}});
    rings[inLoop].loops.push_back(loop);
    return inLoop++;
  }

  uint64_t bytesOfRings(unsigned stages) const {
    uint64_t bytes = 0;
    for (LoopRing ring : rings)
      bytes += ring.bytes(stages);
    return bytes;
  }
  /// The barriers of as many slots as help.
  uint64_t barriersOfRings() const {
    const size_t turned = llvm::count_if(rings, [](const LoopRing &ring) { return ring.turned; });
    return bytesOfBarriers((rings.size() + turned) * policy.helpful_stages);
  }

  unsigned stagesThatFit(uint64_t beside) const {
    beside += barriersOfRings();
    auto fitIn = [&](uint64_t bytes) {
      unsigned stages = wanted ? *wanted : policy.helpful_stages;
      while (stages > 0 && bytesOfRings(stages) + beside > bytes)
        --stages;
      return stages;
    };
    unsigned fit = fitIn(target.sharedPerBlock);
    // While one block of an SM computes functions, begins or ends, another one multiplies.
    unsigned fitTwice = fitIn(target.sharedPerSm / 2 - blockOverhead);
    unsigned enough = addsUpProducts() ? policy.enough_stages : policy.least_stages;
    bool hasRegistersForTwo = warps <= 4;
    return !wanted && hasRegistersForTwo && fitTwice >= enough ? std::min(fit, fitTwice) : fit;
  }

  /// Whether a round's product stays in flight, and its slots with it.
  bool addsUpProducts() const {
    return llvm::any_of(fetches, [&](const Fetch &fetch) {
      return llvm::any_of(fetch.products, [&](tile::DotOp dot) {
        return productOf(dot).getOverlap() == nv::Overlap::InFlight;
      });
    });
  }

  void build(unsigned stages, uint64_t beside) {
    OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
    llvm::SmallVector<std::pair<Value, Value>> rooms; // and into which ones tiles are turned
    Operation *last = nullptr;
    auto ringOf = [&](nv::SharedType slot, unsigned slots, Location loc) -> Value {
      if (!slot)
        return {};
      last = nv::RingOp::create(builder, loc, slot, slots, IntegerAttr());
      return last->getResult(0);
    };
    for (const LoopRing &ring : rings) {
      Value room = ringOf(ring.slot, ring.slots(stages), ring.loc);
      rooms.emplace_back(room, ringOf(ring.turned, stages, ring.loc));
    }
    reserve(last, bytesOfRings(stages) + beside + barriersOfRings());
    for (Fetch &fetch : fetches) {
      auto [room, turned] = rooms[fetch.ring];
      replaceLoad(fetch, room, turned, builder);
      for (tile::DotOp dot : fetch.products)
        setOverlap(dot, productOf(dot).getOverlap());
    }
    for (const FetchedRow &row : rows)
      replaceRow(row, rooms[row.ring].first);
    for (Fetch &factor : factors) {
      Value room = nv::RingOp::create(builder, factor.load.getLoc(), factor.slot, /*stages=*/1,
                                      IntegerAttr());
      replaceLoad(factor, room, {}, builder);
    }
    for (const Send &send : sends)
      send.store->setAttr(nv::sentAttr, builder.getUnitAttr());
  }

  void replaceLoad(Fetch &fetch, Value ring, Value turned, OpBuilder &atBegin) {
    tile::LoadOp load = fetch.load;
    OpBuilder builder(load);
    Location loc = load.getLoc();
    Value box = buildBox(fetch.box, fetch.slot, tiles, atBegin, loc);
    nv::FetchOp::create(builder, loc, box, buildStarts(fetch.box, tiles, builder, loc), ring,
                        turned);
    readInstead(load, turned ? turned : ring, builder);
  }

  void replaceRow(const FetchedRow &row, Value ring) {
    tile::LoadOp load = row.load;
    OpBuilder builder(load);
    Location loc = load.getLoc();
    Value distance = tiles.materialize(row.address.start, builder, loc, builder.getI64Type());
    Value first = tile::OffsetOp::create(builder, loc, row.address.base.getType(), row.address.base,
                                         distance);
    Value count = arith::ConstantIntOp::create(builder, loc, builder.getI32Type(),
                                               tile::elementCount(load.getType()));
    nv::FetchRowOp::create(builder, loc, first, count, ring, /*slots=*/1);
    readInstead(load, ring, builder);
  }

  static void readInstead(tile::LoadOp load, Value ring, OpBuilder &builder) {
    Location loc = load.getLoc();
    Value index = nv::AwaitSlotOp::create(builder, loc, ring);
    Value slot = nv::SlotOp::create(builder, loc, ring, index);
    load.getResult().replaceAllUsesWith(
        nv::ReadOp::create(builder, loc, load.getType(), slot).getResult());
    load.erase();
  }

  func::FuncOp kernel;
  const target::NvidiaTarget &target;
  const Policy &policy;
  unsigned warps;
  std::optional<unsigned> wanted;
  analysis::AxisAnalysis axes;
  analysis::Aliasing aliasing;
  AffineTiles tiles;
  ProducerSlice slice{[this](tile::LoadOp load) { return aliasing.isUnwritten(load, kernel); }};
  std::vector<Fetch> fetches;   // in loops
  std::vector<FetchedRow> rows; // as well
  std::vector<Fetch> factors;   // before them; each has a ring of its own, of one slot
  std::vector<Send> sends;
  llvm::SmallVector<scf::ForOp> loops; // that fetch
  llvm::SmallVector<LoopRing> rings;
};

struct FetchLoads final : ConfiguredPass<impl::FetchLoadsBase<FetchLoads>, FetchLoads> {
  void run(func::FuncOp kernel, const Configuration &configuration) {
    const target::NvidiaTarget &target = configuration.target;
    if (!target.hasCopyEngine || !target.hasWarpgroupProducts)
      return;
    llvm::StringRef reason = configuration.whyNoRoles(kernel);
    if (!reason.empty() && configuration.usesBoxes)
      remarkNoRoles(kernel, reason);
    if (reason.empty() && configuration.stages != 1)
      Fetcher(kernel, configuration).run();
  }
};

} // namespace

} // namespace nereid::backend::nvptx
