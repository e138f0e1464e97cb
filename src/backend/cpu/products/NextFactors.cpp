// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/cpu/products/NextFactors.h"

#include "analysis/Strides.h"
#include "dialect/tile/Access.h"
#include "dialect/tile/Elements.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::backend::cpu {

static constexpr int64_t lineBytes = 64;

NextFactors::NextFactors(KernelEmitter &kernel, tile::DotOp op, int64_t steps,
                         llvm::Value *isRhsThere)
    : kernel(kernel), b(kernel.builder()), op(op), steps(steps) {
  auto loop = llvm::dyn_cast<scf::ForOp>(op->getParentOp());
  if (!loop || steps < 1)
    return;
  llvm::Value *next =
      b.CreateAdd(kernel.scalar(loop.getInductionVar()), kernel.scalar(loop.getStep()));
  llvm::Value *upper = kernel.scalar(loop.getUpperBound());
  llvm::Value *hasNext =
      loop.getUnsignedCmp() ? b.CreateICmpULT(next, upper) : b.CreateICmpSLT(next, upper);
  addFactor(op.getLhs(), loop, hasNext);
  if (isRhsThere)
    hasNext = b.CreateAnd(hasNext, b.CreateNot(isRhsThere));
  addFactor(op.getRhs(), loop, hasNext);
}

/// Looks for the loads of the factor's own shape, or of its transpose, that it is computed from in
/// this round.
void NextFactors::addFactor(Value factor, scf::ForOp loop, llvm::Value *hasNext) {
  llvm::SmallVector<Value> work = {factor};
  llvm::DenseSet<Value> seen;
  int64_t elements = tile::elementCount(factor.getType());
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Operation *made = value.getDefiningOp();
    if (!made || made->getBlock() != loop.getBody() || !seen.insert(value).second)
      continue;
    auto load = llvm::dyn_cast<tile::LoadOp>(made);
    if (load && tile::elementCount(value.getType()) == elements)
      addLoad(load, loop, hasNext);
    else if (!load && tile::isLanewise(made))
      for (Value operand : made->getOperands())
        if (tile::isTile(operand.getType()))
          work.push_back(operand);
  }
}

/// Of one element of a tile of pointers.
llvm::Value *NextFactors::addressAt(Value pointer, int64_t row, int64_t column) {
  Nest nest(kernel, tile::shapeOf(pointer.getType()), {}, 0, 1);
  nest.standAt({b.getInt64(row), b.getInt64(column)});
  return nest.evaluate(pointer, nest.identity()).base;
}

bool isArithmetic(Value tile, const StoragePlan &plan) {
  llvm::SmallVector<Value> work = {tile};
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Operation *made = value.getDefiningOp();
    if (!tile::isTile(value.getType()) || plan.isStored(value) || !seen.insert(value).second)
      continue;
    if (!made || tile::accessOf(made).touchesMemory())
      return false;
    llvm::append_range(work, made->getOperands());
  }
  return true;
}

void NextFactors::addLoad(tile::LoadOp load, scf::ForOp loop, llvm::Value *hasNext) {
  Value pointer = load.getPointer();
  llvm::ArrayRef<int64_t> dims = tile::shapeOf(pointer.getType());
  // Carried pointers that no scalar steps are memory that this round has not written yet.
  if (dims.size() != 2 || kernel.storage().isStored(pointer) ||
      !isArithmetic(pointer, kernel.storage()))
    return;
  unsigned along = analysis::strideAlong(pointer, 1) == 1 ? 1 : 0;
  if (analysis::strideAlong(pointer, along) != 1)
    return;
  int64_t rows = dims[1 - along];
  int64_t rowBytes = dims[along] * tile::byteSizeOf(tile::elementOf(load.getType()));
  int64_t rowLines = llvm::divideCeil(rowBytes, lineBytes);
  if (!llvm::isPowerOf2_64(rowLines))
    return;

  llvm::Value *base = addressAt(pointer, 0, 0), *rowStride = b.getInt64(0);
  kernel.inNextRound(loop, op, [&] {
    llvm::Value *next = addressAt(pointer, 0, 0);
    // Where nothing is to come: one row, again and again.
    base = b.CreateSelect(hasNext, next, base);
    if (rows > 1) {
      llvm::Value *second = addressAt(pointer, along, 1 - along);
      rowStride = b.CreateSub(b.CreatePtrToInt(second, b.getInt64Ty()),
                              b.CreatePtrToInt(next, b.getInt64Ty()));
      rowStride = b.CreateSelect(hasNext, rowStride, b.getInt64(0));
    }
  });
  int64_t atOnce = llvm::PowerOf2Ceil(llvm::divideCeil(rows * rowLines, steps));
  int64_t linesAtOnce = std::min(atOnce, rowLines);
  llvm::AllocaInst *asked = kernel.lanes().stackSlot(b.getInt64Ty());
  b.CreateStore(b.getInt64(0), asked);
  streams.push_back({base, rowStride, rows, rowLines, linesAtOnce,
                     std::min(atOnce / linesAtOnce, rows), asked});
}

void NextFactors::ask() {
  for (const Stream &stream : streams)
    ask(stream);
}

void NextFactors::ask(const Stream &stream) {
  llvm::Value *turn = b.CreateLoad(b.getInt64Ty(), stream.asked);
  b.CreateStore(b.CreateAdd(turn, b.getInt64(1)), stream.asked);
  // Whoever is done asks for the last lines again, which are there.
  int64_t turns = llvm::divideCeil(stream.rows, stream.rowsAtOnce) *
                  (stream.rowLines / stream.linesAtOnce);
  turn = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, turn, b.getInt64(turns - 1));
  llvm::Value *turnsOfRow = b.getInt64(stream.rowLines / stream.linesAtOnce);
  llvm::Value *row = b.CreateMul(b.CreateUDiv(turn, turnsOfRow), b.getInt64(stream.rowsAtOnce));
  llvm::Value *line = b.CreateMul(b.CreateURem(turn, turnsOfRow), b.getInt64(stream.linesAtOnce));
  llvm::Value *first = b.CreateAdd(b.CreateMul(row, stream.rowStride),
                                   b.CreateMul(line, b.getInt64(lineBytes)));
  for (int64_t r = 0; r < stream.rowsAtOnce; ++r) {
    llvm::Value *offset = b.CreateAdd(first, b.CreateMul(stream.rowStride, b.getInt64(r)));
    llvm::Value *address = b.CreateGEP(b.getInt8Ty(), stream.base, offset);
    for (int64_t l = 0; l < stream.linesAtOnce; ++l)
      b.CreateIntrinsic(llvm::Intrinsic::prefetch, {b.getPtrTy()},
                        {b.CreateConstGEP1_64(b.getInt8Ty(), address, l * lineBytes),
                         b.getInt32(0), b.getInt32(2), b.getInt32(1)});
  }
}

} // namespace nereid::backend::cpu
