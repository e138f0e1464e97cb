// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/cpu/products/LinesAhead.h"

#include "analysis/Strides.h"
#include "backend/cpu/products/ResultReaders.h"
#include "dialect/tile/Access.h"
#include "dialect/tile/Elements.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::backend::cpu {

LinesAhead::LinesAhead(KernelEmitter &kernel, tile::DotOp op, int64_t steps,
                       llvm::Value *isRhsThere)
    : kernel(kernel), b(kernel.builder()), op(op), steps(steps) {
  if (steps < 1)
    return;
  auto loop = llvm::dyn_cast<scf::ForOp>(op->getParentOp());
  if (!loop) {
    addResult(op);
    return;
  }
  llvm::Value *next =
      b.CreateAdd(kernel.scalar(loop.getInductionVar()), kernel.scalar(loop.getStep()));
  llvm::Value *upper = kernel.scalar(loop.getUpperBound());
  hasNext = loop.getUnsignedCmp() ? b.CreateICmpULT(next, upper) : b.CreateICmpSLT(next, upper);
  addFactor(op.getLhs(), loop, hasNext);
  addFactor(op.getRhs(), loop,
            isRhsThere ? b.CreateAnd(hasNext, b.CreateNot(isRhsThere)) : hasNext);
  addResult(loop);
}

/// Looks for the loads of the factor's own shape, or of its transpose, that it is computed from in
/// this round.
void LinesAhead::addFactor(Value factor, scf::ForOp loop, llvm::Value *isAsked) {
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
      addLoad(load, loop, isAsked);
    else if (!load && tile::isLanewise(made))
      for (Value operand : made->getOperands())
        if (tile::isTile(operand.getType()))
          work.push_back(operand);
  }
}

