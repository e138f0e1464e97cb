// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Aliasing.h"
#include "backend/gpu/products/Products.h"
#include "backend/gpu/rings/ProductLoads.h"
#include "backend/gpu/rings/RoundSlice.h"
#include "backend/gpu/tiles/LoopRounds.h"
#include "backend/nvptx/Passes.h"
#include "backend/nvptx/products/FactorPlaces.h"
#include "backend/nvptx/products/ProductRegisters.h"
#include "backend/nvptx/rings/LoopRings.h"
#include "backend/nvptx/rings/RemarkLoads.h"
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
    Tables tables;
    llvm::SmallVector<Ring> rings = findRings(loop, roots, tables);
    if (rings.empty())
      return;
    uint64_t beside =
        bytesBesideSlots(loop, configuration.policy.exchange_bytes, bytesStaged(loop, rings)) +
        bytesOfInnerRooms(loop) + bytesOfTables(tables) + configuration.policy.found_bytes;
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
    const bool leaves = leavesRegisters(loop, rings, ahead);
    RoundSlice rest = *RoundSlice::of(loop, roots, aliasing, tables.loads());
    buildRings({loop, rings, *RoundSlice::of(loop, roots, aliasing), std::move(rest),
                std::move(tables), ahead, bytesFor(rings, ahead) + beside,
                configuration.policy.copies_behind > 0, leaves, axes});
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

  /// Warps that multiply by themselves, or put a factor of each round into shared memory, wait for
  /// each other's tiles and for their own, and a block of a few that is alone on its SM leaves its
  /// units idle meanwhile: better with another block than as many rounds ahead. As many as let it
  /// in; all where none do.
  unsigned besideAnother(scf::ForOp loop, llvm::MutableArrayRef<Ring> rings, unsigned most) {
    const uint64_t beside = bytesBesideRings(loop, rings);
    auto isEnough = [&](unsigned ahead) {
      const unsigned blocks = blocksOfSm(loop, rings, beside, ahead);
      return blocks > 1 || configuration.warps >= configuration.policy.warps_beside;
    };
    bool areAwaited = llvm::all_of(loop.getBody()->getOps<tile::DotOp>(), [&](tile::DotOp dot) {
      return !isOfWarpgroups(dot) || isStaged(dot, rings);
    });
    unsigned ahead = most;
    while (areAwaited && ahead > configuration.policy.least_rounds_ahead && !isEnough(ahead))
      --ahead;
    return isEnough(ahead) ? ahead : most;
  }

  unsigned blocksOfSm(scf::ForOp loop, llvm::MutableArrayRef<Ring> rings, uint64_t beside,
                      unsigned ahead) {
    uint64_t sums = 0;
    for (auto dot : loop.getBody()->getOps<tile::DotOp>())
      sums += tile::elementCount(dot.getType()) / configuration.threads();
    const unsigned registers =
        std::min<uint64_t>(sums + configuration.policy.other_registers, target.registersPerThread);
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
                                          product.getTurned(), product.getEvenColumnsFirst()));
      }
  }

  /// The loads that can be made early, if any of them feed products; and their addresses and masks.
  llvm::SmallVector<Ring> findRings(scf::ForOp loop, llvm::SmallVectorImpl<Value> &roots,
                                    Tables &tables) {
    llvm::SmallVector<Ring> rings;
    for (ProductLoad &found : findProductLoads(loop, axes, aliasing)) {
      tile::LoadOp load = found.load;
      llvm::SmallVector<Value> own = rootsOf(load);
      if (!isCopiedByThreads(found) || !RoundSlice::of(loop, own, aliasing))
        continue;
      roots.append(own);
      rings.push_back({load, factorSlotType(load, found.run.dimension), std::move(found.products)});
    }
    if (rings.empty())
      return rings;
    tables = findTables(loop, roots);
    addRows(loop, rings, roots);
    return rings;
  }

  /// What the addresses of copies are loaded from, if that lies where the round's number says.
  Tables findTables(scf::ForOp loop, llvm::ArrayRef<Value> roots) {
    Tables tables;
    if (!configuration.policy.tables_ahead)
      return tables;
    llvm::SmallVector<Value> ofRings, ofNumbers;
    for (tile::LoadOp load : RoundSlice::of(loop, roots, aliasing)->loads()) {
      llvm::SmallVector<Value> own = rootsOf(load);
      if (!RoundSlice::of(loop, own, aliasing)->loads().empty())
        continue;
      if (!tile::isTile(load.getType())) {
        tables.numbers.push_back(load);
        ofNumbers.push_back(load.getResult());
      } else if (isCopiedTable(load, axes)) {
        tables.rings.push_back(
            {load,
             rowSlotType(tile::elementOf(load.getType()), tile::elementCount(load.getType())),
             {}});
        ofRings.append(own);
      }
    }
    if (!ofRings.empty())
      tables.ofRings = RoundSlice::of(loop, ofRings, aliasing);
    if (!ofNumbers.empty())
      tables.ofNumbers = RoundSlice::of(loop, ofNumbers, aliasing);
    return tables;
  }

  /// Whether nothing is made of what is loaded but addresses and masks of copies.
  static bool isOfAddresses(tile::LoadOp load, llvm::ArrayRef<Ring> rings) {
    auto isCopied = [&](Operation *op) {
      return llvm::any_of(rings, [&](const Ring &ring) { return ring.load == op; });
    };
    llvm::SetVector<Operation *> users(load->user_begin(), load->user_end());
    for (unsigned i = 0; i < users.size(); ++i) {
      if (isCopied(users[i]))
        continue;
      if (users[i]->getBlock() != load->getBlock() || users[i]->getNumRegions() > 0 ||
          !isMemoryEffectFree(users[i]) || users[i]->hasTrait<OpTrait::IsTerminator>())
        return false;
      users.insert(users[i]->user_begin(), users[i]->user_end());
    }
    return true;
  }

  uint64_t bytesOfTables(const Tables &tables) {
    const unsigned ahead = wanted ? *wanted - 1 : configuration.policy.rounds_ahead;
    uint64_t bytes = 0;
    for (const Ring &ring : tables.rings)
      bytes += bytesOfRoom(ring.type, ahead + 1);
    return bytes;
  }

  /// What a round loads besides for its sums (attention's logarithms, scales), or it would wait for
  /// memory in the midst of it.
  void addRows(scf::ForOp loop, llvm::SmallVectorImpl<Ring> &rings,
               llvm::SmallVectorImpl<Value> &roots) {
    for (auto load : loop.getBody()->getOps<tile::LoadOp>()) {
      llvm::SmallVector<Value> own = rootsOf(load);
      if (!isCopiedRow(load, axes) || !aliasing.isUnwritten(load, loop) ||
          !RoundSlice::of(loop, own, aliasing) || isOfAddresses(load, rings))
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
        if (overlap != nv::Overlap::None && !isStaged(dot, rings))
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

  static nv::SharedType slotOf(tile::LoadOp load, llvm::ArrayRef<Ring> rings) {
    const Ring *found = llvm::find_if(rings, [&](const Ring &each) { return each.load == load; });
    return found == rings.end() ? nv::SharedType() : found->type;
  }
  uint64_t bytesStaged(scf::ForOp loop, llvm::ArrayRef<Ring> rings) const {
    return bytesStagedInRound(loop, [&](tile::LoadOp load) { return slotOf(load, rings); });
  }
  /// Then its round awaits it, however it could overlap.
  static bool isStaged(tile::DotOp dot, llvm::ArrayRef<Ring> rings) {
    return isStagedInRound(dot, [&](tile::LoadOp load) { return slotOf(load, rings); });
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
