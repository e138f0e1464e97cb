// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles that lie row-major in shared memory for a moment, where every thread finds every element:
// gathers that leave their warp (others are shuffles), and reshapes that padding makes more than a
// new view. Histograms count there.
#include "analysis/Exchanges.h"
#include "backend/gpu/emit/TileEmitter.h"

#include <bit>

using namespace mlir;

namespace nereid::backend::gpu {

llvm::Value *TileEmitter::elementNumber(Type tile, llvm::ArrayRef<llvm::Value *> at) {
  llvm::Value *number = b.getInt32(0);
  for (auto [size, index] : llvm::zip(tile::shapeOf(tile), at))
    number = b.CreateAdd(b.CreateMul(number, b.getInt32(size)), index);
  return number;
}

llvm::SmallVector<llvm::Value *, 4> TileEmitter::coordinatesOf(Type tile, unsigned reg) {
  llvm::SmallVector<llvm::Value *, 4> at;
  for (unsigned dim = 0; dim < tile::shapeOf(tile).size(); ++dim)
    at.push_back(threads.coordinate(nv::layoutOf(tile), dim, reg));
  return at;
}

llvm::Value *TileEmitter::placeInShared(Value tile) {
  Type type = tile.getType(), element = tile::elementOf(type);
  uint64_t bytes = tile::byteSizeOf(element);
  llvm::Value *base = shared.beginWriting(bytes * tile::elementCount(type));
  llvm::Value *isActing = threads.isFirstHolder(nv::layoutOf(type));
  for (auto [r, value] : llvm::enumerate(registersOf(tile))) {
    llvm::Value *predicate = isInside(type, r);
    if (isActing)
      predicate = predicate ? b.CreateAnd(predicate, isActing) : isActing;
    llvm::Value *number = elementNumber(type, coordinatesOf(type, r));
    shared.store(lanes.toMemory(value, element),
                 b.CreateAdd(base, b.CreateMul(number, b.getInt32(bytes))), predicate);
  }
  shared.beginReading();
  return base;
}

llvm::Value *TileEmitter::readShared(llvm::Value *base, llvm::Value *number, Type element) {
  uint64_t bytes = tile::byteSizeOf(element);
  shared.countAccesses(1); // if no two lanes meet in a bank, which only values tell
  llvm::Value *at = b.CreateAdd(base, b.CreateMul(number, b.getInt32(bytes)));
  llvm::Value *value =
      b.CreateAlignedLoad(lanes.memoryType(element), shared.pointer(at), llvm::Align(bytes));
  return lanes.fromMemory(value, element);
}

/// Bits of the index that say in which register of its lane an element is: each doubles the
/// shuffles.
static unsigned registerChoices(const layout::GatherPlan &plan) {
  unsigned mask = 0;
  for (auto [bit, reg] : llvm::enumerate(plan.registerOfIndex))
    mask |= reg ? 1u << bit : 0;
  return mask;
}

llvm::Value *TileEmitter::shuffleAt(const layout::GatherPlan &plan, const Registers &source,
                                      unsigned reg, llvm::Value *index) {
  llvm::Value *lane = threads.applyWith(plan.lane, plan.laneXor[reg]);
  if (llvm::Value *along = threads.linear(index, plan.laneOfIndex))
    lane = b.CreateXor(lane, along);
  unsigned choices = registerChoices(plan);
  llvm::Value *choice = bitsSideBySide(b, index, choices), *result = nullptr;
  for (unsigned i = 0; i < 1u << std::popcount(choices); ++i) {
    unsigned from = plan.registers[reg];
    for (unsigned bit = 0, place = 0; bit < plan.registerOfIndex.size(); ++bit)
      if (choices >> bit & 1 && i >> place++ & 1)
        from ^= plan.registerOfIndex[bit];
    llvm::Value *moved = threads.shuffleFrom(source[from], lane);
    result = result ? b.CreateSelect(b.CreateICmpEQ(choice, b.getInt32(i)), moved, result) : moved;
  }
  return result;
}

/// Where the elements are whose places differ from a thread's own by a mask, which is known: XOR of
/// register, lane and warp.
bool TileEmitter::emitExchange(tile::GatherOp op) {
  std::optional<int64_t> mask = analysis::constantExchangeMask(op);
  const layout::LinearLayout &layout = nv::layoutOf(op.getType());
  if (!mask || nv::layoutOf(op.getSource()) != layout)
    return false;
  layout::Coordinates at(layout.outputs().size(), 0);
  at[op.getAxis()] = *mask;
  const layout::Vector place = layout.pseudoInverse()(layout::pack(layout.outputs(), at));
  const unsigned registerBits = unsigned(layout.bases(layout::Register).size());
  const unsigned reg = place & ((1u << registerBits) - 1);
  const unsigned lane = place >> registerBits & ((1u << threads.laneBitCount()) - 1);
  const unsigned warp = place >> (registerBits + threads.laneBitCount());
  const Registers &source = registersOf(op.getSource());
  Registers result;
  if (warp) {
    result = exchangeBetweenWarps(source, tile::elementOf(op.getType()), reg,
                                  warp << threads.laneBitCount() | lane);
  } else {
    for (unsigned r = 0; r < source.size(); ++r)
      result.push_back(lane ? threads.shuffleXor(source[r ^ reg], lane) : source[r ^ reg]);
    threads.countShuffles(lane ? source.size() : 0);
  }
  values[op.getResult()] = std::move(result);
  return true;
}

/// Each thread leaves its registers in a column of its own, and reads its partner's.
Registers TileEmitter::exchangeBetweenWarps(const Registers &source, Type element, unsigned reg,
                                              unsigned thread) {
  const uint64_t bytes = tile::byteSizeOf(element),
                 row = bytes * threads.count();
  llvm::Value *base = shared.beginWriting(row * source.size());
  auto columnOf = [&](llvm::Value *number) {
    return b.CreateAdd(base, b.CreateMul(number, b.getInt32(bytes)));
  };
  llvm::Value *own = columnOf(threads.thread());
  for (auto [r, value] : llvm::enumerate(source))
    shared.store(lanes.toMemory(value, element), b.CreateAdd(own, b.getInt32(row * r)), nullptr);
  shared.beginReading();
  shared.countAccesses(source.size());
  llvm::Value *partner = columnOf(b.CreateXor(threads.thread(), b.getInt32(thread)));
  Registers result;
  for (unsigned r = 0; r < source.size(); ++r) {
    llvm::Value *at = b.CreateAdd(partner, b.getInt32(row * (r ^ reg)));
    llvm::Value *value =
        b.CreateAlignedLoad(lanes.memoryType(element), shared.pointer(at), llvm::Align(bytes));
    result.push_back(lanes.fromMemory(value, element));
  }
  return result;
}

void TileEmitter::emitGather(tile::GatherOp op) {
  if (emitExchange(op))
    return;
  Type source = op.getSource().getType(), type = op.getType(), element = tile::elementOf(type);
  unsigned axis = op.getAxis();
  constexpr int mostChoiceBits = 2;
  std::optional<layout::GatherPlan> plan =
      layout::planGather(nv::layoutOf(source), nv::layoutOf(type), axis);
  if (plan && std::popcount(registerChoices(*plan)) > mostChoiceBits)
    plan.reset();
  llvm::Value *base = plan ? nullptr : placeInShared(op.getSource());
  Registers result;
  for (auto [r, index] : llvm::enumerate(registersOf(op.getIndices()))) {
    auto *size = llvm::ConstantInt::get(index->getType(), tile::shapeOf(source)[axis]);
    llvm::Value *isThere = b.CreateICmpULT(index, size);
    // A ghost's place may lie beyond the source.
    if (llvm::Value *inside = isInside(type, r))
      isThere = b.CreateAnd(isThere, inside);
    llvm::Value *narrow = b.CreateTrunc(index, b.getInt32Ty());
    if (plan) {
      llvm::Value *value = shuffleAt(*plan, registersOf(op.getSource()), r, narrow);
      result.push_back(b.CreateSelect(isThere, value, lanes.zero(element, 1)));
      continue;
    }
    llvm::SmallVector<llvm::Value *, 4> at = coordinatesOf(type, r);
    at[axis] = narrow;
    llvm::Value *number = b.CreateSelect(isThere, elementNumber(source, at), b.getInt32(0));
    result.push_back(
        b.CreateSelect(isThere, readShared(base, number, element), lanes.zero(element, 1)));
  }
  values[op.getResult()] = std::move(result);
}

void TileEmitter::emitReshapeInShared(tile::ReshapeOp op) {
  Type type = op.getType(), element = tile::elementOf(type);
  llvm::Value *base = placeInShared(op.getSource());
  Registers result;
  for (unsigned r = 0; r < registerCount(type); ++r) {
    llvm::Value *number = elementNumber(type, coordinatesOf(type, r));
    if (llvm::Value *inside = isInside(type, r))
      number = b.CreateSelect(inside, number, b.getInt32(0));
    result.push_back(readShared(base, number, element));
  }
  values[op.getResult()] = std::move(result);
}

void TileEmitter::emitHistogram(tile::HistogramOp op) {
  Type type = op.getType(), source = op.getSource().getType();
  const layout::LinearLayout &layout = nv::layoutOf(source);
  uint64_t bins = tile::elementCount(type), threadCount = threads.count();
  constexpr uint64_t bytes = 4;
  llvm::Value *base = shared.beginWriting(bins * bytes);
  auto place = [&](llvm::Value *bin) {
    return b.CreateAdd(base, b.CreateMul(bin, b.getInt32(bytes)));
  };
  for (uint64_t first = 0; first < bins; first += threadCount) {
    llvm::Value *bin = b.CreateAdd(threads.thread(), b.getInt32(first));
    bool isWhole = first + threadCount <= bins;
    shared.store(b.getInt32(0), place(bin),
                 isWhole ? nullptr : b.CreateICmpULT(bin, b.getInt32(bins)));
  }
  shared.beginReading(); // the zeros are there, to be counted up
  llvm::Value *isActing = threads.isFirstHolder(layout);
  for (auto [r, value] : llvm::enumerate(registersOf(op.getSource()))) {
    llvm::Value *isCounted = b.CreateICmpULT(value, llvm::ConstantInt::get(value->getType(), bins));
    for (llvm::Value *condition :
         {isActing, op.getMask() ? registersOf(op.getMask())[r] : nullptr, isInside(source, r)})
      if (condition)
        isCounted = b.CreateAnd(isCounted, condition);
    shared.addOne(place(b.CreateTrunc(value, b.getInt32Ty())), isCounted);
  }
  shared.beginReading();
  Registers result;
  for (unsigned r = 0; r < registerCount(type); ++r) {
    llvm::Value *bin = threads.coordinate(nv::layoutOf(type), 0, r);
    if (llvm::Value *inside = isInside(type, r))
      bin = b.CreateSelect(inside, bin, b.getInt32(0));
    result.push_back(readShared(base, bin, tile::elementOf(type)));
  }
  values[op.getResult()] = std::move(result);
}

} // namespace nereid::backend::gpu
