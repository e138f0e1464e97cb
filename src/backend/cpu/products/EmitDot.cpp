// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A dot as a whole.
#include "backend/cpu/products/DotEmitter.h"
#include "backend/cpu/products/KeptPanels.h"
#include "backend/cpu/products/NeededDepth.h"
#include "backend/cpu/products/NeededRows.h"
#include "backend/cpu/products/SumsFromZero.h"
#include "dialect/tile/Elements.h"
#include "dialect/tile/Remark.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::backend::cpu {

DotEmitter::DotEmitter(KernelEmitter &kernel, tile::DotOp op)
    : kernel(kernel), b(kernel.builder()), lanes(kernel.lanes()), op(op), shape(op, kernel.cpu()),
      temporary(kernel.storage().temporaryOf(op)), ownsSums(shape.needsOwnSums(op)),
      sumType(lanes.laneType(shape.sum)), factorType(lanes.laneType(shape.factor)) {}

/// Where the CPU has products of narrow factors and these are none.
static void remarkForm(tile::DotOp op, const DotShape &shape, const target::CpuTarget &cpu) {
  Type lhs = tile::elementOf(op.getLhs().getType()), rhs = tile::elementOf(op.getRhs().getType());
  bool hasTiles = cpu.has("amx-bf16"), hasPairs = cpu.has("avx512bf16") && cpu.vectorBytes == 64;
  bool isNarrow = lhs.getIntOrFloatBitWidth() <= 16 || rhs.getIntOrFloatBitWidth() <= 16;
  if (shape.form != DotForm::Lanes || !shape.sum.isF32() || !isNarrow || !(hasTiles || hasPairs))
    return;
  std::optional<DType> type = tile::dtypeOf(lhs);
  tile::remark(op, RemarkId::dot_widened, type ? name(*type) : "these",
               hasTiles ? "AMX" : "AVX-512 BF16",
               lhs.isBF16() || rhs.isBF16() ? "it takes numbers below 2^-126 for zero"
                                            : "bfloat16 has not all of its digits");
}

/// Of larger tiles most have all of their rows, and the others are few.
static constexpr int64_t mostRowsToCount = 64;

void DotEmitter::emit() {
  remarkForm(op, shape, kernel.cpu());
  remarkKept(op, shape, kernel.cpu(), [&](Value tile) { return kernel.storage().isStored(tile); });
  neededDepth = emitNeededDepth(kernel, op);
  takeLhs([&] { packLhs(); });
  if (shape.m <= mostRowsToCount)
    neededRows = emitNeededRows(kernel, op);
  if (shape.n > shape.panelWidth)
    if (llvm::Value *columns = emitNeededColumns(kernel, op))
      neededPanels = b.CreateUDiv(b.CreateAdd(columns, b.getInt64(shape.panelWidth - 1)),
                                  b.getInt64(shape.panelWidth));
  takeRhs();
  prepareSums();
  linesAhead.emplace(kernel, op, steps(), isRhsThere);
  kernel.loop(
      0, shape.batch, 1,
      [&](llvm::Value *batch) {
        shape.form == DotForm::Tiles ? emitTiles(batch) : emitLanes(batch);
      },
      "batch");
  if (ownsSums)
    moveSums(/*toResult=*/true);
}

bool DotEmitter::startsAtZero() {
  return matchPattern(op.getAccumulator(), m_PosZeroFloat()) ||
         matchPattern(op.getAccumulator(), m_Zero());
}

void DotEmitter::beginSums(llvm::function_ref<void()> withZeros,
                           llvm::function_ref<void()> fromMemory) {
  if (!isFromZero)
    return startsAtZero() ? withZeros() : fromMemory();
  llvm::BasicBlock *first = kernel.newBlock("first.round"), *later = kernel.newBlock("later.round"),
                   *begin = kernel.newBlock("sums");
  b.CreateCondBr(isFromZero, first, later);
  b.SetInsertPoint(first);
  withZeros();
  b.CreateBr(begin);
  b.SetInsertPoint(later);
  fromMemory();
  b.CreateBr(begin);
  b.SetInsertPoint(begin);
}

