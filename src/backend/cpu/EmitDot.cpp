// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products: pack the factors, then a register-blocked micro-kernel. DotShape.h says how.
#include "backend/cpu/DotShape.h"
#include "backend/cpu/KernelEmitter.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::backend::cpu {

uint64_t dotTemporaryBytes(Operation *dot) {
  // Wider registers than the target's only waste a little padding.
  return DotShape(llvm::cast<tile::DotOp>(dot)).bytes(/*vectorBytes=*/64);
}

namespace {

class DotEmitter {
public:
  DotEmitter(KernelEmitter &kernel, tile::DotOp op)
      : kernel(kernel), b(kernel.builder()), lanes(kernel.lanes()), op(op), shape(op),
        vectorBytes(kernel.cpu().vectorBytes), panelWidth(shape.panelWidth(vectorBytes)),
        temporary(kernel.storage().temporaryOf(op)), isFloat(llvm::isa<FloatType>(shape.compute)),
        compute(lanes.laneType(shape.compute)) {}

  void emit() {
    packLhs();
    packRhs();
    prepareSums();
    int64_t panels = shape.paddedColumns(vectorBytes) / panelWidth;
    kernel.loop(
        0, shape.batch, 1,
        [&](llvm::Value *batch) {
          kernel.loop(0, panels, 1, [&](llvm::Value *panel) { emitPanel(batch, panel); }, "panel");
        },
        "batch");
    if (ownsSums())
      moveSums(/*toResult=*/true);
  }

private:
  bool ownsSums() const { return shape.needsOwnSums(op, vectorBytes); }
  bool startsAtZero() {
    return matchPattern(op.getAccumulator(), m_PosZeroFloat()) ||
           matchPattern(op.getAccumulator(), m_Zero());
  }

  llvm::Value *convert(llvm::Value *value, Type from, Type to) {
    if (isFloat)
      return lanes.convertFloat(value, from, to);
    return b.CreateSExtOrTrunc(value,
                               lanes.vectorOf(lanes.laneType(to), LaneBuilder::widthOf(value)));
  }
  llvm::Value *at(llvm::Value *base, llvm::Value *index) {
    return b.CreateGEP(compute, base, index);
  }
  llvm::Value *times(llvm::Value *value, int64_t factor) {
    return b.CreateMul(value, b.getInt64(factor));
  }

  /// Runs `body` over every element of a tile with the vector dimension that suits reading it.
  void overTile(Value tile, llvm::function_ref<void(Nest &)> body) {
    llvm::ArrayRef<int64_t> dims = tile::shapeOf(tile.getType());
    unsigned vectorDim = kernel.vectorDimFor(tile, dims);
    unsigned width = std::min<unsigned>(kernel.widthFor(tile, dims[vectorDim], 2), panelWidth);
    Nest nest(kernel, dims, innermostLast(dims.size(), vectorDim), vectorDim, width);
    nest.expect(tile, nest.identity());
    nest.emit([&] { body(nest); });
  }

  /// Stores lanes that lie along dimension `dim` of the nest, `stride` elements apart.
  void scatter(Nest &nest, llvm::Value *value, llvm::Value *address, int64_t stride) {
    if (nest.width() == 1 || stride == 1) {
      b.CreateAlignedStore(value, address, llvm::Align(shape.elementBytes()));
      return;
    }
    for (unsigned lane = 0; lane < nest.width(); ++lane)
      b.CreateAlignedStore(b.CreateExtractElement(value, lane),
                           at(address, b.getInt64(lane * stride)),
                           llvm::Align(shape.elementBytes()));
  }

  void packLhs() {
    Value tile = op.getLhs();
    Type element = tile::elementOf(tile.getType());
    if (kernel.storage().isStored(tile) && element == shape.compute) {
      lhs = kernel.scratch(kernel.storage().offsetOf(tile));
      return;
    }
    lhs = kernel.scratch(temporary);
    overTile(tile, [&](Nest &nest) {
      llvm::Value *value = nest.vector(nest.evaluate(tile, nest.identity()));
      nest.writeScratch(temporary, tile::shapeOf(tile.getType()), shape.compute, nest.identity(),
                        convert(value, element, shape.compute));
    });
  }

