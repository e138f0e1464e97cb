// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles that are stored, or lie in memory, in rows that go across a nest's vectors: lane by lane
// each vector would be put together of as many loads as it has lanes. A block of rows is turned in
// registers instead, into lines on the stack, before the loop goes through it.
#include "analysis/Strides.h"
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
  llvm::ArrayRef<int64_t> dims = tile::shapeOf(stored.getType());
  bool isWhole = !at.empty() && order.size() > 1 && dims.back() == shape[order[order.size() - 2]];
  if (isWhole && at.back() == static_cast<int>(order[order.size() - 2]))
    planTurned(stored, at, dims.back(), /*isLoaded=*/false);
}

/// Where neighbours lie along the loop around the vectors', and not along these.
void Nest::planTurnedLoad(Operation *op, const Coordinates &at) {
  auto load = llvm::cast<tile::LoadOp>(op);
  if (order.size() < 2 || load.getIsVolatile())
    return;
  Value pointer = load.getPointer();
  auto runAlong = [&](unsigned loop) -> int64_t {
    auto dim = llvm::find(at, static_cast<int>(loop));
    if (dim == at.end())
      return 1;
    if (analysis::strideAlong(pointer, dim - at.begin()) == 1)
      return shape[loop];
    return kernel.axes().of(pointer).axes[dim - at.begin()].contiguity;
  };
  int64_t run = runAlong(order[order.size() - 2]);
  if (runAlong(vectorDim) < leastTurnedSide)
    planTurned(load.getResult(), at, run & -run, /*isLoaded=*/true);
}

void Nest::planTurned(Value tile, const Coordinates &at, int64_t run, bool isLoaded) {
  if (!mayTurn || order.size() < 2 || order.back() != vectorDim || fullWidth == 1)
    return;
  unsigned across = order[order.size() - 2];
  if (llvm::count(at, static_cast<int>(vectorDim)) != 1 ||
      llvm::count(at, static_cast<int>(across)) != 1 || turnedOf(tile, at))
    return;
  int64_t bytes = tile::byteSizeOf(tile::elementOf(tile.getType()));
  int64_t side = std::min<int64_t>({16, kernel.cpu().vectorBytes / bytes, run & -run});
  side = std::min({side, shape[across] & -shape[across], shape[vectorDim] & -shape[vectorDim]});
  int64_t begin = llvm::alignTo(turnedBytes, lineBytes);
  int64_t end = begin + side * shape[vectorDim] * bytes;
  if (side < leastTurnedSide || end > mostTurnedBytes)
    return;
  turnedBytes = end;
  llvm::Value *lines = b.CreateConstGEP1_64(b.getInt8Ty(), kernel.turnedLines(), begin);
  turned.push_back({tile, at, side, lines, isLoaded});
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

/// Neighbours in memory, which lie across the nest's vectors: `side` of them at one of the vectors'
/// indices.
llvm::Value *Nest::lineOf(const Turned &each, llvm::Value *along) {
  Type element = tile::elementOf(each.tile.getType());
  llvm::Type *type = lanes.memoryType(element);
  if (!each.isLoaded) {
    indices[vectorDim] = along;
    llvm::Value *index = elementIndex(tile::shapeOf(each.tile.getType()), each.at);
    llvm::Value *stored = kernel.scratch(kernel.storage().offsetOf(each.tile));
    return b.CreateAlignedLoad(lanes.vectorOf(type, each.side), b.CreateGEP(type, stored, index),
                               llvm::Align(tile::byteSizeOf(element)));
  }
  auto load = each.tile.getDefiningOp<tile::LoadOp>();
  Nest line(kernel, shape, {}, order[order.size() - 2], each.side);
  if (llvm::Value *step = place ? stepAhead(load.getPointer(), element) : nullptr) {
    line.askAhead(place);
    line.stepsAhead[load.getPointer()] = step;
  }
  llvm::SmallVector<llvm::Value *, 4> at = indices;
  at[vectorDim] = along;
  line.standAt(at, /*isMultiple=*/true);
  return lanes.toMemory(line.vector(line.load(load, each.at)), element);
}

void Nest::turnSquare(const Turned &each, llvm::Value *first) {
  Type element = tile::elementOf(each.tile.getType());
  llvm::Type *type = lanes.memoryType(element);
  llvm::SmallVector<llvm::Value *, 16> rows;
  for (int64_t i = 0; i < each.side; ++i)
    rows.push_back(lineOf(each, b.CreateAdd(first, b.getInt64(i))));
  transposeLanes(b, rows);
  for (auto [i, line] : llvm::enumerate(rows)) {
    llvm::Value *index = b.CreateAdd(first, b.getInt64(i * shape[vectorDim]));
    b.CreateAlignedStore(line, b.CreateGEP(type, each.lines, index),
                         llvm::Align(tile::byteSizeOf(element)));
  }
}

Lanes Nest::readTurned(const Turned &each) {
  Type element = tile::elementOf(each.tile.getType());
  llvm::Value *row = b.CreateAnd(indices[order[order.size() - 2]], b.getInt64(each.side - 1));
  llvm::Value *index =
      b.CreateAdd(b.CreateMul(row, b.getInt64(shape[vectorDim])), indices[vectorDim]);
  llvm::Value *address = b.CreateGEP(lanes.memoryType(element), each.lines, index);
  return Lanes::vector(loadContiguous(element, address, nullptr));
}

} // namespace nereid::backend::cpu
