// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel is planned once, into steps that know where their operands and results lie, and the plan
// is then run for every program of the grid.
#pragma once

#include "interpret/events/Listener.h"
#include "interpret/memory/AddressSpace.h"
#include "interpret/memory/Arena.h"
#include "interpret/operations/Element.h"
#include "interpret/schedule/ProgramOrder.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/FunctionExtras.h"

#include <vector>

namespace nereid {
class Interruption;
class SourceFile;
} // namespace nereid

namespace nereid::interpret {

class Instrument;
class ThreadBlock;

/// What programs are set aside by that wait for what others do.
class Waiting {
public:
  virtual ~Waiting() = default;
  /// To be called after each round of a loop in which the program may wait. One that stands still
  /// changed nothing: without others, all that come would be the same.
  virtual void waited(mlir::Location loop, bool standsStill) = 0;
};

/// Thrown out of a program when the launch is to be ended.
struct LaunchEnds {};
/// The same of the program alone.
struct ProgramEnds {};

/// What a program did to memory in a round of a loop, inner loops included.
struct Round {
  bool hasRead = false, hasSynchronized = false;
  /// A store, and an atomic, that left an element another one.
  bool hasWritten = false, hasChanged = false;

  void add(const Round &other) {
    hasRead |= other.hasRead;
    hasSynchronized |= other.hasSynchronized;
    hasWritten |= other.hasWritten;
    hasChanged |= other.hasChanged;
  }
  /// Whether it can be one of waiting: it looked at memory and left none changed, but by atomics.
  bool mayWait() const { return hasSynchronized || (hasRead && !hasWritten); }
};

/// Where a step finds the program it runs in.
struct Execution {
  ProgramId program;
  GridExtent grid;
  const AddressSpace &memory;
  Observer &observer;
  std::span<Listener *const> listeners;
  ProgramOrder order;
  /// Null where no program can wait for another.
  Waiting *schedule = nullptr;
  Interruption *interruption = nullptr; // null: the launch cannot be ended early

  /// Of a kernel of threads, whose programs are threads; null for others.
  ThreadBlock *block = nullptr;

  /// Of the program's innermost loop.
  Round round = {};
  void programEnds() const {
    for (Listener *listener : listeners)
      listener->ends(program);
  }
};

/// One operation with everything about it resolved. Empty if there is nothing to do at run time.
using Step = llvm::unique_function<void(Execution &)>;
using Steps = std::vector<Step>;

inline void runAll(Steps &steps, Execution &execution) {
  for (Step &step : steps)
    step(execution);
}

/// The elements of one value, row-major.
struct Slot {
  std::byte *data = nullptr;
  int64_t capacity = 0; // elements
  ElementKind kind = ElementKind::Int1;
  const int64_t *lanes = nullptr; // see Lanes; overrides the capacity

  int64_t count() const { return lanes ? *lanes : capacity; }
  size_t bytes() const { return size_t(capacity) * bytesOf(kind); }
  template <typename T> T *as() const { return reinterpret_cast<T *>(data); }
};

/// Evaluates a region of scalars for many of them at once: every value in it holds up to `capacity`
/// scalars, and the first `*count` take part.
struct Lanes {
  mlir::Region *region = nullptr;
  int64_t capacity = 1;
  const int64_t *count = nullptr;
  Steps prologue; // repeats scalars from outside the region for all lanes
  llvm::DenseMap<mlir::Value, Slot> outside;
};

class Planner {
public:
  /// `source`: what the kernel was written in, for what is refused; may be null.
  explicit Planner(mlir::func::FuncOp kernel, llvm::ArrayRef<Instrument *> instruments = {},
                   const SourceFile *source = nullptr)
      : kernel(kernel), instruments(instruments), source(source) {}

  /// The steps of the body; the arguments' slots can be asked for afterwards.
  Steps plan();
  /// The steps of all operations but the terminator. Values of the block die with it.
  Steps planBlock(mlir::Block &block);
  /// The same for a region of scalars, evaluated for many at once.
  Steps planLanes(mlir::Block &block, Lanes &lanes);

  Slot slotOf(mlir::Value value);
  /// What an instrument wants kept beside a value, wherever control flow carries it: a byte for
  /// each lane and one more. Without data if no instrument wants any.
  Slot shadowOf(mlir::Value value) const { return shadows.lookup(value); }
  /// Whether an instrument wants to see how a reduction or scan combines.
  bool isWatchedInside(mlir::Operation &combiner) const;
  /// A shadow of zeros that nobody writes.
  Slot emptyShadow(int64_t bytes);
  /// The slot that a value has inside a region, asked for after the region was planned.
  Slot slotIn(const Lanes &region, mlir::Value value) const;
  /// Gives a value its place; it is given back after its last use.
  Slot define(mlir::Value value);
  /// A place that no other value ever gets, so that it can be filled while planning.
  Slot defineConstant(mlir::Value value);
  /// Lets a value live where another does.
  void alias(mlir::Value value, Slot slot) { slots[value] = slot; }
  void alias(mlir::Value value, mlir::Value other);
  void release(mlir::Value value);
  Slot scratch(int64_t count, ElementKind kind);
  /// Where the values of a program lie while it runs.
  Arena &values() { return arena; }
  void release(Slot slot) { arena.giveBack(slot.data, slot.bytes()); }

private:
  Slot repeatOutside(mlir::Value value);
  Slot shapeOfSlot(mlir::Value value) const;
  void planStep(mlir::Operation &op, Steps &steps);
  void defineShadow(mlir::Value value, int64_t lanes);

  mlir::func::FuncOp kernel;
  llvm::SmallVector<Instrument *> instruments;
  const SourceFile *source;
  Arena arena;
  llvm::DenseMap<mlir::Value, Slot> slots, shadows;
  llvm::DenseMap<int64_t, Slot> emptyShadows;
  llvm::DenseSet<mlir::Value> constants;
  Lanes *lanes = nullptr;
};

} // namespace nereid::interpret
