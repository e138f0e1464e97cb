// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Slice.h"
#include "backend/gpu/rings/ProductLoads.h"
#include "backend/nvptx/Passes.h"
#include "backend/nvptx/rings/LoopOverPrograms.h"
#include "backend/nvptx/rings/RowLoads.h"
#include "backend/nvptx/rings/SharedBudget.h"
#include "dialect/nv/Nv.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nereid::backend::nvptx {

#define GEN_PASS_DEF_FETCHROWS
#include "backend/nvptx/Passes.h.inc"

namespace {

constexpr unsigned accessBytes = 16;

class RowFetcher {
public:
  RowFetcher(func::FuncOp kernel, const Configuration &configuration)
      : kernel(kernel), target(configuration.target), policy(configuration.policy),
        warps(configuration.warps), pieces(std::bit_floor(policy.row_pieces)),
        loads(kernel, configuration) {}

  void run() {
    constexpr unsigned mostWarps = 32, producers = 1;
    // Programs of smaller rows share the SM, and load while others compute; larger ones
    // leave no registers.
    const uint64_t bytes = loads.registerBytes(), most = target.registerBytesPerSm();
    bool isOneProgramOfSm = bytes > most / policy.rows_of_least &&
                            bytes <= most / policy.rows_of_most &&
                            loads.reducedBytes() >= most / policy.rows_of_least;
    if (!isOneProgramOfSm || !isReduced() || warps + producers > mostWarps || !areAlike() ||
        pieceBytes() < warps * target::warpSize * accessBytes || !mayLoopOverPrograms(kernel))
      return;
    uint64_t beside = besideRing() + policy.found_bytes;
    uint64_t stages = target.sharedPerBlock < beside
                          ? 0
                          : (target.sharedPerBlock - beside) / (pieceBytes() + 2 * barrierBytes);
    if (stages <= pieces)
      return;
    hoistScalars();
    build(stages, beside);
    kernel->setAttr(nv::roomForProgramsAttr, UnitAttr::get(kernel.getContext()));
  }

private:
  /// Else no thread waits for what others have loaded, and there is nothing to compute meanwhile:
  /// as many bytes are on their way without a ring (H200, a gated unit of 11,008 columns and 16
  /// warps: 79.3 us with, 66.9 without).
  bool isReduced() { return !kernel.getBody().front().getOps<tile::ReduceOp>().empty(); }
  /// All go through one ring.
  bool areAlike() const {
    return llvm::all_of(loads.rows(), [&](RowLoad row) { return row.load.getType() == rowType(); });
  }
  tile::LoadOp firstLoad() const { return loads.rows().front().load; }
  Type rowType() const { return firstLoad().getType(); }

  /// What threads may exchange tiles through whose accesses want different layouts.
  uint64_t besideRing() {
    llvm::SmallSetVector<std::pair<unsigned, int64_t>, 4> widths;
    uint64_t largest = 0;
    auto add = [&](Value pointer, Value mask, bool isRow) {
      if (!tile::isTile(pointer.getType()))
        return;
      unsigned bytes = tile::byteSizeOf(tile::elementOf(tile::pointeeOf(pointer.getType())));
      widths.insert(
          {bytes, isRow ? accessBytes / bytes
                        : analysis::vectorLength(loads.axisInfo(), pointer, mask, 0, accessBytes)});
      largest = std::max(largest, registerBytesOf(pointer.getType()));
    };
    for (Operation &op : kernel.getBody().front()) {
      if (auto load = llvm::dyn_cast<tile::LoadOp>(op))
        add(load.getPointer(), load.getMask(),
            llvm::any_of(loads.rows(), [&](const RowLoad &row) { return row.load == load; }));
      if (auto store = llvm::dyn_cast<tile::StoreOp>(op))
        add(store.getPointer(), store.getMask(), /*isRow=*/false);
    }
    return widths.size() > 1 ? std::max<uint64_t>(policy.exchange_bytes, largest)
                             : policy.exchange_bytes;
  }

  uint64_t pieceBytes() const {
    return tile::elementCount(rowType()) * tile::byteSizeOf(tile::elementOf(rowType())) / pieces;
  }

  /// Nobody waits behind a row for a number that could have been on its way with it: scalars are
  /// computed before the rows; what needs a number that is loaded, between rows and what is
  /// computed of them. Before them it would keep threads from reading what is already there.
  void hoistScalars() {
    Operation *first = firstLoad(), *last = loads.rows().back().load;
    llvm::SmallVector<Operation *> behind;
    for (Operation &op : llvm::make_range(first->getIterator(), first->getBlock()->end())) {
      if (llvm::isa<tile::StoreOp>(op))
        break;
      behind.push_back(&op);
    }
    llvm::DenseSet<Operation *> isBehind(behind.begin(), behind.end());
    for (Operation *op : behind) {
      auto sources = analysis::backwardSlice(op->getOperands(), [&](Operation *source) {
        using analysis::Belongs;
        return !isBehind.contains(source) ? Belongs::No
               : mayMove(*source)         ? Belongs::Yes
                                          : Belongs::Never;
      });
      if (!mayMove(*op) || !sources)
        continue;
      auto isLoad = [](Operation *source) { return llvm::isa<tile::LoadOp>(source); };
      if (llvm::none_of(*sources, isLoad)) {
        op->moveBefore(first);
      } else if (last->isBeforeInBlock(op)) {
        op->moveAfter(last);
        last = op;
      }
    }
  }

  static bool mayMove(Operation &op) {
    auto load = llvm::dyn_cast<tile::LoadOp>(op);
    bool isScalar = llvm::none_of(op.getResultTypes(), tile::isTile) && op.getNumRegions() == 0;
    bool isFree = load ? !load.getIsVolatile() : isMemoryEffectFree(&op);
    return isScalar && isFree && !op.hasTrait<OpTrait::IsTerminator>();
  }

  void build(unsigned stages, uint64_t beside) {
    OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
    uint64_t length = tile::elementCount(rowType()) / pieces;
    nv::SharedType slot = rowSlotType(tile::elementOf(rowType()), length);
    Value ring = nv::RingOp::create(builder, firstLoad()->getLoc(), slot, stages, IntegerAttr());
    reserve(ring.getDefiningOp(), beside + stages * (pieceBytes() + 2 * barrierBytes));
    for (const RowLoad &row : loads.rows())
      replaceLoad(row, ring);
  }

  void replaceLoad(const RowLoad &row, Value ring) {
    tile::LoadOp load = row.load;
    OpBuilder builder(load);
    Location loc = load.getLoc();
    auto [first, count] = loads.build(row, builder);
    nv::FetchRowOp::create(builder, loc, first, count, ring, pieces);
    auto read =
        nv::ReadRowOp::create(builder, loc, load.getType(), ring, pieces, count, load.getOther());
    load.getResult().replaceAllUsesWith(read.getResult());
    load.erase();
  }

  func::FuncOp kernel;
  const target::NvidiaTarget &target;
  const Policy &policy;
  unsigned warps;
  unsigned pieces; // of a row, which has a power of two of elements
  RowLoads loads;
};

struct FetchRows final : ConfiguredPass<impl::FetchRowsBase<FetchRows>, FetchRows> {
  void run(func::FuncOp kernel, const Configuration &configuration) {
    if (configuration.whyNoRoles(kernel).empty() && configuration.target.hasCopyEngine &&
        !isFetchedFor(kernel) && !kernel->hasAttr(nv::clusterAttr))
      RowFetcher(kernel, configuration).run();
  }
};

} // namespace

} // namespace nereid::backend::nvptx
