// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analyze/AccessPlan.h"

#include "analyze/BoxPointers.h"
#include "backend/gpu/layouts/AccessWidth.h"
#include "backend/llvm/AtomicLoads.h"
#include "backend/nvptx/ptx/AtomicInstruction.h"
#include "dialect/nv/Nv.h"
#include "support/Check.h"

#include <bit>

using namespace mlir;

namespace nereid::analyzer {
namespace {

struct MoverRow {
  std::string_view name;
  bool reads, writes, isOfEngine;
};

const MoverRow &rowOf(Mover mover) {
  static constexpr MoverRow rows[] = {{"load", true, false, false},  {"store", false, true, false},
                                      {"atomic", true, true, false}, {"copy", true, false, false},
                                      {"fetch", true, false, true},  {"send", false, true, true}};
  return rows[static_cast<size_t>(mover)];
}

Mover moverOf(Operation *op) {
  auto rmw = llvm::dyn_cast<tile::AtomicRmwOp>(op);
  if (llvm::isa<tile::LoadOp>(op) || (rmw && backend::isLoad(rmw)))
    return Mover::Load;
  if (llvm::isa<tile::StoreOp>(op))
    return Mover::Store;
  if (llvm::isa<tile::AtomicRmwOp, tile::AtomicCasOp>(op))
    return Mover::Atomic;
  if (llvm::isa<nv::CopyOp>(op))
    return Mover::Copy;
  return llvm::isa<nv::SendOp>(op) ? Mover::Send : Mover::Fetch;
}

unsigned elementBytesOf(Operation *op) {
  if (auto fetch = llvm::dyn_cast<nv::FetchOp>(op))
    return tile::byteSizeOf(llvm::cast<nv::SharedType>(fetch.getRing().getType()).getElementType());
  if (auto row = llvm::dyn_cast<nv::FetchRowOp>(op))
    return tile::byteSizeOf(llvm::cast<nv::SharedType>(row.getRing().getType()).getElementType());
  if (auto row = llvm::dyn_cast<nv::KeepRowOp>(op))
    return tile::byteSizeOf(llvm::cast<nv::SharedType>(row.getRoom().getType()).getElementType());
  if (auto send = llvm::dyn_cast<nv::SendOp>(op))
    return tile::byteSizeOf(tile::elementOf(send.getTile().getType()));
  Type pointer = tile::accessOf(op).pointer.getType();
  return tile::byteSizeOf(tile::elementOf(tile::pointeeOf(pointer)));
}

/// Of several that hold the same elements, one thread acts, whose number has none of these bits:
/// as the emitter's Threads::isFirstHolder.
uint64_t copyBits(const layout::LinearLayout &layout) {
  uint64_t leading = 0;
  layout::Subspace kernel = layout.kernel();
  for (layout::Vector vector : kernel.basis())
    leading |= std::bit_floor(vector);
  return leading >> layout.bases(layout::Register).size();
}

class TileRequests {
public:
  /// `isOfAll`: all threads that hold an element ask for it.
  TileRequests(AccessPlan &plan, RankedTensorType type, bool isOfAll)
      : plan(plan), type(type), layout(nv::layoutOf(type)),
        skipped(isOfAll ? 0 : copyBits(layout)) {}

  /// A request for each so many registers, and none for those whose number has one of the bits.
  void add(unsigned step, uint64_t alike) {
    const auto registers = layout.bases(layout::Register), warps = layout.bases(layout::Warp);
    for (uint64_t first = 0; first < uint64_t(1) << registers.size(); first += step) {
      if (first & alike)
        continue;
      for (uint64_t warp = 0; warp < uint64_t(1) << warps.size(); ++warp)
        plan.requests.push_back(
            requestOf(layout::combine(registers, first) ^ layout::combine(warps, warp), warp));
    }
  }

private:
  AccessPlan::Warp requestOf(layout::Vector base, uint64_t warp) const {
    AccessPlan::Warp lanes;
    for (uint64_t lane = 0; lane < lanes.size(); ++lane) {
      bool isActing = !((lane | warp << 5) & skipped);
      lanes[lane] = isActing ? elementAt(base ^ layout::combine(layout.bases(layout::Lane), lane))
                             : AccessPlan::nobody;
    }
    return lanes;
  }

  int32_t elementAt(layout::Vector place) const {
    layout::Coordinates at = layout::unpack(layout.outputs(), place);
    int64_t element = 0;
    for (auto [coordinate, size] : llvm::zip(at, type.getShape())) {
      if (int64_t(coordinate) >= size)
        return AccessPlan::nobody;
      element = element * size + int64_t(coordinate);
    }
    return static_cast<int32_t>(element);
  }

  AccessPlan &plan;
  RankedTensorType type;
  const layout::LinearLayout &layout;
  uint64_t skipped;
};

} // namespace

std::string_view nameOf(Mover mover) { return rowOf(mover).name; }
bool reads(Mover mover) { return rowOf(mover).reads; }
bool writes(Mover mover) { return rowOf(mover).writes; }
bool isOfEngine(Mover mover) { return rowOf(mover).isOfEngine; }

AccessPlan planAccess(Operation *op, const analysis::AxisAnalysis &axes, unsigned warps,
                      const target::NvidiaTarget &target) {
  AccessPlan plan{moverOf(op), elementBytesOf(op), 1, {}, boxesOf(op)};
  if (isOfEngine(plan.mover))
    return plan;
  Value pointer, mask;
  if (auto copy = llvm::dyn_cast<nv::CopyOp>(op)) {
    pointer = copy.getPointer();
    mask = copy.getMask();
  } else {
    tile::Access access = tile::accessOf(op);
    pointer = access.pointer;
    mask = access.mask;
  }
  auto type = llvm::dyn_cast<RankedTensorType>(pointer.getType());
  const bool isAtomic = llvm::isa<tile::AtomicRmwOp, tile::AtomicCasOp>(op);
  bool isOfAll = plan.mover == Mover::Load && !isAtomic;
  if (!type) {
    // One element: all threads load it, the first one writes it.
    AccessPlan::Warp lanes;
    isOfAll &= !op->getParentOfType<nv::ProduceOp>();
    lanes.fill(isOfAll ? 0 : AccessPlan::nobody);
    lanes[0] = 0;
    plan.requests.assign(isOfAll ? warps : 1, lanes);
    return plan;
  }
  plan.together = backend::gpu::registersTogether(axes, pointer, mask);
  if (isAtomic) {
    auto rmw = llvm::dyn_cast<tile::AtomicRmwOp>(op);
    plan.together =
        rmw ? std::min(plan.together, backend::nvptx::mostAtomicsTogether(rmw, target)) : 1;
  }
  auto load = llvm::dyn_cast<tile::LoadOp>(op);
  TileRequests(plan, type, isOfAll)
      .add(plan.together, load && plan.together == 1 ? backend::gpu::bitsOfOneLoad(axes, load) : 0);
  return plan;
}

} // namespace nereid::analyzer
