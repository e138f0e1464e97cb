// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layouts in which values are made.
#pragma once

#include "analysis/AxisInfo.h"
#include "backend/gpu/Configuration.h"
#include "backend/gpu/layouts/CrossedAccesses.h"
#include "backend/gpu/layouts/EvenAccesses.h"
#include "dialect/nv/Nv.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"

namespace nereid::backend::gpu {

/// What becomes of a tile's layout.
enum class Settling {
  Free,    // made from ranges, constants, scalars and shared memory alone: in any layout
  Moved,   // lanes of another value at other places: wherever that value is
  Settled, // loaded, reduced, carried or costly: in its home layout
};

class HomeLayouts {
public:
  HomeLayouts(mlir::func::FuncOp kernel, const Configuration &configuration);

  Settling settlingOf(mlir::Value tile);
  /// Where a settled tile is made.
  const layout::LinearLayout &of(mlir::Value tile) const;
  /// In which an access through these pointers touches memory in order.
  layout::LinearLayout accessLayoutOf(mlir::Value pointer, mlir::Value mask) const;
  /// The same for what is sent to other threads for a store: as wide as addresses are aligned,
  /// where the mask lets most runs through whole (it ends rows), as StoreEmitter has it.
  layout::LinearLayout wholeRunsLayoutOf(mlir::Value pointer, mlir::Value mask) const;
  bool isAsGoodAnywhere(mlir::Value pointer) const;
  /// Whether a short row that is wanted in this layout, in which a thread would make many accesses
  /// for it, is loaded once instead: by one warp, whose lanes exchange without a barrier; by
  /// several if its elements lie anywhere.
  bool isLoadedOnce(tile::LoadOp row, const layout::LinearLayout &layout) const;
  /// Neighbours in memory, however they are masked: nv.read_row's.
  layout::LinearLayout rowLayout(mlir::Value row) const;
  /// A layout of the tile that moves none of its settled sources; for a free one nothing.
  std::optional<layout::LinearLayout> naturalLayout(mlir::Value tile);
  /// In which copies through these pointers do; as wide as addresses allow, even if threads are
  /// left without any.
  layout::LinearLayout copyLayoutOf(mlir::Value pointer, mlir::Value mask) const;
  /// Neighbours in a room, for a tile that goes there and may lie anywhere.
  layout::LinearLayout neighboursLayout(mlir::Type tile, nv::SharedType room) const;
  /// A source that may lie anywhere goes along the neighbours of the room that it is read out of,
  /// if they are what is reduced; else rows over lanes.
  layout::LinearLayout layoutToReduce(tile::ReduceOp reduce) const;
  /// Rows over lanes, for a tile of which nothing else is known.
  layout::LinearLayout defaultLayout(mlir::Type tile) const;

private:
  bool isShortRow(mlir::Operation *op) const;
  unsigned workOf(mlir::Value tile);
  void countCopies(mlir::func::FuncOp kernel);
  void visit(mlir::Block &block);
  void visit(mlir::Operation *op);
  void visitLanewise(mlir::Operation *op);
  void visitDot(mlir::Operation *op);
  WidestAccess widestAccess(mlir::Value pointer, mlir::Value mask) const;
  std::pair<layout::Order, int64_t> runOf(mlir::Value pointer, mlir::Value mask) const;
  void visitReduce(mlir::Operation *op);
  void visitRoot(mlir::Operation *op);
  void visitFor(mlir::Operation *op);
  void visitWhile(mlir::Operation *op);
  void visitIf(mlir::Operation *op);
  void adopt(mlir::Value value, mlir::Value from);
  void adoptFromOperands(mlir::Value result, mlir::Operation *op);
  void adoptIfEachHasOne(mlir::Value value, mlir::Value from);
  mlir::Value madeLanewiseOf(mlir::Value tile);
  void adoptFromProducts(mlir::Value tile);
  void adoptFromAccesses(mlir::Value tile, bool alsoMoved = false);
  std::optional<layout::LinearLayout>
  layoutOfConsumers(mlir::Value tile, llvm::function_ref<bool(mlir::Operation *)> counts);
  void adoptFromConsumers(mlir::Value tile);
  llvm::SmallBitVector repeatedAxes(mlir::Value pointer) const;
  bool fillsSectors(const layout::LinearLayout &layout, tile::LoadOp load) const;
  bool isShort(tile::LoadOp load) const;
  void adoptIfRepeated(tile::LoadOp load);
  void adoptFromLoops(tile::LoadOp load);
  void set(mlir::Value value, const layout::LinearLayout &layout);
  /// Repeats a walk over a loop until it finds no more homes.
  void untilSettled(llvm::function_ref<void()> round);
  void settleRest(mlir::ValueRange values);
  /// What loops carry that is made of ranges and masks alone (a count): where it meets what is
  /// loaded.
  void settleCarried(mlir::ValueRange values);
  /// Scans of tiles that repeat smaller ones go along each thread's registers, where other
  /// dimensions have an element for each lane.
  void settleRepeatedScans(mlir::func::FuncOp kernel);
  /// Whether a tile is made lane by lane of nothing but such, and of what lies anywhere; `made` are
  /// the tiles of its shape on the way.
  bool repeatsSmaller(mlir::Value tile, llvm::SetVector<mlir::Value> &made);

  unsigned warps, laneBits, mostWork, rowAccesses;
  analysis::AxisAnalysis axes;
  llvm::DenseMap<mlir::Value, layout::LinearLayout> homes;
  llvm::DenseMap<mlir::Value, Settling> settlings;
  llvm::DenseMap<mlir::Value, unsigned> works;
  /// How many threads have the same element of what factors of warps' products are made of.
  llvm::DenseMap<mlir::Value, unsigned> copiesInFactors;
  /// By pointer, or row: how many neighbours a thread has, where that follows from what meets them.
  llvm::DenseMap<mlir::Value, unsigned> even;
  /// By pointer: which elements a thread has besides its neighbours.
  llvm::DenseMap<mlir::Value, CrossedAccess> crossed;
};

} // namespace nereid::backend::gpu
