// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads of rows: neighbours of an array behind a scalar address, of which the mask leaves the
// first.
#pragma once

#include "analysis/AffineTiles.h"
#include "analysis/AxisInfo.h"
#include "backend/nvptx/Configuration.h"
#include "backend/nvptx/rings/ProducerSlice.h"
#include "dialect/tile/Tile.h"

#include <optional>

namespace nereid::backend::nvptx {

struct RowLoad {
  tile::LoadOp load;
  mlir::BlockArgument base;
  /// In elements, and multiples of 16 bytes. The count may be more than the tile has, or below 0.
  analysis::Polynomial first, count;
};

/// The rows that every program of a kernel loads for itself, before it writes anything, of a kernel
/// that does nothing but load rows, compute, reduce and store (a softmax, a norm).
class RowLoads {
public:
  RowLoads(mlir::func::FuncOp kernel, const Configuration &configuration);

  llvm::ArrayRef<RowLoad> rows() const { return found; }
  /// What the rows of a program take of an SM's registers, if all are there at once.
  uint64_t registerBytes() const;
  /// What is there of them, and of what was made of them, behind the reduction where that is most:
  /// rows that are added up before are one by then.
  uint64_t reducedBytes() const;
  /// Whether so many leave no room for another program beside it, and enough to compute with.
  static bool fillsSm(uint64_t registerBytes, const Configuration &configuration);
  /// The kernel must have rows.
  const analysis::AxisAnalysis &axisInfo() const { return *axes; }

  /// Neighbours of an array: the first, and how many there are, 0 to all of the tile's, i32.
  struct Prefix {
    mlir::Value first, count;
  };
  Prefix build(const RowLoad &row, mlir::OpBuilder &builder) const;

private:
  mlir::Operation *findOther();
  void remarkRows(mlir::Operation *other);
  std::optional<RowLoad> findRow(tile::LoadOp load);
  std::optional<analysis::Polynomial> countOf(mlir::Value mask, int64_t all);
  llvm::SmallVector<mlir::Value> symbolsOf(const RowLoad &row) const;
  static uint64_t bytesBehind(mlir::Operation *op, const llvm::DenseSet<mlir::Value> &values);
  bool isOfScalars(const analysis::Polynomial &polynomial) const;
  bool isSameForAllPrograms(const analysis::Polynomial &polynomial) const;

  mlir::func::FuncOp kernel;
  const Configuration &configuration;
  std::optional<analysis::AxisAnalysis> axes;
  analysis::AffineTiles tiles;
  ProducerSlice scalars{[](tile::LoadOp) { return false; }};
  std::vector<RowLoad> found;
};

/// What a tile takes of registers; bytes.
uint64_t registerBytesOf(mlir::Type tile);

} // namespace nereid::backend::nvptx
