// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Aliasing.h"

#include "dialect/nv/Nv.h"

using namespace mlir;

namespace nereid::analysis {
namespace {

/// The value of a kernel that a pointer was computed from: an argument, or the address of memory of
/// the block's own. Null if that cannot be seen.
Value placeOf(Value pointer) {
  if (!pointer)
    return {};
  if (BlockArgument argument = tile::baseOf(pointer))
    return argument;
  return tile::ownMemoryOf(pointer);
}

bool isOwn(Value place) { return llvm::isa<OpResult>(place); }

/// Whether an operation waits for threads of its own program alone, whose writes are seen in it.
bool isBarrierOfOwn(Operation *op) {
  if (llvm::isa<nv::SyncOp>(op))
    return true;
  if (!llvm::isa<tile::BarrierOp>(op))
    return false;
  auto kernel = op->getParentOfType<func::FuncOp>();
  return !tile::blockOf(kernel) && !tile::handsOver(kernel);
}

} // namespace

bool Aliasing::mayMeet(Value pointer, Value other) const {
  Value place = placeOf(pointer), otherPlace = placeOf(other);
  if (!place || !otherPlace || place == otherPlace)
    return true;
  // What a block has for itself is nobody else's.
  return !isOwn(place) && !isOwn(otherPlace) && !areArgumentsApart;
}

Operation *Aliasing::findWriter(tile::LoadOp load, Operation *scope) const {
  Operation *writer = nullptr;
  scope->walk([&](Operation *op) {
    tile::Access access = tile::accessOf(op);
    bool mayWrite = access.writes && mayMeet(load.getPointer(), access.pointer);
    if (op->getNumRegions() > 0 || !(mayWrite || access.isOrdered()) || isBarrierOfOwn(op))
      return WalkResult::advance();
    writer = op;
    return WalkResult::interrupt();
  });
  return writer;
}

} // namespace nereid::analysis