/// Of one element of a tile of pointers.
llvm::Value *LinesAhead::addressAt(Value pointer, int64_t row, int64_t column) {
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

std::optional<LinesAhead::Rows> LinesAhead::rowsOf(Value pointer, Type element) const {
  llvm::ArrayRef<int64_t> dims = tile::shapeOf(pointer.getType());
  // Carried pointers that no scalar steps are memory that this round has not written yet.
  if (dims.size() != 2 || kernel.storage().isStored(pointer) ||
      !isArithmetic(pointer, kernel.storage()))
    return std::nullopt;
  unsigned along = analysis::strideAlong(pointer, 1) == 1 ? 1 : 0;
  if (analysis::strideAlong(pointer, along) != 1)
    return std::nullopt;
  int64_t lines = llvm::divideCeil(dims[along] * tile::byteSizeOf(element), lineBytes);
  if (!llvm::isPowerOf2_64(lines))
    return std::nullopt;
  return Rows{along, dims[1 - along], lines};
}

llvm::Value *LinesAhead::strideOf(Value pointer, const Rows &rows, llvm::Value *first) {
  if (rows.count == 1)
    return b.getInt64(0);
  llvm::Value *second = addressAt(pointer, rows.along, 1 - rows.along);
  return b.CreateSub(b.CreatePtrToInt(second, b.getInt64Ty()),
                     b.CreatePtrToInt(first, b.getInt64Ty()));
}

/// Where nothing is to be asked for: one row, again and again.
void LinesAhead::addLoad(tile::LoadOp load, scf::ForOp loop, llvm::Value *isAsked) {
  Value pointer = load.getPointer();
  std::optional<Rows> rows = rowsOf(pointer, tile::elementOf(load.getType()));
  if (!rows)
    return;
  llvm::Value *base = addressAt(pointer, 0, 0), *stride = nullptr;
  kernel.inNextRound(loop, op, [&] {
    llvm::Value *next = addressAt(pointer, 0, 0);
    base = b.CreateSelect(isAsked, next, base);
    stride = b.CreateSelect(isAsked, strideOf(pointer, *rows, next), b.getInt64(0));
  });
  factors.push_back(streamOf(*rows, base, stride));
}

/// `around` carries the sums, or is the dot. What passes the caches by is not asked for.
void LinesAhead::addResult(Operation *around) {
  ResultReaders readers(op);
  if (!readers.areStores() || readers.carrier() != around)
    return;
  tile::StoreOp store = readers.stores().front();
  Value pointer = store.getPointer();
  auto loop = store->getParentOfType<scf::ForOp>();
  // Bounds of a loop that comes behind the product may be known there only.
  if (!tile::isTile(pointer.getType()) || (loop && !loop->isProperAncestor(op)))
    return;
  std::optional<Rows> rows = rowsOf(pointer, tile::elementOf(store.getValue().getType()));
  auto scalars = scalarsOf(pointer, around, kernel.storage());
  if (!rows || !scalars)
    return;
  kernel.withScalars(*scalars, [&] {
    llvm::Value *base = addressAt(pointer, 0, 0), *stride = strideOf(pointer, *rows, base);
    asksForResult = hasNext ? b.CreateNot(hasNext) : b.getTrue();
    if (llvm::Value *bits = kernel.streamingOf(store).bits) {
      llvm::Value *places = b.CreateOr(b.CreatePtrToInt(base, b.getInt64Ty()), stride);
      asksForResult = b.CreateAnd(asksForResult, b.CreateIsNotNull(b.CreateAnd(places, bits)));
    }
    result = streamOf(*rows, base, stride);
  });
}

LinesAhead::Stream LinesAhead::streamOf(const Rows &rows, llvm::Value *base, llvm::Value *stride) {
  int64_t atOnce = llvm::PowerOf2Ceil(llvm::divideCeil(rows.count * rows.lines, steps));
  int64_t linesAtOnce = std::min(atOnce, rows.lines);
  llvm::AllocaInst *asked = kernel.lanes().stackSlot(b.getInt64Ty());
  b.CreateStore(b.getInt64(0), asked);
  return {base,       stride,      rows.count,
          rows.lines, linesAtOnce, std::min(atOnce / linesAtOnce, rows.count),
          asked};
}

void LinesAhead::ask() {
  llvm::BasicBlock *done = kernel.newBlock("asked");
  auto askIf = [&](llvm::Value *condition, llvm::ArrayRef<Stream> streams, const char *name) {
    llvm::BasicBlock *asks = kernel.newBlock(name), *others = kernel.newBlock("others");
    b.CreateCondBr(condition, asks, others);
    b.SetInsertPoint(asks);
    for (const Stream &stream : streams)
      ask(stream);
    b.CreateBr(done);
    b.SetInsertPoint(others);
  };
  if (!factors.empty())
    askIf(hasNext, factors, "ask.factors");
  if (result)
    askIf(asksForResult, *result, "ask.result");
  b.CreateBr(done);
  b.SetInsertPoint(done);
}

void LinesAhead::ask(const Stream &stream) {
  llvm::Value *turn = b.CreateLoad(b.getInt64Ty(), stream.asked);
  b.CreateStore(b.CreateAdd(turn, b.getInt64(1)), stream.asked);
  // Whoever is done asks for the last lines again, which are there.
  int64_t turns =
      llvm::divideCeil(stream.rows, stream.rowsAtOnce) * (stream.rowLines / stream.linesAtOnce);
  turn = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, turn, b.getInt64(turns - 1));
  llvm::Value *turnsOfRow = b.getInt64(stream.rowLines / stream.linesAtOnce);
  llvm::Value *row = b.CreateMul(b.CreateUDiv(turn, turnsOfRow), b.getInt64(stream.rowsAtOnce));
  llvm::Value *line = b.CreateMul(b.CreateURem(turn, turnsOfRow), b.getInt64(stream.linesAtOnce));
  llvm::Value *first =
      b.CreateAdd(b.CreateMul(row, stream.rowStride), b.CreateMul(line, b.getInt64(lineBytes)));
  for (int64_t r = 0; r < stream.rowsAtOnce; ++r) {
    llvm::Value *offset = b.CreateAdd(first, b.CreateMul(stream.rowStride, b.getInt64(r)));
    llvm::Value *address = b.CreateGEP(b.getInt8Ty(), stream.base, offset);
    for (int64_t l = 0; l < stream.linesAtOnce; ++l)
      b.CreateIntrinsic(llvm::Intrinsic::prefetch, {b.getPtrTy()},
                        {b.CreateConstGEP1_64(b.getInt8Ty(), address, l * lineBytes), b.getInt32(0),
                         b.getInt32(2), b.getInt32(1)});
  }
}

} // namespace nereid::backend::cpu
