// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Masks of a nest: which vectors have all lanes active, some or none, and a body for each.
#include "backend/cpu/emit/KernelEmitter.h"
#include "backend/cpu/nests/Nest.h"
#include "backend/cpu/storage/Recompute.h"
#include "dialect/tile/Access.h"
#include "dialect/tile/Tile.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::backend::cpu {

void Nest::expect(Value tile, const Coordinates &at) {
  llvm::DenseSet<Value> seen;
  if (!tile::isTile(tile.getType()))
    return;
  if (kernel.storage().isStored(tile))
    collectStored(tile, at);
  else
    collectMasks(tile, at, seen);
}

void Nest::expectDefinition(Value tile, const Coordinates &at) {
  llvm::DenseSet<Value> seen;
  collectMasks(tile, at, seen);
}

void Nest::expectMask(Value mask, const Coordinates &at) { collectMask(mask, at); }

void Nest::collectMask(Value mask, const Coordinates &at) {
  if (!mask || !tile::isTile(mask.getType()))
    return;
  Coordinates place = normalized(mask, at);
  bool isInnermost = levelOf(place) == order.size();
  if (isInnermost && !llvm::is_contained(masks, std::make_pair(mask, place)))
    masks.emplace_back(mask, place);
}

void Nest::collectMasks(Value value, const Coordinates &at, llvm::DenseSet<Value> &seen) {
  Operation *op = value.getDefiningOp();
  if (!op || !tile::isLanewise(op) || !seen.insert(value).second)
    return;
  collectMask(tile::accessOf(op).mask, at);
  if (mayTurnLoads && llvm::isa<tile::LoadOp>(op))
    planTurnedLoad(op, normalized(value, at));
  for (OpOperand &operand : op->getOpOperands()) {
    if (!tile::isTile(operand.get().getType()))
      continue;
    Coordinates place = tile::mapThrough(tile::laneMapOf(operand), at);
    if (kernel.storage().isStored(operand.get()))
      collectStored(operand.get(), place);
    else
      collectMasks(operand.get(), place, seen);
  }
}

Operation *Nest::maskedLoadOf(Value stored) const {
  auto load = stored.getDefiningOp<tile::LoadOp>();
  if (!load || !load.getMask() || !tile::isTile(load.getMask().getType()))
    return nullptr;
  Value other = load.getOther();
  bool isConstant = !other || matchPattern(other, m_Constant());
  auto isStored = [&](Value tile) { return kernel.storage().isStored(tile); };
  return isConstant && isComputedAnew(load.getMask(), isStored) ? load : nullptr;
}

void Nest::collectStored(Value stored, const Coordinates &at) {
  planTurned(stored, normalized(stored, at));
  if (!isInactiveApart)
    return;
  if (Operation *load = maskedLoadOf(stored)) {
    Value mask = tile::accessOf(load).mask;
    Coordinates place = normalized(mask, at);
    auto entry = std::make_pair(mask, place);
    if (levelOf(place) == order.size() && !llvm::is_contained(storedMasks, entry))
      storedMasks.push_back(entry);
  }
}

void Nest::skipWhereFalse(Value mask, const Coordinates &at) {
  if (mask && tile::isTile(mask.getType()) && levelOf(normalized(mask, at)) == order.size())
    effective = {mask, normalized(mask, at)};
}

llvm::Value *Nest::allActive() {
  llvm::Value *all = b.getTrue();
  for (unsigned which = 0; which < std::max<size_t>(togetherIndices.size(), 1); ++which) {
    moveTo(which);
    for (auto &[mask, at] : masks)
      if (which == 0 || llvm::is_contained(at, together))
        all = b.CreateAnd(all, quantified(Quantity::All, mask, at));
  }
  moveTo(0);
  return all;
}

llvm::Value *Nest::anyActive() {
  llvm::Value *any = b.getFalse();
  for (auto &[mask, at] : masks)
    any = b.CreateOr(any, quantified(Quantity::Any, mask, at));
  return any;
}

/// Whether the version being emitted knows its lanes: all active or none.
bool Nest::isKnownMask(Value mask, const Coordinates &at) const {
  if (!(isAllActive || isNoneActive) || !mask || !tile::isTile(mask.getType()))
    return false;
  auto entry = std::make_pair(mask, normalized(mask, at));
  // Beside masks of its own a nest does not look at those of stored tiles.
  return llvm::is_contained(masks, entry) ||
         (masks.empty() && llvm::is_contained(storedMasks, entry));
}

llvm::Value *Nest::activeMask(Value mask, const Coordinates &at) {
  if (!mask)
    return nullptr;
  if (isAllActive && isKnownMask(mask, at))
    return nullptr;
  Lanes value = evaluate(mask, at);
  return value.kind == Lanes::Kind::Uniform ? value.base : vector(value);
}

void Nest::emitInnermost(Body body) {
  if (currentWidth == 1 || (masks.empty() && storedMasks.empty()))
    body();
  else if (masks.empty())
    emitActiveOrNot(body);
  else
    emitVersions(allActive(), body);
}

/// Where only stored tiles are read: as they are, or as the constants that they are without an
/// active lane.
void Nest::emitActiveOrNot(Body body) {
  masks = storedMasks;
  llvm::Value *any = anyActive();
  masks.clear();
  llvm::BasicBlock *active = kernel.newBlock("active"), *inactive = kernel.newBlock("inactive"),
                   *done = kernel.newBlock("done");
  b.CreateCondBr(any, active, inactive);
  for (llvm::BasicBlock *version : {active, inactive}) {
    b.SetInsertPoint(version);
    levels.push_back({version, {}});
    isNoneActive = version == inactive;
    body();
    levels.pop_back();
    b.CreateBr(done);
  }
  isNoneActive = false;
  b.SetInsertPoint(done);
}

void Nest::emitVersions(llvm::Value *allActive, Body body) {
  llvm::BasicBlock *full = kernel.newBlock("full"), *masked = kernel.newBlock("masked"),
                   *done = kernel.newBlock("done"), *some = masked;
  bool hasNone = isInactiveApart && !effective && together == none;
  llvm::BasicBlock *inactive = hasNone ? kernel.newBlock("inactive") : nullptr;
  if (effective || hasNone)
    some = kernel.newBlock("some");
  b.CreateCondBr(allActive, full, some);
  if (hasNone) {
    b.SetInsertPoint(some);
    b.CreateCondBr(anyActive(), masked, inactive);
  }
  if (effective) {
    b.SetInsertPoint(some);
    auto &[mask, at] = *effective;
    b.CreateCondBr(quantified(Quantity::Any, mask, at), masked, done);
  }
  for (llvm::BasicBlock *version : {full, masked, inactive}) {
    if (!version)
      continue;
    b.SetInsertPoint(version);
    levels.push_back({version, {}});
    isAllActive = version == full;
    isNoneActive = version == inactive;
    body();
    levels.pop_back();
    b.CreateBr(done);
  }
  isAllActive = isNoneActive = false;
  b.SetInsertPoint(done);
}

} // namespace nereid::backend::cpu
