// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the factors of a dot in the order in which the micro-kernels read them.
#include "backend/cpu/lanes/TransposeLanes.h"
#include "backend/cpu/products/DotEmitter.h"

using namespace mlir;

namespace nereid::backend::cpu {

void DotEmitter::overTile(Value tile, llvm::function_ref<void(Nest &)> body) {
  llvm::ArrayRef<int64_t> dims = tile::shapeOf(tile.getType());
  unsigned vectorDim = kernel.vectorDimFor(tile, dims);
  unsigned width = std::min<unsigned>(kernel.widthFor(tile, dims[vectorDim], 2), shape.panelWidth);
  Nest nest(kernel, dims, innermostLast(dims.size(), vectorDim), vectorDim, width);
  nest.expect(tile, nest.identity());
  nest.emit([&] { body(nest); });
}

/// The shape of a packed factor: `dims` last, behind the batch if the tile has one.
static llvm::SmallVector<int64_t, 3> behindBatch(Value tile, int64_t batch,
                                                 std::array<int64_t, 2> dims) {
  llvm::SmallVector<int64_t, 3> result;
  if (tile::shapeOf(tile.getType()).size() == 3)
    result.push_back(batch);
  result.append(dims.begin(), dims.end());
  return result;
}

void DotEmitter::packLhs() {
  Value tile = op.getLhs();
  Type element = tile::elementOf(tile.getType());
  bool isPadded = shape.m != shape.paddedRows || shape.k != shape.paddedDepth;
  bool isAsStored = element == shape.factor && !isPadded && !shape.isLhsUnsigned;
  if (kernel.storage().isStored(tile) && isAsStored) {
    lhs = kernel.scratch(kernel.storage().offsetOf(tile));
    return;
  }
  lhs = kernel.scratch(temporary);
  if (isPadded)
    b.CreateMemSet(lhs, b.getInt8(0), shape.panelsOffset(), llvm::Align(scratchAlignment));
  auto packed = behindBatch(tile, shape.batch, {shape.paddedRows, shape.paddedDepth});
  overTile(tile, [&](Nest &nest) {
    llvm::Value *value = nest.vector(nest.evaluate(tile, nest.identity()));
    value = convert(value, element, shape.factor);
    if (shape.isLhsUnsigned)
      value = b.CreateXor(value, llvm::ConstantInt::get(value->getType(), signBit));
    nest.writeScratch(temporary, packed, shape.factor, nest.identity(), value);
  });
}

void DotEmitter::packRhs() { shape.group > 1 ? packGroups() : packLanes(); }

// One element after the other

/// Stores lanes that lie along a dimension of the nest, `stride` elements apart.
void DotEmitter::scatter(Nest &nest, llvm::Value *value, llvm::Value *address, int64_t stride) {
  llvm::Align align(shape.factorBytes());
  if (nest.width() == 1 || stride == 1) {
    b.CreateAlignedStore(value, address, align);
    return;
  }
  for (unsigned lane = 0; lane < nest.width(); ++lane)
    b.CreateAlignedStore(b.CreateExtractElement(value, lane),
                         factorAt(address, b.getInt64(lane * stride)), align);
}

void DotEmitter::packLanes() {
  Value tile = op.getRhs();
  Type element = tile::elementOf(tile.getType());
  int64_t panelWidth = shape.panelWidth, padded = shape.paddedColumns;
  if (shape.n != padded)
    b.CreateMemSet(rhs, b.getInt8(0), shape.rhsBytes(), llvm::Align(scratchAlignment));
  unsigned rank = tile::shapeOf(tile.getType()).size();
  overTile(tile, [&](Nest &nest) {
    llvm::Value *value = nest.vector(nest.evaluate(tile, nest.identity()));
    llvm::Value *row = nest.index(rank - 2), *column = nest.index(rank - 1);
    llvm::Value *panel = b.CreateUDiv(column, b.getInt64(panelWidth));
    llvm::Value *index = b.CreateAdd(times(panel, shape.k * panelWidth), times(row, panelWidth));
    index = b.CreateAdd(index, b.CreateURem(column, b.getInt64(panelWidth)));
    if (rank == 3)
      index = b.CreateAdd(index, times(nest.index(0), shape.k * padded));
    bool isAlongColumns = nest.isVectorDim(rank - 1);
    int64_t stride = isAlongColumns               ? 1
                     : nest.isVectorDim(rank - 2) ? panelWidth
                                                  : shape.k * padded;
    scatter(nest, convert(value, element, shape.factor), factorAt(rhs, index), stride);
  });
}

// Groups along the depth. A tile that is read by rows is taken as many rows at a time as a group
// has elements, which are interleaved on their way. Others take two steps: as the tile is read
// best, then by shuffles of registers.

int64_t DotEmitter::rowWidth() const {
  return std::min<int64_t>(shape.panelWidth, llvm::bit_floor<uint64_t>(shape.n));
}

void DotEmitter::packRowsTogether() {
  Value tile = op.getRhs();
  Type element = tile::elementOf(tile.getType());
  llvm::ArrayRef<int64_t> dims = tile::shapeOf(tile.getType());
  unsigned rank = dims.size();
  if (shape.k != shape.paddedDepth || shape.n != shape.paddedColumns)
    b.CreateMemSet(rhs, b.getInt8(0), shape.rhsBytes(), llvm::Align(scratchAlignment));
  Nest nest(kernel, dims, innermostLast(rank, rank - 1), rank - 1, rowWidth());
  nest.takeTogether(rank - 2, shape.group);
  nest.expect(tile, nest.identity());
  nest.emit([&] {
    llvm::SmallVector<llvm::Value *, 4> rows;
    for (int64_t i = 0; i < shape.group; ++i) {
      nest.moveTo(i);
      llvm::Value *row = nest.vector(nest.evaluate(tile, nest.identity()));
      rows.push_back(lanes.toMemory(convert(row, element, shape.factor), shape.factor));
    }
    nest.moveTo(0);
    llvm::Value *width = b.getInt64(shape.panelWidth), *column = nest.index(rank - 1);
    llvm::Value *line = b.CreateMul(nest.index(rank - 2), width);
    llvm::Value *panel = times(b.CreateUDiv(column, width), shape.paddedDepth * shape.panelWidth);
    llvm::Value *inLine = times(b.CreateURem(column, width), shape.group);
    llvm::Value *index = b.CreateAdd(b.CreateAdd(panel, line), inLine);
    if (rank == 3)
      index = b.CreateAdd(index, times(nest.index(0), shape.paddedDepth * shape.paddedColumns));
    b.CreateAlignedStore(interleaveLanes(b, rows), factorAt(rhs, index),
                         llvm::Align(shape.group * shape.factorBytes()));
  });
}

void DotEmitter::packGroups() {
  Value tile = op.getRhs();
  llvm::ArrayRef<int64_t> dims = tile::shapeOf(tile.getType());
  bool isByColumns = kernel.vectorDimFor(tile, dims) + 2 == dims.size();
  if (!isByColumns && shape.k % shape.group == 0 && rowWidth() > 1 && shape.n % rowWidth() == 0)
    return packRowsTogether();
  llvm::Value *staged = stageRhs(isByColumns);
  kernel.loop(
      0, shape.batch, 1,
      [&](llvm::Value *batch) {
        llvm::Value *first = times(batch, shape.paddedDepth * shape.paddedColumns);
        llvm::Value *from = factorAt(staged, first), *to = factorAt(rhs, first);
        isByColumns ? groupColumns(from, to) : groupRows(from, to);
      },
      "batch");
}

llvm::Value *DotEmitter::stageRhs(bool isByColumns) {
  Value tile = op.getRhs();
  Type element = tile::elementOf(tile.getType());
  bool isPadded = shape.k != shape.paddedDepth || shape.n != shape.paddedColumns;
  if (kernel.storage().isStored(tile) && element == shape.factor && !isPadded && !isByColumns)
    return kernel.scratch(kernel.storage().offsetOf(tile));
  uint64_t offset = temporary + shape.stagingOffset();
  llvm::Value *staged = kernel.scratch(offset);
  if (isPadded)
    b.CreateMemSet(staged, b.getInt8(0), shape.rhsBytes(), llvm::Align(scratchAlignment));
  auto packed = behindBatch(tile, shape.batch, {shape.paddedDepth, shape.paddedColumns});
  unsigned rank = packed.size();
  if (isByColumns)
    std::swap(packed[rank - 2], packed[rank - 1]);
  overTile(tile, [&](Nest &nest) {
    llvm::Value *value = nest.vector(nest.evaluate(tile, nest.identity()));
    Coordinates at = nest.identity();
    if (isByColumns)
      std::swap(at[rank - 2], at[rank - 1]);
    nest.writeScratch(offset, packed, shape.factor, at, convert(value, element, shape.factor));
  });
  return staged;
}

/// From rows: those of a group are interleaved, panel by panel.
void DotEmitter::groupRows(llvm::Value *staged, llvm::Value *panels) {
  int64_t width = shape.panelWidth, panelSize = shape.paddedDepth * width;
  llvm::Type *row = lanes.vectorOf(factorType, width);
  llvm::Align align(std::min<int64_t>(scratchAlignment, width * shape.factorBytes()));
  auto interleave = [&](llvm::Value *panel, llvm::Value *depth) {
    llvm::SmallVector<llvm::Value *, 4> rows;
    for (int64_t i = 0; i < shape.group; ++i) {
      llvm::Value *first = times(b.CreateAdd(depth, b.getInt64(i)), shape.paddedColumns);
      llvm::Value *address = factorAt(staged, b.CreateAdd(first, times(panel, width)));
      rows.push_back(b.CreateAlignedLoad(row, address, align));
    }
    llvm::Value *index = b.CreateAdd(times(panel, panelSize), times(depth, width));
    b.CreateAlignedStore(interleaveLanes(b, rows), factorAt(panels, index), align);
  };
  auto overDepth = [&](llvm::Value *panel) {
    kernel.loop(
        0, shape.paddedDepth, shape.group, [&](llvm::Value *depth) { interleave(panel, depth); },
        "depth");
  };
  kernel.loop(0, shape.paddedColumns / width, 1, overDepth, "panel");
}

/// From columns: groups lie there already, and as integers of 32 bits are transposed, square by
/// square.
void DotEmitter::groupColumns(llvm::Value *staged, llvm::Value *panels) {
  int64_t depth = shape.paddedDepth / shape.group;
  int64_t side = std::min<int64_t>(kernel.cpu().vectorBytes / 4, depth & -depth);
  llvm::Type *group = b.getInt32Ty(), *vector = lanes.vectorOf(group, side);
  llvm::Align align(std::min<int64_t>(scratchAlignment, side * 4));
  auto square = [&](llvm::Value *column, llvm::Value *firstGroup) {
    llvm::SmallVector<llvm::Value *, 16> rows;
    for (int64_t i = 0; i < side; ++i) {
      llvm::Value *first = times(b.CreateAdd(column, b.getInt64(i)), depth);
      llvm::Value *address = b.CreateGEP(group, staged, b.CreateAdd(first, firstGroup));
      rows.push_back(b.CreateAlignedLoad(vector, address, align));
    }
    transposeLanes(b, rows);
    llvm::Value *width = b.getInt64(shape.panelWidth);
    llvm::Value *panel = times(b.CreateUDiv(column, width), depth * shape.panelWidth);
    llvm::Value *inPanel = b.CreateAdd(panel, b.CreateURem(column, width));
    for (auto [i, row] : llvm::enumerate(rows)) {
      llvm::Value *line = times(b.CreateAdd(firstGroup, b.getInt64(i)), shape.panelWidth);
      b.CreateAlignedStore(row, b.CreateGEP(group, panels, b.CreateAdd(inPanel, line)), align);
    }
  };
  auto overDepth = [&](llvm::Value *column) {
    kernel.loop(
        0, depth, side, [&](llvm::Value *firstGroup) { square(column, firstGroup); }, "depth");
  };
  kernel.loop(0, shape.paddedColumns, side, overDepth, "column");
}

} // namespace nereid::backend::cpu
