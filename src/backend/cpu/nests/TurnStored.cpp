// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stored tiles whose rows go across a nest's vectors: lane by lane each vector would be put
// together of as many loads as it has lanes. A block of rows is turned in registers instead, into
// lines on the stack, before the loop goes through it.
#include "backend/cpu/emit/KernelEmitter.h"
#include "backend/cpu/lanes/TransposeLanes.h"
#include "backend/cpu/nests/Nest.h"
#include "dialect/tile/Elements.h"

using namespace mlir;

namespace nereid::backend::cpu {

/// Of the nearest cache, which has 32 KiB or more, the lines of a nest take half.
static constexpr int64_t mostTurnedBytes = 16 << 10;

/// For one nest after the other, as each fills it anew: a stack has no room for all of them.
llvm::Value *KernelEmitter::turnedLines() {
  if (!linesOfTurned) {
    linesOfTurned = laneBuilder.stackSlot(llvm::ArrayType::get(b.getInt8Ty(), mostTurnedBytes));
    linesOfTurned->setAlignment(llvm::Align(lineBytes));
  }
  return linesOfTurned;
}

/// Rows and vectors lie in loops one around the other, so that what is turned once is read by all
/// of the inner one's rounds.
void Nest::planTurned(Value stored, const Coordinates &at) {
  if (!mayTurn || order.size() < 2 || order.back() != vectorDim || fullWidth == 1)
    return;
  llvm::ArrayRef<int64_t> dims = tile::shapeOf(stored.getType());
  unsigned across = order[order.size() - 2];
  if (at.empty() || at.back() != static_cast<int>(across) ||
      llvm::count(at, static_cast<int>(vectorDim)) != 1 ||
      llvm::count(at, static_cast<int>(across)) != 1 || turnedOf(stored, at))
    return;
  int64_t bytes = tile::byteSizeOf(tile::elementOf(stored.getType()));
  int64_t side = std::min<int64_t>(16, kernel.cpu().vectorBytes / bytes);
  side = std::min({side, shape[across] & -shape[across], shape[vectorDim] & -shape[vectorDim]});
  int64_t begin = llvm::alignTo(turnedBytes, lineBytes);
  int64_t end = begin + side * shape[vectorDim] * bytes;
  if (side < leastTurnedSide || end > mostTurnedBytes || dims.back() != shape[across])
    return;
  turnedBytes = end;
  llvm::Value *lines = b.CreateConstGEP1_64(b.getInt8Ty(), kernel.turnedLines(), begin);
  turned.push_back({stored, at, side, lines});
}

const Nest::Turned *Nest::turnedOf(Value stored, const Coordinates &at) const {
  auto found = llvm::find_if(
      turned, [&](const Turned &each) { return each.tile == stored && each.at == at; });
  return found == turned.end() ? nullptr : &*found;
}

/// At the first of a block's rows, in the loop over rows.
void Nest::fillTurned(unsigned depth) {
  if (depth + 2 != order.size())
    return;
  for (const Turned &each : turned) {
    llvm::Value *row = indices[order[depth]];
    llvm::BasicBlock *fill = kernel.newBlock("turn"), *done = kernel.newBlock("turned");
    llvm::Value *inBlock = b.CreateAnd(row, b.getInt64(each.side - 1));
    b.CreateCondBr(b.CreateIsNull(inBlock), fill, done);
    b.SetInsertPoint(fill);
    kernel.loop(
        0, shape[vectorDim], each.side, [&](llvm::Value *first) { turnSquare(each, first); },
        "turn");
    b.CreateBr(done);
    b.SetInsertPoint(done);
  }
}

void Nest::turnSquare(const Turned &each, llvm::Value *first) {
  llvm::ArrayRef<int64_t> dims = tile::shapeOf(each.tile.getType());
  Type element = tile::elementOf(each.tile.getType());
  llvm::Type *type = lanes.memoryType(element), *vector = lanes.vectorOf(type, each.side);
  llvm::Align align(tile::byteSizeOf(element));
  llvm::Value *stored = kernel.scratch(kernel.storage().offsetOf(each.tile));
  llvm::SmallVector<llvm::Value *, 16> rows;
  for (int64_t i = 0; i < each.side; ++i) {
    indices[vectorDim] = b.CreateAdd(first, b.getInt64(i));
    llvm::Value *address = b.CreateGEP(type, stored, elementIndex(dims, each.at));
    rows.push_back(b.CreateAlignedLoad(vector, address, align));
  }
  transposeLanes(b, rows);
  for (auto [i, line] : llvm::enumerate(rows)) {
    llvm::Value *index = b.CreateAdd(first, b.getInt64(i * shape[vectorDim]));
    b.CreateAlignedStore(line, b.CreateGEP(type, each.lines, index), align);
  }
}

Lanes Nest::readTurned(const Turned &each) {
  Type element = tile::elementOf(each.tile.getType());
  llvm::Value *row = b.CreateAnd(indices[each.at.back()], b.getInt64(each.side - 1));
  llvm::Value *index =
      b.CreateAdd(b.CreateMul(row, b.getInt64(shape[vectorDim])), indices[vectorDim]);
  llvm::Value *address = b.CreateGEP(lanes.memoryType(element), each.lines, index);
  return Lanes::vector(loadContiguous(element, address, nullptr));
}

} // namespace nereid::backend::cpu
