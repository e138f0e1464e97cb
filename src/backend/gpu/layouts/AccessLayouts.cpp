// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In which layouts accesses to global memory touch it in order.
#include "analysis/BitWeights.h"
#include "analysis/Distances.h"
#include "backend/gpu/layouts/AccessWidth.h"
#include "backend/gpu/layouts/HomeLayouts.h"
#include "layout/Blocked.h"

#include <bit>

using namespace mlir;

namespace nereid::backend::gpu {

using layout::LinearLayout;

constexpr int64_t sector = 32;       // bytes
constexpr int64_t mostTogether = 16; // elements of an access, of one byte each

/// Lanes go along the dimension of the longest run first; of equals, along the one where neighbours
/// share elements, else along the last. How many elements along it may be accessed together.
std::pair<layout::Order, int64_t> HomeLayouts::runOf(Value pointer, Value mask) const {
  layout::Order order = layout::rowMajor(tile::shapeOf(pointer.getType()).size());
  analysis::AxisInfo info = axes.of(pointer);
  llvm::ArrayRef<int64_t> shape = tile::shapeOf(pointer.getType());
  auto preference = [&](unsigned dimension) {
    const analysis::Axis &axis = info.axes[dimension];
    const int64_t shared = axis.constancy < shape[dimension] ? axis.constancy : 1;
    return std::tuple(axis.contiguity, shared, dimension);
  };
  llvm::sort(order, [&](unsigned a, unsigned b) { return preference(a) > preference(b); });
  return {order, analysis::vectorLength(axes, pointer, mask, order[0], mostTogether)};
}

WidestAccess HomeLayouts::widestAccess(Value pointer, Value mask) const {
  const layout::Order order = runOf(pointer, mask).first;
  const LinearLayout layout = accessLayoutOf(pointer, mask);
  unsigned elements = 1;
  for (layout::Vector basis : layout.bases(layout::Register)) {
    if (layout::unpack(layout.outputs(), basis)[order[0]] != elements)
      break;
    elements *= 2;
  }
  const unsigned bytes = tile::byteSizeOf(tile::elementOf(tile::pointeeOf(pointer.getType())));
  const bool isWhole = layout == layout::accessLayout(nv::paddedShape(pointer.getType()), order,
                                                      mostTogether, bytes, warps, laneBits);
  const bool isLoose = elements == 1 && (axes.of(pointer).axes[order[0]].contiguity > 1 ||
                                         !analysis::bitWeights(pointer));
  return {order[0], elements, isWhole, isLoose};
}

/// Where a tile has no runs but its addresses go with the bits of places (reversed or interleaved
/// indices), lanes take the bits of the nearest addresses first, if more of them stay in a sector.
static std::optional<LinearLayout> inOrderOfBits(Value pointer, const LinearLayout &layout,
                                                 unsigned bytes) {
  std::optional<llvm::SmallVector<int64_t>> weights = analysis::bitWeights(pointer);
  if (!weights || weights->size() != layout.outputBits() || !layout.isInjective())
    return std::nullopt;
  auto distance = [&](layout::Vector basis) {
    return std::abs((*weights)[std::countr_zero(basis)]) * int64_t(bytes);
  };
  auto lanes = layout.bases(layout::Lane), inWarps = layout.bases(layout::Warp);
  std::vector<layout::Vector> bits;
  for (auto bases : {lanes, inWarps, layout.bases(layout::Register)})
    bits.insert(bits.end(), bases.begin(), bases.end());
  llvm::sort(bits,
             [&](auto a, auto b) { return std::pair(distance(a), a) < std::pair(distance(b), b); });
  const std::span<const layout::Vector> next(bits), nearest = next.first(lanes.size());
  auto isNear = [&](layout::Vector basis) { return distance(basis) < sector; };
  if (llvm::count_if(nearest, isNear) <= llvm::count_if(lanes, isNear))
    return std::nullopt;
  return layout::distributed(layout::shapeOf(layout), next.subspan(lanes.size() + inWarps.size()),
                             nearest, next.subspan(lanes.size(), inWarps.size()));
}

LinearLayout HomeLayouts::accessLayoutOf(Value pointer, Value mask) const {
  auto [order, run] = runOf(pointer, mask);
  const layout::Shape shape = nv::paddedShape(pointer.getType());
  const unsigned bytes = tile::byteSizeOf(tile::elementOf(tile::pointeeOf(pointer.getType())));
  auto alike = even.find(pointer);
  const LinearLayout layout =
      alike != even.end()
          ? layout::blockedLayout({shape, alike->second, warps, order, {}, laneBits})
          : layout::accessLayout(shape, order, run, bytes, warps, laneBits);
  if (run == 1 && alike == even.end())
    if (std::optional<LinearLayout> byBits = inOrderOfBits(pointer, layout, bytes))
      return *byBits;
  if (auto across = crossed.find(pointer);
      across != crossed.end() && across->second.layout == layout)
    return withElements(layout, across->second.elements);
  return layout;
}

/// Where no two elements share a sector, or all that a thread may hold together are one, no layout
/// touches fewer sectors than another.
bool HomeLayouts::isAsGoodAnywhere(Value pointer) const {
  if (analysis::unitOfDistances(axes, pointer, sector) == sector ||
      isOfQuotients(pointer, mostTogether))
    return true;
  analysis::AxisInfo info = axes.of(pointer);
  return llvm::all_of(llvm::zip(tile::shapeOf(pointer.getType()), info.axes), [=](auto extent) {
    auto [size, axis] = extent;
    return axis.constancy >= std::min(size, mostTogether);
  });
}

LinearLayout HomeLayouts::rowLayout(Value row) const {
  constexpr unsigned access = 16; // bytes
  unsigned bytes = tile::byteSizeOf(tile::elementOf(row.getType()));
  auto fewer = even.find(row);
  const unsigned run = fewer != even.end() ? fewer->second : access / bytes;
  return layout::accessLayout(nv::paddedShape(row.getType()), layout::rowMajor(1), run, bytes,
                              warps, laneBits);
}

LinearLayout HomeLayouts::copyLayoutOf(Value pointer, Value mask) const {
  auto [order, run] = runOf(pointer, mask);
  return layout::blockedLayout(
      {nv::paddedShape(pointer.getType()), static_cast<unsigned>(run), warps, order, {}, laneBits});
}

} // namespace nereid::backend::gpu
