// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles that a loop carries and that its round updates from one another, lane for lane: a step of
// Welford's mean changes three, each from the old values of the others. One nest reads a lane of
// all of them, computes what they share once, and writes it where it was.
#include "backend/cpu/storage/StoragePlan.h"
#include "dialect/tile/Tile.h"

using namespace mlir;

namespace nereid::backend::cpu {

/// The values of as many still fit the registers of AVX-512, two of which hold a vector.
static constexpr size_t mostTogether = 6;

/// Of the tiles of one shape those are left that need no carried tile but each other's lanes.
void StoragePlan::updateTogether(scf::ForOp loop) {
  llvm::SmallVector<unsigned, 4> members;
  for (auto [i, yielded] : llvm::enumerate(loop.getYieldedValues()))
    if (inPlace.contains(yielded) && !stored.contains(yielded) &&
        (members.empty() || tile::shapeOf(yielded.getType()) ==
                                tile::shapeOf(loop.getYieldedValues()[members[0]].getType())))
      members.push_back(i);
  auto isMember = [&](Value tile) {
    auto argument = llvm::dyn_cast<BlockArgument>(tile);
    return argument && argument.getOwner() == loop.getBody() &&
           llvm::is_contained(members, argument.getArgNumber() - loop.getNumInductionVars());
  };
  auto isCarried = [&](Value tile) {
    return llvm::any_of(loop.getRegionIterArgs(), [&](Value carried) {
      return tile::isTile(carried.getType()) && shareBuffer(carried, tile);
    });
  };
  auto needsOthers = [&](unsigned position) {
    return llvm::any_of(leavesOf(loop.getYieldedValues()[position]), [&](Leaf leaf) {
      return isCarried(leaf.first) && !(leaf.second && isMember(leaf.first));
    });
  };
  for (size_t before = 0; before != members.size();) {
    before = members.size();
    llvm::erase_if(members, needsOthers);
  }
  if (members.size() > 1 && members.size() <= mostTogether)
    together[loop] = std::move(members);
}

} // namespace nereid::backend::cpu
