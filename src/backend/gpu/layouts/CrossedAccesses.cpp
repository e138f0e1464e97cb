// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/layouts/CrossedAccesses.h"

#include "backend/gpu/layouts/Meetings.h"
#include "dialect/nv/LaneSources.h"
#include "dialect/nv/Nv.h"
#include "dialect/tile/Tile.h"
#include "layout/Blocked.h"
#include "layout/Conversion.h"

using namespace mlir;

namespace nereid::backend::gpu {

using layout::LinearLayout;

namespace {

/// A load that a stored tile is made of, and how that would lie as the store wants it.
struct CrossedLoad {
  tile::LoadOp load;
  LinearLayout wanted;
};

llvm::SmallVector<CrossedLoad> loadsBehind(tile::StoreOp store, const LinearLayout &wanted,
                                           llvm::function_ref<bool(Value)> isSettled) {
  llvm::SmallVector<CrossedLoad> loads;
  llvm::SmallVector<std::pair<Value, LinearLayout>> todo = {{store.getValue(), wanted}};
  llvm::DenseSet<Value> seen;
  while (!todo.empty()) {
    auto [tile, layout] = todo.pop_back_val();
    Operation *op = tile.getDefiningOp();
    if (!op || !seen.insert(tile).second || !isSettled(tile))
      continue;
    if (auto load = llvm::dyn_cast<tile::LoadOp>(op))
      loads.push_back({load, layout});
    else if (nv::hasSourceElements(op) && op->getNumRegions() == 0 &&
             !tile::accessOf(op).touchesMemory())
      for (OpOperand &operand : op->getOpOperands())
        if (tile::isTile(operand.get().getType()))
          todo.emplace_back(operand.get(), nv::sourceLayout(operand, layout));
  }
  return loads;
}

/// What is stored together, and what others have as the tile is loaded, if a thread has registers
/// for it and sending costs less with it. (Matrix instructions transpose elements of two bytes as
/// they are.)
ElementBits elementsAcross(const LinearLayout &loaded, unsigned loadedBytes,
                           const LinearLayout &stored, unsigned storedBytes,
                           layout::MatrixInstructions matrices) {
  constexpr uint64_t sector = 32; // bytes
  ElementBits across;
  if (!loaded.isInvertible() || !stored.isInvertible())
    return across;
  const auto registers = loaded.bases(layout::Register), wanted = stored.bases(layout::Register);
  const auto neighbours = registers.first(layout::runOf(registers));
  for (layout::Vector basis : wanted.first(layout::runOf(wanted)))
    if (!llvm::is_contained(neighbours, basis) &&
        neighbours.size() + across.size() < registers.size())
      across.push_back(basis);
  // Lanes go on where a thread's neighbours end: together they are to fill sectors, as before.
  uint64_t filled = uint64_t(loadedBytes) << neighbours.size();
  layout::Vector next = neighbours.empty() ? 1 : neighbours.back() * 2;
  for (layout::Vector basis : loaded.bases(layout::Lane)) {
    if (basis != next || llvm::is_contained(across, basis))
      break;
    next *= 2;
    filled *= 2;
  }
  if (across.empty() || filled < sector)
    return {};
  auto cost = [&](const LinearLayout &layout) {
    return layout::planConversion(layout, stored, storedBytes, {.matrices = matrices}).cost;
  };
  return cost(withElements(loaded, across)) < cost(loaded) ? across : ElementBits();
}

} // namespace

LinearLayout withElements(const LinearLayout &layout, const ElementBits &elements) {
  return layout::withInThread(layout, layout::runOf(layout.bases(layout::Register)), elements);
}

llvm::DenseMap<Value, CrossedAccess>
crossedAccesses(func::FuncOp kernel, layout::MatrixInstructions matrices,
                llvm::function_ref<bool(Value tile)> isSettled,
                llvm::function_ref<LinearLayout(Value pointer, Value mask)> layoutOf) {
  llvm::DenseMap<Value, CrossedAccess> crossed;
  Meetings meetings(kernel, isSettled);
  auto cross = [&](tile::LoadOp load, const LinearLayout &own, const ElementBits &elements) {
    auto crossIfAlike = [&](auto access, Value tile) {
      if (tile::isTile(tile.getType()) &&
          meetings.classOf(tile) == meetings.classOf(load.getResult()) &&
          layoutOf(access.getPointer(), access.getMask()) == own)
        crossed.try_emplace(access.getPointer(), CrossedAccess{own, elements});
    };
    kernel.walk([&](tile::LoadOp other) { crossIfAlike(other, other.getResult()); });
    kernel.walk([&](tile::StoreOp store) { crossIfAlike(store, store.getValue()); });
  };
  kernel.walk([&](tile::StoreOp store) {
    if (!tile::isTile(store.getValue().getType()))
      return;
    auto bytesOf = [](Value tile) { return tile::byteSizeOf(tile::elementOf(tile.getType())); };
    const LinearLayout wanted = layoutOf(store.getPointer(), store.getMask());
    for (auto &[load, asStored] : loadsBehind(store, wanted, isSettled)) {
      const LinearLayout own = layoutOf(load.getPointer(), load.getMask());
      const ElementBits elements = elementsAcross(own, bytesOf(load.getResult()), asStored,
                                                  bytesOf(store.getValue()), matrices);
      if (!elements.empty())
        cross(load, own, elements);
    }
  });
  return crossed;
}

} // namespace nereid::backend::gpu
