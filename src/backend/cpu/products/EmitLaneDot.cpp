// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The micro-kernel of vectors.
//
// Few rows of sums take a right factor that lies by rows from its array: to pack it would take
// longer than to multiply. They take many columns at once, so that it is read in long runs.
#include "backend/cpu/products/DotEmitter.h"

#include "llvm/IR/IntrinsicsX86.h"

using namespace mlir;

namespace nereid::backend::cpu {

/// With two vectors a row, two for the right factor and one for the left, 12 rows take 27 of 32
/// registers and 6 take 15 of 16. Two units that take four cycles for a product need 8 sums; there
/// are 24 or 12.
int64_t DotEmitter::blockRows() const {
  return (kernel.cpu().vectorRegisters - 3) / 2 >= 12 ? 12 : 6;
}

int64_t DotEmitter::steps() const {
  int64_t panels = shape.batch * (shape.paddedColumns / shape.panelWidth);
  if (shape.form == DotForm::Tiles) {
    int64_t depth = shape.paddedDepth * shape.factorBytes() / DotShape::tileDepthBytes;
    return panels * llvm::divideCeil(shape.paddedRows, 2 * DotShape::tileRows) * depth;
  }
  int64_t blocks = llvm::divideCeil(shape.m, blockRows());
  return panels * blocks * (shape.paddedDepth / shape.group / unrolledSteps());
}

/// A step is 12 or 24 multiply-adds; against four of them the loop's own three instructions no
/// longer count.
unsigned DotEmitter::unrolledSteps() const {
  int64_t steps = shape.paddedDepth / shape.group;
  return steps % 4 == 0 ? 4 : steps % 2 == 0 ? 2 : 1;
}

DotEmitter::Columns DotEmitter::panelAt(llvm::Value *batch, llvm::Value *column) {
  if (rhsColumnBytes)
    return {b.CreateGEP(b.getInt8Ty(), rhs, b.CreateMul(column, rhsColumnBytes)), rhsLineBytes};
  llvm::Value *first = b.CreateAdd(times(batch, shape.paddedDepth * shape.paddedColumns),
                                   times(column, shape.paddedDepth));
  int64_t lineBytes = shape.group * shape.panelWidth * shape.factorBytes();
  return {factorAt(rhs, first), b.getInt64(lineBytes)};
}

void DotEmitter::emitLanes(llvm::Value *batch) {
  auto panel = [&](llvm::Value *panel) { emitPanel(batch, times(panel, shape.panelWidth)); };
  if (!rhsRows && neededPanels)
    return kernel.loop(b.getInt64(0), neededPanels, b.getInt64(1), panel, "panel");
  if (!rhsRows)
    return kernel.loop(0, shape.paddedColumns / shape.panelWidth, 1, panel, "panel");
  int64_t together = std::min<int64_t>(4, shape.m & -shape.m);
  if (!neededRows || together == 1)
    return emitFewRows(together, b.getInt64(shape.m));
  llvm::BasicBlock *one = kernel.newBlock("one"), *more = kernel.newBlock("more"),
                   *done = kernel.newBlock("products");
  b.CreateCondBr(b.CreateICmpSLE(neededRows, b.getInt64(1)), one, more);
  b.SetInsertPoint(one);
  emitFewRows(1, neededRows);
  b.CreateBr(done);
  b.SetInsertPoint(more);
  emitFewRows(together, neededRows);
  b.CreateBr(done);
  b.SetInsertPoint(done);
}

/// The needed rows, `rows` at a time, from a right factor that lies by rows: as many vectors of its
/// columns at once as half of the registers can sum.
void DotEmitter::emitFewRows(int64_t rows, llvm::Value *needed) {
  int64_t width = shape.panelWidth / 2;
  int64_t vectors = llvm::bit_floor<uint64_t>(kernel.cpu().vectorRegisters / 2 / rows);
  while (shape.n % (vectors * width) != 0)
    vectors /= 2;
  auto overRows = [&](llvm::Value *column) {
    llvm::Value *first = b.CreateGEP(lanes.memoryType(rhsElement), rhsRows, column);
    auto block = [&](llvm::Value *row) {
      emitBlock({row, column, static_cast<unsigned>(rows), static_cast<unsigned>(vectors)},
                {first, rhsRowBytes, /*isByRows=*/true});
    };
    kernel.loop(b.getInt64(0), needed, b.getInt64(rows), block, "rows");
  };
  kernel.loop(0, shape.n, vectors * width, overRows, "columns");
}

void DotEmitter::emitPanel(llvm::Value *batch, llvm::Value *column) {
  int64_t rows = blockRows(), whole = shape.m - shape.m % rows;
  Columns panel = panelAt(batch, column);
  Panel excess = shape.isLhsUnsigned ? excessOf(panel) : Panel{};
  auto block = [&](llvm::Value *row, int64_t count) {
    emitBlock({b.CreateAdd(times(batch, shape.m), row), column, static_cast<unsigned>(count), 2},
              panel, excess);
  };
  auto overRows = [&](int64_t begin, int64_t end, int64_t count) {
    auto body = [&](llvm::Value *row) { block(row, count); };
    if (neededRows)
      kernel.loop(b.getInt64(begin),
                  b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, neededRows, b.getInt64(end)),
                  b.getInt64(count), body, "rows");
    else
      kernel.loop(begin, end, count, body, "rows");
  };
  if (whole > 0)
    overRows(0, whole, rows);
  if (whole < shape.m)
    overRows(whole, shape.m, shape.m - whole);
}

