// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products: pack the factors, then a register-blocked micro-kernel. DotShape.h says how.
#pragma once

#include "backend/cpu/emit/KernelEmitter.h"
#include "backend/cpu/products/DotShape.h"
#include "backend/cpu/products/LinesAhead.h"

namespace nereid::backend::cpu {

class DotEmitter {
public:
  DotEmitter(KernelEmitter &kernel, tile::DotOp op);
  void emit();

private:
  bool startsAtZero();
  /// Emits one of the two, by what is known when the code runs where it must be: whether the sums
  /// begin with zeros, or with what lies in memory.
  void beginSums(llvm::function_ref<void()> withZeros, llvm::function_ref<void()> fromMemory);
  llvm::Value *convert(llvm::Value *value, mlir::Type from, mlir::Type to);
  llvm::Value *times(llvm::Value *value, int64_t factor);
  /// Addresses of an element of a packed factor, or of the sums, from `base` on.
  llvm::Value *factorAt(llvm::Value *base, llvm::Value *index);
  llvm::Value *sumAt(llvm::Value *base, llvm::Value *index);
  /// Runs `body` over every element of a tile with the vector dimension that suits reading it.
  void overTile(mlir::Value tile, llvm::function_ref<void(Nest &)> body);

  // FactorInPlace.cpp
  static constexpr int64_t pageBytes = 4096;
  /// A right factor that no more rows multiply is not packed: measured with a factor of 4096 x
  /// 4096, 16 gain a third and 64 nothing.
  static constexpr int64_t fewRows = 16;
  tile::LoadOp loadInPlace(mlir::Value factor);
  tile::LoadOp lhsInPlace();
  tile::LoadOp rhsInPlace();
  void takeLhs(llvm::function_ref<void()> pack);
  void takeRhs();
  void takeRhsWhereNear(tile::LoadOp load, const Lanes &rows);
  llvm::Value *isRhsWhole(tile::LoadOp load);
  llvm::Value *isThereAsRead(tile::LoadOp load, unsigned depth);
  std::optional<Lanes> rowsOf(tile::LoadOp load, unsigned along);

  // KeptPanels.cpp
  bool takeKept();
  llvm::Value *extentsOf(tile::LoadOp load);

  // PackFactors.cpp
  void packLhs();
  void packRhs();
  void packLanes();
  void packGroups();
  /// Columns that packRowsTogether() takes at once.
  int64_t rowWidth() const;
  void packRowsTogether();
  /// Writes the right factor row-major or, if `isByColumns`, column-major, filled up with zeros.
  llvm::Value *stageRhs(bool isByColumns);
  void groupRows(llvm::Value *staged, llvm::Value *panels);
  void groupColumns(llvm::Value *staged, llvm::Value *panels);
  void scatter(Nest &nest, llvm::Value *value, llvm::Value *address, int64_t stride);

  // EmitDot.cpp
  void prepareSums();
  void moveSums(bool toResult);

  // EmitLaneDot.cpp
  /// How often the innermost loop of the products runs.
  int64_t steps() const;
  /// Of the depth, what is taken: a multiple of `unit` elements.
  llvm::Value *depthInUnits(int64_t unit);
  unsigned unrolledSteps() const;
  /// Rows of a block of sums.
  int64_t blockRows() const;
  using Panel = llvm::SmallVector<llvm::Value *, 4>; // a value for each vector of its columns
  /// Columns of the right factor: where their first line is, and how far the next ones. A line is
  /// what a step takes: packed groups, or a row as the factor has it.
  struct Columns {
    llvm::Value *base, *lineBytes;
    bool isByRows = false;
  };
  Columns panelAt(llvm::Value *batch, llvm::Value *column);
  void emitLanes(llvm::Value *batch);
  void emitPanel(llvm::Value *batch, llvm::Value *column);
  void emitFewRows(int64_t rows, llvm::Value *needed);
  Panel excessOf(const Columns &columns);
  Panel rightAt(llvm::Value *step, const Columns &columns, unsigned vectors);
  /// The sums of some rows and vectors of columns, over the whole depth.
  struct Block {
    llvm::Value *row, *column;
    unsigned rows, vectors;
  };
  llvm::SmallVector<llvm::Value *> leftRows(const Block &block);
  void emitBlock(const Block &block, const Columns &columns, const Panel &excess = {});
  void emitStep(llvm::Value *step, llvm::ArrayRef<llvm::Value *> lhsRows, const Columns &columns,
                const Block &block, llvm::ArrayRef<llvm::Value *> slots);
  llvm::Value *multiplyAdd(llvm::Value *left, llvm::Value *right, llvm::Value *sum);

  // EmitTileDot.cpp
  void emitTiles(llvm::Value *batch);
  void emitTileBlock(llvm::Value *row, llvm::Value *column, llvm::Value *panel, unsigned rows,
                     unsigned columns);

  KernelEmitter &kernel;
  Builder &b;
  LaneBuilder &lanes;
  tile::DotOp op;
  DotShape shape;
  uint64_t temporary;
  bool ownsSums;
  llvm::Type *sumType, *factorType;
  static constexpr uint64_t signBit = 0x80; // what a left factor of bytes is moved by
  llvm::Value *lhs = nullptr, *rhs = nullptr, *sums = nullptr;
  llvm::Value *lhsRowBytes = nullptr; // from a row of the left factor to the next
  /// The right factor by rows, its elements as they are, for products of few rows; null where it is
  /// packed into panels.
  llvm::Value *rhsRows = nullptr, *rhsRowBytes = nullptr;
  mlir::Type rhsElement;
  /// Of a right factor in panels, or where it lies as if it were in panels: from a column to the
  /// next, and from a line to the next.
  llvm::Value *rhsColumnBytes = nullptr, *rhsLineBytes = nullptr;
  llvm::Value *rhsWhole = nullptr;     // whether no mask leaves anything out, once it was asked
  llvm::Value *isRhsThere = nullptr;   // where panels are kept: whether these were
  llvm::Value *isFromZero = nullptr;   // whether this round's sums are the first; null for never
  llvm::Value *neededRows = nullptr;   // of the result, from the first on; null for all
  llvm::Value *neededPanels = nullptr; // of the result's columns; null for all
  llvm::Value *neededDepth = nullptr;  // from the first element on; null for all
  std::optional<LinesAhead> linesAhead;
};

/// Gives all registers of AMX the size of a tile: before the first product of tiles.
void configureTiles(Builder &b);
/// Gives the registers back: after the last one.
void releaseTiles(Builder &b);

} // namespace nereid::backend::cpu
