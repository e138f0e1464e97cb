// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which tiles exist whole, in scratch memory, and where. All others are virtual: computed lane by
// lane inside the loop nest of the one operation that needs them, and never stored.
//
// Loop nests are made for *roots*: operations with an effect (store, atomic, print), those that
// need all of a tile at once (reduce, dot), edges of control flow, and every stored tile, whose
// nest writes it.
#pragma once

#include "analysis/Aliasing.h"
#include "analysis/AxisInfo.h"
#include "analysis/IntegerRanges.h"
#include "runtime/cpu/Scratch.h"
#include "target/CpuTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

#include <vector>

namespace nereid::backend::cpu {

using runtime::cpu::scratchAlignment;

using BufferId = unsigned;

class StoragePlan {
public:
  /// Decides for every tile of the kernel.
  StoragePlan(mlir::func::FuncOp kernel, const target::CpuTarget &cpu);

  bool isStored(mlir::Value tile) const { return buffers.contains(tile); }
  /// Byte offset of a stored tile in scratch memory, a multiple of scratchAlignment. Row-major; i1
  /// takes a byte.
  uint64_t offsetOf(mlir::Value tile) const { return allocations[buffers.at(tile)].offset; }
  bool shareBuffer(mlir::Value a, mlir::Value b) const {
    return isStored(a) && isStored(b) && buffers.at(a) == buffers.at(b);
  }
  /// The stored tiles that the nest of a reduction writes while it goes through them, in the order
  /// in which they are computed: one walk over each instead of two.
  llvm::ArrayRef<mlir::Value> tilesWrittenBy(mlir::Operation *reduce) const {
    auto found = writtenBy.find(reduce);
    return found == writtenBy.end() ? llvm::ArrayRef<mlir::Value>() : found->second;
  }
  bool isWrittenByReduction(mlir::Value tile) const { return writer.contains(tile); }
  /// Working memory of an operation besides its result (packed factors of a dot).
  uint64_t temporaryOf(mlir::Operation *op) const { return allocations[temporaries.at(op)].offset; }
  /// Whether the nest of a store begins at the last lane.
  bool runsBackwards(mlir::Operation *store) const { return backwards.lookup(store); }
  /// Where panels of a dot lie that outlive its program (KeptPanels.h); nothing if it keeps none.
  std::optional<uint64_t> keptOf(mlir::Operation *dot) const {
    auto found = kept.find(dot);
    return found == kept.end() ? std::nullopt : std::optional(allocations[found->second].offset);
  }
  bool keepsPanels() const { return !kept.empty(); }
  uint64_t scratchBytes() const { return totalBytes; }

  /// A carried tile whose new value is computed straight into its own buffer, because nothing it is
  /// computed from lies in the buffer of another carried tile, or in its own at another place.
  bool isUpdatedInPlace(mlir::Value yielded) const { return inPlace.contains(yielded); }
  /// Positions of tiles that the loop carries whose new values one nest computes and writes: lane i
  /// of each needs lane i of these and of nothing else that is carried.
  llvm::ArrayRef<unsigned> updatedTogether(mlir::scf::ForOp loop) const {
    auto found = together.find(loop);
    return found == together.end() ? llvm::ArrayRef<unsigned>() : found->second;
  }
  /// Lists the stored tiles in the order of the kernel.
  void print(mlir::func::FuncOp kernel, llvm::raw_ostream &out) const;

  /// Whether a new carried value lies in the buffer of another tile that the loop carries.
  bool isInCarriedBuffer(mlir::Value yielded, mlir::scf::ForOp loop) const;

private:
  struct Allocation {
    uint64_t bytes, offset = 0;
    unsigned first, last; // positions between which it holds something
  };