/// What each sum of a panel's columns comes out too large by, since the left factor was moved.
DotEmitter::Panel DotEmitter::excessOf(const Columns &columns) {
  llvm::Type *vector = lanes.vectorOf(sumType, shape.panelWidth / 2);
  llvm::Value *moved = lanes.splat(b.getInt32(signBit * 0x01010101), shape.panelWidth / 2);
  llvm::AllocaInst *slots[] = {lanes.stackSlot(vector), lanes.stackSlot(vector)};
  for (llvm::AllocaInst *slot : slots)
    b.CreateStore(llvm::Constant::getNullValue(vector), slot);
  auto step = [&](llvm::Value *step) {
    for (auto [right, slot] : llvm::zip(rightAt(step, columns, 2), slots))
      b.CreateStore(multiplyAdd(moved, right, b.CreateLoad(vector, slot)), slot);
  };
  kernel.loop(0, shape.paddedDepth / shape.group, 1, step, "excess");
  return {b.CreateLoad(vector, slots[0]), b.CreateLoad(vector, slots[1])};
}

/// Where the rows of the left factor lie that a block multiplies. A stride that the launch alone
/// knows is added up here: LLVM would go from row to row in each step, and load what several steps
/// take at once, in more registers than there are.
llvm::SmallVector<llvm::Value *> DotEmitter::leftRows(const Block &block) {
  llvm::SmallVector<llvm::Value *> rows;
  llvm::Value *row = b.CreateGEP(b.getInt8Ty(), lhs, b.CreateMul(block.row, lhsRowBytes));
  bool isKnown = llvm::isa<llvm::ConstantInt>(lhsRowBytes);
  for (unsigned r = 0; r < block.rows; ++r) {
    llvm::Value *at = b.CreateGEP(b.getInt8Ty(), row, times(lhsRowBytes, r));
    if (!isKnown)
      at = b.CreateIntToPtr(lanes.opaque(b.CreatePtrToInt(at, b.getInt64Ty())), at->getType());
    rows.push_back(at);
  }
  return rows;
}

