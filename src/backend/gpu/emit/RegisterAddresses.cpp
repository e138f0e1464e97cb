// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/emit/RegisterAddresses.h"

#include "analysis/Strides.h"
#include "dialect/nv/Nv.h"

#include <map>

namespace nereid::backend::gpu {

/// Whether the register's and the thread's part of each coordinate are a sum.
static bool isSum(const layout::LinearLayout &layout) {
  layout::Vector ofRegisters = 0, ofThreads = 0;
  for (layout::Vector basis : layout.bases(layout::Register))
    ofRegisters |= basis;
  for (const char *space : {layout::Lane, layout::Warp})
    for (layout::Vector basis : layout.bases(space))
      ofThreads |= basis;
  return !(ofRegisters & ofThreads);
}

RegisterAddresses::RegisterAddresses(Builder &b, mlir::Value tile,
                                     llvm::ArrayRef<llvm::Value *> pointers)
    : b(b), pointers(pointers) {
  for (unsigned reg = 0; reg < pointers.size(); ++reg)
    places.emplace_back(reg, 0);
  if (!tile::isTile(tile.getType()) || !isSum(nv::layoutOf(tile)))
    return;
  const layout::LinearLayout &layout = nv::layoutOf(tile);
  unsigned rank = tile::shapeOf(tile.getType()).size();
  llvm::SmallVector<std::optional<int64_t>> strides;
  for (unsigned dim = 0; dim < rank; ++dim)
    strides.push_back(analysis::strideAlong(tile, dim));
  int64_t bytes = tile::byteSizeOf(tile::elementOf(tile::pointeeOf(tile.getType())));
  // The first register of those that differ along known strides only, and its distance.
  std::map<layout::Coordinates, std::pair<unsigned, int64_t>> firsts;
  for (unsigned reg = 0; reg < pointers.size(); ++reg) {
    layout::Coordinates at = layout::unpack(layout.outputs(), layout(reg));
    int64_t distance = 0;
    for (unsigned dim = 0; dim < rank; ++dim)
      if (strides[dim]) {
        distance += *strides[dim] * static_cast<int64_t>(at[dim]) * bytes;
        at[dim] = 0;
      }
    auto [first, isNew] = firsts.try_emplace(at, reg, distance);
    places[reg] = {first->second.first, distance - first->second.second};
  }
}

llvm::Value *RegisterAddresses::operator[](unsigned reg) {
  auto [first, distance] = places[reg];
  return distance ? b.CreatePtrAdd(pointers[first], b.getInt64(distance)) : pointers[first];
}

} // namespace nereid::backend::gpu