  void number(mlir::Block &block);
  void decide(mlir::Block &block);
  void decideCarried(mlir::Operation *terminator, mlir::ValueRange carried);
  void decideValue(mlir::Operation *op);
  bool mustStore(mlir::Operation *op, const llvm::SmallSetVector<mlir::Operation *, 4> &roots);
  bool mayReadLate(mlir::Operation *load, mlir::Operation *root);
  /// Whether a load lies along another dimension than what the store that reads it writes.
  bool isReadAcross(mlir::Operation *load, mlir::Operation *root);
  int dimensionInOrder(mlir::Value pointer);
  /// What it must read before; or null.
  mlir::Operation *fenceBefore(mlir::Operation *load, mlir::Operation *root);
  bool mayOverwrite(mlir::Operation *writer, mlir::Operation *load, bool isSameNest);
  /// Whether there is an order of lanes in which `writer`, one of whose operands reads at `read`,
  /// overwrites nothing before that; then it is kept to.
  bool orderAllows(mlir::Operation *writer, mlir::Value read, mlir::Value written);
  llvm::SmallSetVector<mlir::Operation *, 4> rootsOf(mlir::Value value) const;
  void forEachReader(mlir::Value value, llvm::function_ref<void(mlir::Operation *)> see) const;
  unsigned lastRead(mlir::Value value) const;

  /// A stored tile that another is computed from, and whether (1 or 0: no set of bools is to be
  /// had) lane i of that needs only lane i of this.
  using Leaf = std::pair<mlir::Value, unsigned>;
  llvm::SmallSetVector<Leaf, 4> leavesOf(mlir::Value tile) const;

  // WriteWhereReduced.cpp
  void writeWhereReduced(mlir::Block &block);
  mlir::Operation *reductionThatWrites(mlir::Value tile) const;
  bool isReadLaneForLane(mlir::Operation *op, mlir::Value tile) const;

  // RemarkStorage.cpp
  void remarkStored(mlir::func::FuncOp kernel);
  bool isStoredByChoice(mlir::Value tile) const;

  void assignKept(mlir::func::FuncOp kernel);
  void assignBuffers(mlir::Block &block);
  void assignControlFlow(mlir::Operation *op);
  void updateTogether(mlir::scf::ForOp loop);
  void storeUnsafeUpdates(mlir::scf::ForOp loop);
  void reserveSwapSpace(mlir::scf::ForOp loop);
  BufferId newBuffer(mlir::Type type, unsigned first, unsigned last);
  void share(mlir::Value value, mlir::Value owner);
  mlir::Value reusableAccumulator(mlir::Operation *dot) const;
  bool isAliveAfter(mlir::Value tile, mlir::Operation *op) const;
  bool maySucceed(mlir::scf::ForOp loop, mlir::Value initial) const;
  void layOut();

  const target::CpuTarget &cpu;
  mlir::func::FuncOp kernel;
  analysis::Aliasing aliasing;
  std::optional<analysis::IntegerRanges> ranges;     // once they are asked for
  std::optional<analysis::AxisAnalysis> axes;        // the same
  llvm::DenseMap<mlir::Operation *, bool> backwards; // stores whose order matters
  unsigned next = 0;
  llvm::DenseMap<mlir::Operation *, unsigned> position, endPosition;
  std::vector<mlir::Operation *> fences; // what a load may not pass without a look, by position
  llvm::DenseSet<mlir::Value> stored, inPlace;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<unsigned, 4>> together;
  llvm::DenseMap<mlir::Value, llvm::SmallSetVector<mlir::Operation *, 4>> roots;
  llvm::DenseMap<mlir::Value, mlir::Operation *> writer; // a reduction
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value, 2>> writtenBy;
  llvm::DenseMap<mlir::Value, BufferId> buffers;
  llvm::DenseMap<mlir::Operation *, BufferId> temporaries, kept;
  std::vector<Allocation> allocations;
  uint64_t totalBytes = 0;
};

/// Bytes that a stored tile takes.
uint64_t storedBytes(mlir::Type tile);

} // namespace nereid::backend::cpu
