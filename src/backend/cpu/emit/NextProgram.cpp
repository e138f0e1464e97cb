// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lines that the next program of this thread, or the next round of a loop, will touch are asked for
// where this one touches its own. Tiles of a matrix lie in rows of a few lines, a page apart, which
// no hardware prefetcher follows, and a program without a loop is over before its first lines have
// come.
#include "analysis/Strides.h"
#include "backend/cpu/emit/KernelEmitter.h"
#include "backend/cpu/products/LinesAhead.h"
#include "backend/cpu/storage/Recompute.h"
#include "dialect/tile/Elements.h"

#include <numeric>

using namespace mlir;

namespace nereid::backend::cpu {

/// Longer rows are streams that hardware follows by itself.
static constexpr int64_t longestRow = 1024;

/// Shorter ones share their line with the next program's.
static constexpr int64_t shortestRow = 32;

/// As many streams at once it follows as well.
static constexpr int64_t fewestRows = 8;

/// Whether the rows of a tile of one dimension are others each time: a quotient of the lane's
/// number that no remainder cuts off says which.
static bool hasOwnRows(Value pointer) {
  llvm::SmallVector<Value> work = {pointer};
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || !tile::isTile(value.getType()) || !seen.insert(value).second)
      continue;
    if (llvm::isa<arith::DivSIOp, arith::DivUIOp>(op))
      return true;
    if (!llvm::isa<arith::RemSIOp, arith::RemUIOp>(op))
      llvm::append_range(work, op->getOperands());
  }
  return false;
}

/// Rows of a tile in memory that are short and many: neighbours along a dimension, or along runs of
/// it. Of one dimension they are often the same few rows again and again.
bool KernelEmitter::hasScatteredRows(Value pointer, Type element) const {
  int64_t bytes = tile::byteSizeOf(element);
  llvm::ArrayRef<int64_t> dims = tile::shapeOf(pointer.getType());
  bool isLine = llvm::count_if(dims, [](int64_t size) { return size > 1; }) < 2;
  if (isLine && !hasOwnRows(pointer))
    return false;
  for (auto [dim, size] : llvm::enumerate(dims)) {
    if (size == 1)
      continue;
    int64_t row = size;
    if (analysis::strideAlong(pointer, dim) != 1)
      row = std::gcd(size, axes().of(pointer).axes[dim].contiguity);
    if (row * bytes >= shortestRow)
      return row * bytes <= longestRow && tile::elementCount(pointer.getType()) / row >= fewestRows;
  }
  return false;
}

/// Where a program has loops what is asked for at its beginning may be gone at its end; and beside
/// products memory is asked for as they go on (products/LinesAhead.h).
bool KernelEmitter::isWorthAsking(Operation *place) {
  Operation *around = place->getParentOp();
  if (around != function && !llvm::isa<scf::ForOp>(around))
    return false;
  auto [answer, isNew] = worthAsking.try_emplace(around, false);
  if (isNew)
    answer->second = !around
                          ->walk([&](Operation *op) {
                            bool isIn = op != around && (llvm::isa<LoopLikeOpInterface>(op) ||
                                                         llvm::isa<tile::DotOp>(op));
                            return isIn ? WalkResult::interrupt() : WalkResult::advance();
                          })
                          .wasInterrupted();
  return answer->second;
}

/// Those that do not depend on the program's id are the same there; so are, for want of better
/// knowledge, those that are more than arithmetic.
llvm::Value *KernelEmitter::scalarInNextProgram(Value value) {
  auto [found, isNew] = scalarsOfNext.try_emplace(value, nullptr);
  if (!isNew)
    return found->second;
  llvm::Value *next = scalar(value);
  Operation *op = value.getDefiningOp();
  if (auto id = llvm::dyn_cast_if_present<tile::ProgramIdOp>(op)) {
    next = nextProgramId[id.getAxis()];
  } else if (op && isScalarArithmetic(op)) {
    llvm::SmallVector<llvm::Value *, 3> operands;
    bool isOther = false;
    for (Value operand : op->getOperands()) {
      operands.push_back(scalarInNextProgram(operand));
      isOther |= operands.back() != scalar(operand);
    }
    if (isOther)
      next = laneBuilder.emit(op, operands)[llvm::cast<OpResult>(value).getResultNumber()];
  }
  return scalarsOfNext[value] = next;
}

/// The scalars among what a tile is computed from.
static llvm::SmallVector<Value> scalarsUnder(Value tile) {
  llvm::SmallVector<Value> work = {tile}, scalars;
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (!tile::isTile(value.getType()))
      scalars.push_back(value);
    else
      llvm::append_range(work, value.getDefiningOp()->getOperands());
  }
  return scalars;
}

void KernelEmitter::withNextProgram(Value tile, llvm::function_ref<void()> act) {
  llvm::DenseMap<Value, llvm::Value *> now = scalars, next = scalars;
  for (Value value : scalarsUnder(tile))
    next[value] = scalarInNextProgram(value);
  scalars = std::move(next);
  act();
  scalars = std::move(now);
}

llvm::Value *KernelEmitter::stepAhead(Value pointer, Type element, Operation *place) {
  // What is kept in memory is this program's, so that all is computed.
  auto isSplit = [](Value part) { return llvm::isa<tile::SplitOp>(part.getDefiningOp()); };
  if (!tile::isTile(pointer.getType()) || !hasScatteredRows(pointer, element) ||
      !isWorthAsking(place) || !isComputedAnew(pointer, isSplit))
    return nullptr;
  auto address = [&] {
    size_t rank = tile::shapeOf(pointer.getType()).size();
    Nest nest(*this, tile::shapeOf(pointer.getType()), {}, 0, 1);
    nest.computeStored();
    nest.standAt(llvm::SmallVector<llvm::Value *>(rank, b.getInt64(0)));
    return b.CreatePtrToInt(nest.evaluate(pointer, nest.identity()).base, b.getInt64Ty());
  };
  llvm::Value *here = address(), *there = nullptr;
  auto goThere = [&] { there = address(); };
  if (auto loop = llvm::dyn_cast<scf::ForOp>(place->getParentOp()))
    inNextRound(loop, place, goThere);
  else
    withNextProgram(pointer, goThere);
  return b.CreateSub(there, here);
}

} // namespace nereid::backend::cpu
