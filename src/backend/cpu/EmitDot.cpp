// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A dot as a whole, and the micro-kernel of vectors.
#include "backend/cpu/DotEmitter.h"
#include "dialect/tile/Elements.h"
#include "dialect/tile/Remark.h"

#include "mlir/IR/Matchers.h"
#include "llvm/IR/IntrinsicsX86.h"

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

void DotEmitter::emit() {
  remarkForm(op, shape, kernel.cpu());
  takeLhs([&] { packLhs(); });
  packRhs();
  prepareSums();
  nextFactors.emplace(kernel, op, steps());
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

// Sums

/// Puts the accumulator where the sums are built, unless it is zero or there already.
void DotEmitter::prepareSums() {
  uint64_t offset = kernel.storage().offsetOf(op.getResult());
  sums = kernel.scratch(ownsSums ? temporary + shape.sumsOffset() : offset);
  if (startsAtZero())
    return;
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

// The micro-kernel of vectors

/// How many rows a block of sums has. With two vectors a row, two for the right factor and one for
/// the left, 12 rows take 27 of 32 registers and 6 take 15 of 16. Two units that take four cycles
/// for a product need 8 sums; there are 24 or 12.
static unsigned blockRows(const target::CpuTarget &cpu) {
  return (cpu.vectorRegisters - 3) / 2 >= 12 ? 12 : 6;
}

int64_t DotEmitter::steps() const {
  int64_t panels = shape.batch * (shape.paddedColumns / shape.panelWidth);
  if (shape.form == DotForm::Tiles) {
    int64_t depth = shape.paddedDepth * shape.factorBytes() / DotShape::tileDepthBytes;
    return panels * llvm::divideCeil(shape.paddedRows, 2 * DotShape::tileRows) * depth;
  }
  int64_t blocks = llvm::divideCeil(shape.m, blockRows(kernel.cpu()));
  return panels * blocks * (shape.paddedDepth / shape.group / unrolledSteps());
}

/// A step is 12 or 24 multiply-adds; against four of them the loop's own three instructions no
/// longer count.
unsigned DotEmitter::unrolledSteps() const {
  int64_t steps = shape.paddedDepth / shape.group;
  return steps % 4 == 0 ? 4 : steps % 2 == 0 ? 2 : 1;
}

void DotEmitter::emitLanes(llvm::Value *batch) {
  int64_t rows = blockRows(kernel.cpu()), whole = shape.m - shape.m % rows;
  auto emitPanel = [&](llvm::Value *panel) {
    llvm::Value *column = times(panel, shape.panelWidth);
    llvm::Value *columns = b.CreateAdd(times(batch, shape.paddedDepth * shape.paddedColumns),
                                       times(column, shape.paddedDepth));
    llvm::Value *panelBase = factorAt(rhs, columns);
    Panel excess = shape.isLhsUnsigned ? excessOf(panelBase) : Panel{};
    auto block = [&](llvm::Value *row, unsigned count) {
      emitBlock(b.CreateAdd(times(batch, shape.m), row), column, panelBase, excess, count);
    };
    if (whole > 0)
      kernel.loop(0, whole, rows, [&](llvm::Value *row) { block(row, rows); }, "rows");
    if (whole < shape.m)
      block(b.getInt64(whole), shape.m - whole);
  };
  kernel.loop(0, shape.paddedColumns / shape.panelWidth, 1, emitPanel, "panel");
}

/// What each sum of a panel's columns comes out too large by, since the left factor was moved.
DotEmitter::Panel DotEmitter::excessOf(llvm::Value *panel) {
  llvm::Type *vector = lanes.vectorOf(sumType, shape.panelWidth / 2);
  llvm::Value *moved = lanes.splat(b.getInt32(signBit * 0x01010101), shape.panelWidth / 2);
  llvm::AllocaInst *slots[] = {lanes.stackSlot(vector), lanes.stackSlot(vector)};
  for (llvm::AllocaInst *slot : slots)
    b.CreateStore(llvm::Constant::getNullValue(vector), slot);
  auto step = [&](llvm::Value *step) {
    for (auto [right, slot] : llvm::zip(rightAt(step, panel), slots))
      b.CreateStore(multiplyAdd(moved, right, b.CreateLoad(vector, slot)), slot);
  };
  kernel.loop(0, shape.paddedDepth / shape.group, 1, step, "excess");
  return {b.CreateLoad(vector, slots[0]), b.CreateLoad(vector, slots[1])};
}

void DotEmitter::emitBlock(llvm::Value *row, llvm::Value *column, llvm::Value *panel,
                           const Panel &excess, unsigned rows) {
  unsigned width = shape.panelWidth / 2;
  llvm::Type *vector = lanes.vectorOf(sumType, width);
  llvm::Align align(shape.sumBytes());
  llvm::SmallVector<llvm::Value *> addresses, slots;
  for (unsigned r = 0; r < rows; ++r)
    for (unsigned half = 0; half < 2; ++half) {
      llvm::Value *index = times(b.CreateAdd(row, b.getInt64(r)), shape.paddedColumns);
      index = b.CreateAdd(index, b.CreateAdd(column, b.getInt64(half * width)));
      addresses.push_back(sumAt(sums, index));
      slots.push_back(lanes.stackSlot(vector));
      llvm::Value *initial = llvm::Constant::getNullValue(vector);
      if (!startsAtZero())
        initial = b.CreateAlignedLoad(vector, addresses.back(), align);
      if (excess[half])
        initial = b.CreateSub(initial, excess[half]);
      b.CreateStore(initial, slots.back());
    }
  unsigned unroll = unrolledSteps();
  llvm::Value *lhsRow = factorAt(lhs, times(row, shape.paddedDepth));
  kernel.loop(
      0, shape.paddedDepth / shape.group, unroll,
      [&](llvm::Value *step) {
        nextFactors->ask();
        for (unsigned u = 0; u < unroll; ++u)
          emitStep(b.CreateAdd(step, b.getInt64(u)), lhsRow, panel, rows, slots);
      },
      "k");
  for (auto [slot, address] : llvm::zip(slots, addresses))
    b.CreateAlignedStore(b.CreateLoad(vector, slot), address, align);
}

/// The elements of one group, of all columns of a panel. A group is moved as one integer.
DotEmitter::Panel DotEmitter::rightAt(llvm::Value *step, llvm::Value *panel) {
  unsigned width = shape.panelWidth / 2;
  llvm::Type *group = shape.group == 1 ? factorType : b.getInt32Ty();
  Panel right;
  for (unsigned half = 0; half < 2; ++half) {
    llvm::Value *index = b.CreateAdd(times(step, shape.panelWidth), b.getInt64(half * width));
    llvm::Align align(shape.group * shape.factorBytes());
    llvm::Value *address = b.CreateGEP(group, panel, index);
    right[half] = b.CreateAlignedLoad(lanes.vectorOf(group, width), address, align);
  }
  return right;
}

/// sums[r, :] += lhs[r, k] * panel[k, :], for the elements k of one group.
void DotEmitter::emitStep(llvm::Value *step, llvm::Value *lhsRow, llvm::Value *panel, unsigned rows,
                          llvm::ArrayRef<llvm::Value *> slots) {
  unsigned width = shape.panelWidth / 2;
  llvm::Type *group = shape.group == 1 ? factorType : b.getInt32Ty();
  llvm::Align align(shape.group * shape.factorBytes());
  Panel right = rightAt(step, panel);
  for (unsigned r = 0; r < rows; ++r) {
    llvm::Value *index = b.CreateAdd(step, b.getInt64(r * (shape.paddedDepth / shape.group)));
    llvm::Value *left = b.CreateAlignedLoad(group, b.CreateGEP(group, lhsRow, index), align);
    llvm::Value *broadcast = lanes.splat(left, width);
    for (unsigned half = 0; half < 2; ++half) {
      llvm::Value *slot = slots[2 * r + half];
      llvm::Value *sum = b.CreateLoad(lanes.vectorOf(sumType, width), slot);
      b.CreateStore(multiplyAdd(broadcast, right[half], sum), slot);
    }
  }
}

namespace {

/// An instruction that adds the products of pairs of 16 bits, or of four bytes, to 32-bit sums, or
/// returns them.
struct PairProduct {
  llvm::Intrinsic::ID id;
  bool adds;
};

PairProduct pairProduct(const target::CpuTarget &cpu, bool isFloat, bool isOfBytes) {
  if (isFloat)
    return {llvm::Intrinsic::x86_avx512bf16_dpbf16ps_512, true};
  if (isOfBytes)
    return {cpu.vectorBytes == 64 ? llvm::Intrinsic::x86_avx512_vpdpbusd_512
                                  : llvm::Intrinsic::x86_avx512_vpdpbusd_256,
            true};
  switch (cpu.vectorBytes) {
  case 64:
    return {llvm::Intrinsic::x86_avx512_pmaddw_d_512, false};
  case 32:
    return {llvm::Intrinsic::x86_avx2_pmadd_wd, false};
  default:
    return {llvm::Intrinsic::x86_sse2_pmadd_wd, false};
  }
}

} // namespace

llvm::Value *DotEmitter::multiplyAdd(llvm::Value *left, llvm::Value *right, llvm::Value *sum) {
  bool isFloat = llvm::isa<FloatType>(shape.sum);
  if (shape.form == DotForm::Groups) {
    auto [id, adds] = pairProduct(kernel.cpu(), isFloat, shape.isLhsUnsigned);
    llvm::Function *product =
        llvm::Intrinsic::getOrInsertDeclaration(b.GetInsertBlock()->getModule(), id);
    llvm::Type *pairs = product->getFunctionType()->params().back();
    left = b.CreateBitCast(left, pairs);
    right = b.CreateBitCast(right, pairs);
    return adds ? b.CreateCall(product, {sum, left, right})
                : b.CreateAdd(b.CreateCall(product, {left, right}), sum);
  }
  if (!isFloat)
    return b.CreateAdd(b.CreateMul(left, right), sum);
  if (kernel.cpu().hasFma)
    return b.CreateIntrinsic(llvm::Intrinsic::fma, {left->getType()}, {left, right, sum});
  return b.CreateFAdd(b.CreateFMul(left, right), sum);
}

void KernelEmitter::emitDot(Operation *op) {
  DotEmitter(*this, llvm::cast<tile::DotOp>(op)).emit();
}

} // namespace nereid::backend::cpu