llvm::Value *DotEmitter::convert(llvm::Value *value, Type from, Type to) {
  if (llvm::isa<FloatType>(shape.sum))
    return lanes.convertFloat(value, from, to);
  return b.CreateSExtOrTrunc(value,
                             lanes.vectorOf(lanes.laneType(to), LaneBuilder::widthOf(value)));
}

llvm::Value *DotEmitter::times(llvm::Value *value, int64_t factor) {
  return b.CreateMul(value, b.getInt64(factor));
}

llvm::Value *DotEmitter::factorAt(llvm::Value *base, llvm::Value *index) {
  return b.CreateGEP(factorType, base, index);
}

llvm::Value *DotEmitter::sumAt(llvm::Value *base, llvm::Value *index) {
  return b.CreateGEP(sumType, base, index);
}

llvm::Value *DotEmitter::depthInUnits(int64_t unit) {
  if (!neededDepth)
    return b.getInt64(shape.paddedDepth);
  llvm::Value *units =
      b.CreateUDiv(b.CreateAdd(neededDepth, b.getInt64(unit - 1)), b.getInt64(unit));
  return times(units, unit);
}

// Sums

/// Puts the accumulator where the sums are built, unless it is zero or there already.
void DotEmitter::prepareSums() {
  uint64_t offset = kernel.storage().offsetOf(op.getResult());
  sums = kernel.scratch(ownsSums ? temporary + shape.sumsOffset() : offset);
  if (startsAtZero())
    return;
  if (scf::ForOp loop = loopFromZero(op, kernel.storage(), kernel.cpu()))
    isFromZero = kernel.isFirstRound(loop);
  bool isThere = kernel.storage().shareBuffer(op.getAccumulator(), op.getResult());
  if (ownsSums)
    moveSums(/*toResult=*/false);
  else if (!isThere)
    kernel.writeTile(op.getAccumulator(), offset, /*isDefinition=*/false);
}

/// Between the accumulator or result and the sums, which have padded rows and may be wider.
void DotEmitter::moveSums(bool toResult) {
  Value tile = toResult ? op.getResult() : op.getAccumulator();
  Type element = tile::elementOf(tile.getType());
  unsigned rank = tile::shapeOf(tile.getType()).size();
  unsigned width = std::min<unsigned>(kernel.widthFor(tile, shape.n, 2), shape.panelWidth);
  Nest nest(kernel, tile::shapeOf(tile.getType()), innermostLast(rank, rank - 1), rank - 1, width);
  if (!toResult)
    nest.expect(tile, nest.identity());
  nest.emit([&] {
    llvm::Value *row = nest.index(rank - 2);
    if (rank == 3)
      row = b.CreateAdd(row, times(nest.index(0), shape.paddedRows));
    llvm::Value *address =
        sumAt(sums, b.CreateAdd(times(row, shape.paddedColumns), nest.index(rank - 1)));
    llvm::Align align(shape.sumBytes());
    if (toResult) {
      llvm::Type *type = lanes.vectorOf(sumType, nest.width());
      llvm::Value *value = convert(b.CreateAlignedLoad(type, address, align), shape.sum, element);
      nest.writeScratch(kernel.storage().offsetOf(tile), tile::shapeOf(tile.getType()), element,
                        nest.identity(), value);
    } else {
      llvm::Value *value = nest.vector(nest.evaluate(tile, nest.identity()));
      b.CreateAlignedStore(convert(value, element, shape.sum), address, align);
    }
  });
}

void KernelEmitter::emitDot(Operation *op) {
  DotEmitter(*this, llvm::cast<tile::DotOp>(op)).emit();
}

} // namespace nereid::backend::cpu