void DotEmitter::emitBlock(const Block &block, const Columns &columns, const Panel &excess) {
  unsigned width = shape.panelWidth / 2;
  llvm::Type *vector = lanes.vectorOf(sumType, width);
  llvm::Align align(shape.sumBytes());
  llvm::SmallVector<llvm::Value *> addresses, slots;
  for (unsigned r = 0; r < block.rows; ++r)
    for (unsigned v = 0; v < block.vectors; ++v) {
      llvm::Value *index = times(b.CreateAdd(block.row, b.getInt64(r)), shape.paddedColumns);
      index = b.CreateAdd(index, b.CreateAdd(block.column, b.getInt64(v * width)));
      addresses.push_back(sumAt(sums, index));
      slots.push_back(lanes.stackSlot(vector));
    }
  auto begin = [&](unsigned i, llvm::Value *initial) {
    if (!excess.empty())
      initial = b.CreateSub(initial, excess[i % block.vectors]);
    b.CreateStore(initial, slots[i]);
  };
  beginSums(
      [&] {
        for (unsigned i = 0; i < slots.size(); ++i)
          begin(i, llvm::Constant::getNullValue(vector));
      },
      [&] {
        for (unsigned i = 0; i < slots.size(); ++i)
          begin(i, b.CreateAlignedLoad(vector, addresses[i], align));
      });
  // Of long runs the hardware fetches what comes next, and twice as many vectors are taken at once.
  unsigned unroll = unrolledSteps();
  if (columns.isByRows && unroll > 1)
    unroll /= 2;
  llvm::SmallVector<llvm::Value *> lhsRows = leftRows(block);
  llvm::Value *lines = b.CreateUDiv(depthInUnits(unroll * shape.group), b.getInt64(shape.group));
  kernel.loop(
      b.getInt64(0), lines, b.getInt64(unroll),
      [&](llvm::Value *step) {
        if (!columns.isByRows)
          linesAhead->ask();
        for (unsigned u = 0; u < unroll; ++u)
          emitStep(b.CreateAdd(step, b.getInt64(u)), lhsRows, columns, block, slots);
      },
      "k");
  for (auto [slot, address] : llvm::zip(slots, addresses))
    b.CreateAlignedStore(b.CreateLoad(vector, slot), address, align);
}

/// The elements of one group, of all of the columns. A group is moved as one integer.
DotEmitter::Panel DotEmitter::rightAt(llvm::Value *step, const Columns &columns, unsigned vectors) {
  unsigned width = shape.panelWidth / 2;
  llvm::Type *group = shape.group == 1 ? factorType : b.getInt32Ty();
  llvm::Align align(shape.group * shape.factorBytes());
  llvm::Value *line =
      b.CreateGEP(b.getInt8Ty(), columns.base, b.CreateMul(step, columns.lineBytes));
  Panel right;
  for (unsigned v = 0; v < vectors; ++v) {
    if (!columns.isByRows) {
      llvm::Value *address = b.CreateConstGEP1_64(group, line, v * width);
      right.push_back(b.CreateAlignedLoad(lanes.vectorOf(group, width), address, align));
      continue;
    }
    llvm::Type *element = lanes.memoryType(rhsElement);
    llvm::Value *address = b.CreateConstGEP1_64(element, line, v * width);
    llvm::Value *loaded = b.CreateAlignedLoad(lanes.vectorOf(element, width), address,
                                              llvm::Align(tile::byteSizeOf(rhsElement)));
    right.push_back(convert(lanes.fromMemory(loaded, rhsElement), rhsElement, shape.factor));
  }
  return right;
}

/// sums[r, :] += lhs[r, k] * columns[k, :], for the elements k of one group.
void DotEmitter::emitStep(llvm::Value *step, llvm::ArrayRef<llvm::Value *> lhsRows,
                          const Columns &columns, const Block &block,
                          llvm::ArrayRef<llvm::Value *> slots) {
  unsigned width = shape.panelWidth / 2;
  llvm::Type *group = shape.group == 1 ? factorType : b.getInt32Ty();
  llvm::Align align(shape.group * shape.factorBytes());
  Panel right = rightAt(step, columns, block.vectors);
  for (unsigned r = 0; r < block.rows; ++r) {
    llvm::Value *left = b.CreateAlignedLoad(group, b.CreateGEP(group, lhsRows[r], step), align);
    llvm::Value *broadcast = lanes.splat(left, width);
    for (unsigned v = 0; v < block.vectors; ++v) {
      llvm::Value *slot = slots[block.vectors * r + v];
      llvm::Value *sum = b.CreateLoad(lanes.vectorOf(sumType, width), slot);
      b.CreateStore(multiplyAdd(broadcast, right[v], sum), slot);
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

} // namespace nereid::backend::cpu
