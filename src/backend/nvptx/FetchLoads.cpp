// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/FetchLoads.h"

#include "backend/nvptx/Boxes.h"
#include "backend/nvptx/ProducerSlice.h"
#include "backend/nvptx/ProductLoads.h"
#include "backend/nvptx/WarpgroupDots.h"
#include "layout/OperandImage.h"
#include "runtime/ArrayBox.h"

using namespace mlir;

namespace nereid::backend::nvptx {
namespace {

using analysis::AffineTiles;
using analysis::Polynomial;

/// A load of a loop, and the ring that it goes through.
struct Fetch {
  ProductLoad found;
  Box box;
  nv::SharedType slot;
  unsigned ring = 0; // its number
};

class Fetcher {
public:
  Fetcher(func::FuncOp kernel, const target::NvidiaTarget &target, unsigned warps,
          std::optional<unsigned> wanted)
      : kernel(kernel), target(target), warps(warps), wanted(wanted), axes(kernel) {}

  bool run() {
    bool isPossible = !kernel
                           .walk([&](scf::ForOp loop) {
                             return addLoop(loop) ? WalkResult::advance() : WalkResult::interrupt();
                           })
                           .wasInterrupted();
    unsigned stages = isPossible && !fetches.empty() && fetches.size() <= runtime::mostBoxes
                          ? stagesThatFit()
                          : 0;
    if (stages < leastStages)
      return false;
    build(stages);
    return true;
  }

private:
  bool addLoop(scf::ForOp loop) {
    unsigned inLoop = 0;
    bool isNoAlias = kernel->hasAttr(tile::noAliasAttr);
    for (ProductLoad &found : findProductLoads(loop, axes, isNoAlias)) {
      std::optional<Box> box = findBox(found.load, tiles, axes);
      bool isMultipliedByGroups = llvm::all_of(found.products, [&](tile::DotOp dot) {
        return warpgroupShape(dot, target, warps).has_value();
      });
      if (!box && !isCopiedByThreads(found))
        continue; // it stays a load, whatever becomes of others
      if (!box || !hasSlot(found.load, box->contiguous) || !isMultipliedByGroups ||
          !isUnwritten(found.load, kernel, isNoAlias) || !slice.add(found.load, startsOf(*box)))
        return false;
      nv::SharedType slot = slotType(found.load, box->contiguous);
      fetches.push_back({std::move(found), std::move(*box), slot});
      fetches.back().ring = ringFor(slot, inLoop);
    }
    beside = std::max(beside, bytesBesideSlots(loop) + (inLoop ? bytesStoredAround(loop) : 0));
    return true;
  }