  void packRhs() {
    Value tile = op.getRhs();
    Type element = tile::elementOf(tile.getType());
    rhs = kernel.scratch(temporary + shape.panelsOffset());
    int64_t padded = shape.paddedColumns(vectorBytes);
    if (shape.n != padded)
      b.CreateMemSet(rhs, b.getInt8(0), shape.batch * shape.k * padded * shape.elementBytes(),
                     llvm::Align(scratchAlignment));
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
      scatter(nest, convert(value, element, shape.compute), at(rhs, index), stride);
    });
  }

  /// Puts the accumulator where the sums are built, unless it is zero or there already.
  void prepareSums() {
    uint64_t offset = kernel.storage().offsetOf(op.getResult());
    sums = kernel.scratch(ownsSums() ? temporary + shape.sumsOffset(vectorBytes) : offset);
    if (startsAtZero())
      return;
    bool isThere = kernel.storage().shareBuffer(op.getAccumulator(), op.getResult());
    if (ownsSums())
      moveSums(/*toResult=*/false);
    else if (!isThere)
      kernel.writeTile(op.getAccumulator(), offset, /*isDefinition=*/false);
  }

  /// Between the accumulator or result and the sums, which have padded rows and may be wider.
  void moveSums(bool toResult) {
    Value tile = toResult ? op.getResult() : op.getAccumulator();
    Type element = tile::elementOf(tile.getType());
    unsigned rank = tile::shapeOf(tile.getType()).size();
    int64_t padded = shape.paddedColumns(vectorBytes);
    unsigned width = std::min<unsigned>(kernel.widthFor(tile, shape.n, 2), panelWidth);
    Nest nest(kernel, tile::shapeOf(tile.getType()), innermostLast(rank, rank - 1), rank - 1,
              width);
    if (!toResult)
      nest.expect(tile, nest.identity());
    nest.emit([&] {
      llvm::Value *row = nest.index(rank - 2);
      if (rank == 3)
        row = b.CreateAdd(row, times(nest.index(0), shape.m));
      llvm::Value *address = at(sums, b.CreateAdd(times(row, padded), nest.index(rank - 1)));
      llvm::Align align(shape.elementBytes());
      if (toResult) {
        llvm::Type *type = lanes.vectorOf(compute, nest.width());
        llvm::Value *value =
            convert(b.CreateAlignedLoad(type, address, align), shape.compute, element);
        nest.writeScratch(kernel.storage().offsetOf(tile), tile::shapeOf(tile.getType()), element,
                          nest.identity(), value);
      } else {
        llvm::Value *value = nest.vector(nest.evaluate(tile, nest.identity()));
        b.CreateAlignedStore(convert(value, element, shape.compute), address, align);
      }
    });
  }

  // The micro-kernel

  unsigned blockRows() const {
    // Sums in two vectors a row, two for the right factor, one for the left: 12 rows take 27 of 32
    // registers, 6 take 15 of 16. Two units that take four cycles for a product need 8 sums; there
    // are 24 or 12.
    return (kernel.cpu().vectorRegisters - 3) / 2 >= 12 ? 12 : 6;
  }

  void emitPanel(llvm::Value *batch, llvm::Value *panel) {
    llvm::Value *columns = b.CreateAdd(times(batch, shape.k * shape.paddedColumns(vectorBytes)),
                                       times(panel, shape.k * panelWidth));
    llvm::Value *panelBase = at(rhs, columns);
    int64_t whole = shape.m - shape.m % blockRows();
    auto block = [&](llvm::Value *row, unsigned rows) {
      llvm::Value *first = b.CreateAdd(times(batch, shape.m), row);
      emitBlock(first, times(panel, panelWidth), panelBase, rows);
    };
    if (whole > 0)
      kernel.loop(
          0, whole, blockRows(), [&](llvm::Value *row) { block(row, blockRows()); }, "rows");
    if (whole < shape.m)
      block(b.getInt64(whole), shape.m - whole);
  }

  void emitBlock(llvm::Value *row, llvm::Value *column, llvm::Value *panel, unsigned rows) {
    int64_t padded = shape.paddedColumns(vectorBytes);
    unsigned width = panelWidth / 2;
    llvm::Type *vector = lanes.vectorOf(compute, width);
    llvm::SmallVector<llvm::Value *> addresses, slots;
    for (unsigned r = 0; r < rows; ++r)
      for (unsigned half = 0; half < 2; ++half) {
        llvm::Value *index = times(b.CreateAdd(row, b.getInt64(r)), padded);
        index = b.CreateAdd(index, b.CreateAdd(column, b.getInt64(half * width)));
        addresses.push_back(at(sums, index));
        slots.push_back(lanes.stackSlot(vector));
        llvm::Value *initial = llvm::Constant::getNullValue(vector);
        if (!startsAtZero())
          initial =
              b.CreateAlignedLoad(vector, addresses.back(), llvm::Align(shape.elementBytes()));
        b.CreateStore(initial, slots.back());
      }
    // A step is 12 or 24 multiply-adds; against four of them the loop's own three instructions no
    // longer count.
    unsigned unroll = shape.k % 4 == 0 ? 4 : shape.k % 2 == 0 ? 2 : 1;
    llvm::Value *lhsRow = at(lhs, times(row, shape.k));
    kernel.loop(
        0, shape.k, unroll,
        [&](llvm::Value *k) {
          for (unsigned u = 0; u < unroll; ++u)
            emitStep(b.CreateAdd(k, b.getInt64(u)), lhsRow, panel, rows, vector, slots);
        },
        "k");
    for (auto [slot, address] : llvm::zip(slots, addresses))
      b.CreateAlignedStore(b.CreateLoad(vector, slot), address, llvm::Align(shape.elementBytes()));
  }

  /// sums[r, :] += lhs[r, k] * panel[k, :]
  void emitStep(llvm::Value *k, llvm::Value *lhsRow, llvm::Value *panel, unsigned rows,
                llvm::Type *vector, llvm::ArrayRef<llvm::Value *> slots) {
    unsigned width = panelWidth / 2;
    llvm::Value *right[2];
    for (unsigned half = 0; half < 2; ++half) {
      llvm::Value *index = b.CreateAdd(times(k, panelWidth), b.getInt64(half * width));
      right[half] =
          b.CreateAlignedLoad(vector, at(panel, index), llvm::Align(shape.elementBytes()));
    }
    for (unsigned r = 0; r < rows; ++r) {
      llvm::Value *index = b.CreateAdd(k, b.getInt64(r * shape.k));
      llvm::Value *left =
          b.CreateAlignedLoad(compute, at(lhsRow, index), llvm::Align(shape.elementBytes()));
      llvm::Value *broadcast = lanes.splat(left, width);
      for (unsigned half = 0; half < 2; ++half) {
        llvm::Value *slot = slots[2 * r + half];
        b.CreateStore(multiplyAdd(broadcast, right[half], b.CreateLoad(vector, slot)), slot);
      }
    }
  }

  llvm::Value *multiplyAdd(llvm::Value *a, llvm::Value *c, llvm::Value *sum) {
    if (!isFloat)
      return b.CreateAdd(b.CreateMul(a, c), sum);
    if (kernel.cpu().hasFma)
      return b.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, c, sum});
    return b.CreateFAdd(b.CreateFMul(a, c), sum);
  }

  KernelEmitter &kernel;
  Builder &b;
  LaneBuilder &lanes;
  tile::DotOp op;
  DotShape shape;
  unsigned vectorBytes;
  int64_t panelWidth;
  uint64_t temporary;
  bool isFloat;
  llvm::Type *compute;
  llvm::Value *lhs = nullptr, *rhs = nullptr, *sums = nullptr;
};

} // namespace

void KernelEmitter::emitDot(Operation *op) {
  DotEmitter(*this, llvm::cast<tile::DotOp>(op)).emit();
}

} // namespace nereid::backend::cpu
