// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpret/Planner.h"

#include "dialect/tile/SourcePlace.h"
#include "dialect/tile/Tile.h"
#include "interpret/events/Instrument.h"
#include "interpret/operations/OperationTable.h"

#include <algorithm>

using namespace mlir;

namespace nereid::interpret {

Steps Planner::plan() {
  NEREID_CHECK(kernel.getBody().hasOneBlock(), "a kernel's control flow is structured");
  for (Value argument : kernel.getArguments())
    define(argument);
  return planBlock(kernel.getBody().front());
}

/// For each operation of the block, the values defined in the block that nothing uses after it.
static llvm::DenseMap<Operation *, llvm::SmallVector<Value>> lastUses(Block &block) {
  llvm::DenseMap<Operation *, llvm::SmallVector<Value>> dying;
  for (Operation &op : block)
    for (Value result : op.getResults()) {
      Operation *last = &op;
      for (Operation *user : result.getUsers()) {
        Operation *ancestor = block.findAncestorOpInBlock(*user);
        if (last->isBeforeInBlock(ancestor))
          last = ancestor;
      }
      dying[last].push_back(result);
    }
  return dying;
}

/// The reduction or scan inside of which the operation combines elements.
static Operation *combinerOf(Operation &op) {
  if (auto reduce = op.getParentOfType<tile::ReduceOp>())
    return reduce;
  return op.getParentOfType<tile::ScanOp>();
}

bool Planner::isWatchedInside(Operation &combiner) const {
  return llvm::any_of(instruments, [&](const Instrument *instrument) {
    return instrument->entersCombining(combiner);
  });
}

static Diagnostic refusalOf(Operation &op) {
  Diagnostic refusal = diagnose({}, DiagnosticId::unsupported_operation, "the checked device",
                                op.getName().getStringRef());
  if (llvm::isa<tile::AssemblyOp>(op))
    refusal.notes.push_back({{},
                             "it runs no instructions of the machine, which could do anything to "
                             "the process that checks"});
  return refusal;
}

void Planner::planStep(Operation &op, Steps &steps) {
  llvm::SmallVector<Instrument *> watching = instruments;
  if (Operation *combiner = instruments.empty() ? nullptr : combinerOf(op))
    llvm::erase_if(watching, [&](const Instrument *instrument) {
      return !instrument->entersCombining(*combiner);
    });
  auto add = [&](Step step) {
    if (step)
      steps.push_back(std::move(step));
  };
  for (Instrument *instrument : watching)
    add(instrument->before(*this, op));
  if (op.hasTrait<OpTrait::IsTerminator>())
    return;
  const Plan *plan = OperationTable::get().find(op.getName());
  if (!plan)
    tile::throwAt(op.getLoc(), source, refusalOf(op));
  add((*plan)(*this, op));
  for (Instrument *instrument : watching)
    add(instrument->after(*this, op));
}

Steps Planner::planBlock(Block &block) {
  Steps steps;
  auto dying = lastUses(block);
  for (Operation &op : block) {
    planStep(op, steps);
    for (Value value : dying[&op])
      release(value);
  }
  return steps;
}

Steps Planner::planLanes(Block &block, Lanes &inner) {
  NEREID_CHECK(!lanes, "a region evaluated in lanes holds another one");
  lanes = &inner;
  Steps steps = planBlock(block);
  for (Value yielded : block.getTerminator()->getOperands())
    slotOf(yielded); // may come from outside
  lanes = nullptr;
  return steps;
}

Slot Planner::slotOf(Value value) {
  if (lanes && !lanes->region->isAncestor(value.getParentRegion()))
    return repeatOutside(value);
  auto found = slots.find(value);
  NEREID_CHECK(found != slots.end(), "a value is used before it is planned");
  return found->second;
}

Slot Planner::slotIn(const Lanes &region, Value value) const {
  auto outside = region.outside.find(value);
  return outside == region.outside.end() ? slots.lookup(value) : outside->second;
}

Slot Planner::repeatOutside(Value value) {
  auto [entry, isNew] = lanes->outside.try_emplace(value);
  if (!isNew)
    return entry->second;
  Slot source = slots.lookup(value);
  // The prologue runs ahead of the whole region, so the place must not be shared with values in it.
  Slot repeated{nullptr, lanes->capacity, source.kind, lanes->count};
  repeated.data = arena.takeFresh(repeated.bytes());
  lanes->prologue.push_back(visitBits(source.kind, [=](auto bits) -> Step {
    using T = decltype(bits);
    return [=](Execution &) { std::fill_n(repeated.as<T>(), repeated.capacity, *source.as<T>()); };
  }));
  return entry->second = repeated;
}

Slot Planner::scratch(int64_t count, ElementKind kind) {
  Slot slot{nullptr, count, kind};
  slot.data = arena.take(slot.bytes());
  return slot;
}

Slot Planner::shapeOfSlot(Value value) const {
  ElementKind kind = kindOf(value.getType());
  if (lanes)
    return {nullptr, lanes->capacity, kind, lanes->count};
  return {nullptr, tile::elementCount(value.getType()), kind};
}

Slot Planner::define(Value value) {
  Slot slot = shapeOfSlot(value);
  slot.data = arena.take(slot.bytes());
  defineShadow(value, slot.capacity);
  return slots[value] = slot;
}

void Planner::defineShadow(Value value, int64_t lanes) {
  auto isWanted = [&](Instrument *instrument) { return instrument->hasShadow(value); };
  if (llvm::any_of(instruments, isWanted))
    shadows[value] = scratch(lanes + 1, ElementKind::Int8);
}

Slot Planner::emptyShadow(int64_t bytes) {
  Slot &shadow = emptyShadows[bytes];
  if (!shadow.data)
    shadow = {arena.takeFresh(size_t(bytes)), bytes, ElementKind::Int8};
  return shadow;
}

void Planner::alias(Value value, Value other) {
  slots[value] = slotOf(other);
  if (Slot shadow = shadowOf(other); shadow.data)
    shadows[value] = shadow;
}

Slot Planner::defineConstant(Value value) {
  Slot slot = shapeOfSlot(value);
  // A buffer that another value has had would be overwritten when that one is computed again.
  slot.data = arena.takeFresh(slot.bytes());
  constants.insert(value);
  return slots[value] = slot;
}

void Planner::release(Value value) {
  if (constants.contains(value))
    return;
  release(slots.lookup(value));
  if (Slot shadow = shadowOf(value); shadow.data)
    release(shadow);
}

} // namespace nereid::interpret