  /// Of tiles that are stored between rounds of a loop around this one: they may go through shared
  /// memory while slots are being filled.
  static uint64_t bytesStoredAround(scf::ForOp loop) {
    uint64_t most = 0;
    for (auto around = loop->getParentOfType<scf::ForOp>(); around;
         around = around->getParentOfType<scf::ForOp>())
      around.walk([&](tile::StoreOp store) {
        Type type = store.getValue().getType();
        most = std::max<uint64_t>(most, tile::elementCount(type) *
                                            tile::byteSizeOf(tile::elementOf(type)));
      });
    return most;
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

  /// Loops one after the other share rings, in the order of their loads.
  unsigned ringFor(nv::SharedType slot, unsigned &inLoop) {
    while (inLoop < rings.size() && rings[inLoop] != slot)
      ++inLoop;
    if (inLoop == rings.size())
      rings.push_back(slot);
    return inLoop++;
  }

  unsigned stagesThatFit() const {
    uint64_t perStage = 0;
    for (nv::SharedType slot : rings)
      perStage += llvm::alignTo(slot.getBytes() + barrierBytes, nv::roomAlignment);
    auto fitIn = [&](uint64_t bytes) -> uint64_t {
      return bytes > beside ? (bytes - beside) / perStage : 0;
    };
    uint64_t fit =
        std::min<uint64_t>(fitIn(target.sharedPerBlock), wanted ? *wanted : helpfulStages);
    // While one block of an SM computes functions, begins or ends, another one multiplies.
    uint64_t fitTwice = fitIn(target.sharedPerSm / 2 - blockOverhead);
    uint64_t enough = addsUpProducts() ? enoughStages : leastStages;
    bool hasRegistersForTwo = warps <= 4;
    return !wanted && hasRegistersForTwo && fitTwice >= enough ? std::min(fit, fitTwice) : fit;
  }

  /// Whether a round's product stays in flight, and its slots with it.
  bool addsUpProducts() const {
    return llvm::any_of(fetches, [](const Fetch &fetch) {
      return llvm::any_of(fetch.found.products, [](tile::DotOp dot) {
        return possibleOverlap(dot) == Overlap::InFlight;
      });
    });
  }

  void build(unsigned stages) {
    OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
    llvm::SmallVector<Value> rooms;
    for (nv::SharedType slot : rings)
      rooms.push_back(nv::RingOp::create(builder, kernel.getLoc(), slot, stages));
    for (Fetch &fetch : fetches) {
      Value box = buildBox(fetch, builder);
      replaceLoad(fetch, box, rooms[fetch.ring]);
      for (tile::DotOp dot : fetch.found.products)
        setOverlap(dot, possibleOverlap(dot));
    }
  }

  Value buildBox(const Fetch &fetch, OpBuilder &builder) const {
    const Box &box = fetch.box;
    Location loc = fetch.found.load->getLoc();
    Type i64 = builder.getI64Type();
    llvm::SmallVector<Value> extents, strides, multiples;
    llvm::SmallVector<int64_t> divisors;
    for (auto [i, dimension] : llvm::enumerate(box.dimensions)) {
      Polynomial extent = dimension.extent ? *dimension.extent : Polynomial(unbounded);
      extents.push_back(tiles.materialize(extent, builder, loc, i64));
      if (i > 0)
        strides.push_back(tiles.materialize(dimension.stride, builder, loc, i64));
      for (const AffineTiles::Condition &condition : tiles.conditionsOf(dimension.start)) {
        multiples.push_back(condition.value);
        divisors.push_back(condition.divisor);
      }
    }
    return nv::BoxOp::create(builder, loc, nv::BoxType::get(builder.getContext()), box.base,
                             tiles.materialize(box.offset, builder, loc, i64), extents, strides,
                             multiples, builder.getDenseI64ArrayAttr(divisors),
                             builder.getDenseI64ArrayAttr(copyShape(fetch)));
  }

  /// What one copy moves: rows of the slot's swizzle, up to as many as the engine takes.
  static llvm::SmallVector<int64_t> copyShape(const Fetch &fetch) {
    unsigned bytes = tile::byteSizeOf(fetch.slot.getElementType());
    layout::OperandImage image = *layout::findImage(fetch.slot.getLayout(), bytes);
    llvm::SmallVector<int64_t> shape(fetch.box.dimensions.size(), 1);
    shape[0] = image.rowGroupBytes / 8 / bytes;
    shape[1] = std::min<int64_t>(fetch.slot.getShape()[1 - image.contiguous], mostRows);
    return shape;
  }

  void replaceLoad(Fetch &fetch, Value box, Value ring) {
    tile::LoadOp load = fetch.found.load;
    OpBuilder builder(load);
    Location loc = load.getLoc();
    llvm::SmallVector<Value> at;
    for (const Box::Dimension &dimension : fetch.box.dimensions)
      at.push_back(tiles.materialize(dimension.start, builder, loc, builder.getI32Type()));
    nv::FetchOp::create(builder, loc, box, at, ring);
    Value index = nv::AwaitSlotOp::create(builder, loc, ring);
    Value slot = nv::SlotOp::create(builder, loc, ring, index);
    load.getResult().replaceAllUsesWith(
        nv::ReadOp::create(builder, loc, load.getType(), slot).getResult());
    load.erase();
  }

  /// One that is read, one that is filled.
  static constexpr unsigned leastStages = 2;
  /// More do not help where a slot is as long as memory is away.
  static constexpr unsigned helpfulStages = 4;
  /// One that is read, one that is read to the end, one that is filled.
  static constexpr unsigned enoughStages = 3;
  static constexpr unsigned barrierBytes = 16; // of a slot
  static constexpr int64_t unbounded = int64_t(1) << 31;
  static constexpr int64_t mostRows = 256;

  func::FuncOp kernel;
  const target::NvidiaTarget &target;
  unsigned warps;
  std::optional<unsigned> wanted;
  analysis::AxisAnalysis axes;
  AffineTiles tiles;
  ProducerSlice slice;
  std::vector<Fetch> fetches;
  llvm::SmallVector<nv::SharedType> rings;
  uint64_t beside = 0;
};

} // namespace

bool fetchLoads(func::FuncOp kernel, const target::NvidiaTarget &target, unsigned warps,
                std::optional<unsigned> stages) {
  if (!target.hasCopyEngine || !target.hasWarpgroupProducts || stages == 1)
    return false;
  return Fetcher(kernel, target, warps, stages).run();
}

} // namespace nereid::backend::nvptx
