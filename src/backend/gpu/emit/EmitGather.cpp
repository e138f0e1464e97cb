// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles that lie row-major in shared memory for a moment, where every thread finds every element:
// gathers that leave their warp (others are shuffles), and reshapes that padding makes more than a
// new view. Histograms count there.
#include "analysis/Exchanges.h"
#include "backend/gpu/emit/Emit.h"
#include "layout/Gather.h"

#include <bit>

using namespace mlir;

namespace nereid::backend::gpu {

static Registers exchangeBetweenWarps(EmitContext &c, const Registers &source, Type element,
                                      unsigned reg, unsigned thread);

llvm::Value *elementNumber(EmitContext &c, Type tile, llvm::ArrayRef<llvm::Value *> at) {
  llvm::Value *number = c.b.getInt32(0);
  for (auto [size, index] : llvm::zip(tile::shapeOf(tile), at))
    number = c.b.CreateAdd(c.b.CreateMul(number, c.b.getInt32(size)), index);
  return number;
}

llvm::SmallVector<llvm::Value *, 4> coordinatesOf(EmitContext &c, Type tile, unsigned reg) {
  llvm::SmallVector<llvm::Value *, 4> at;
  for (unsigned dim = 0; dim < tile::shapeOf(tile).size(); ++dim)
    at.push_back(c.threads.coordinate(nv::layoutOf(tile), dim, reg));
  return at;
}

static llvm::Value *placeInShared(EmitContext &c, Value tile) {
  Type type = tile.getType(), element = tile::elementOf(type);
  uint64_t bytes = tile::byteSizeOf(element);
  llvm::Value *base = c.shared.beginWriting(bytes * tile::elementCount(type));
  llvm::Value *isActing = c.threads.isFirstHolder(nv::layoutOf(type));
  for (auto [r, value] : llvm::enumerate(c.registersOf(tile))) {
    llvm::Value *predicate = isInside(c, type, r);
    if (isActing)
      predicate = predicate ? c.b.CreateAnd(predicate, isActing) : isActing;
    llvm::Value *number = elementNumber(c, type, coordinatesOf(c, type, r));
    c.shared.store(c.lanes.toMemory(value, element),
                   c.b.CreateAdd(base, c.b.CreateMul(number, c.b.getInt32(bytes))), predicate);
  }
  c.shared.beginReading();
  return base;
}

static llvm::Value *readShared(EmitContext &c, llvm::Value *base, llvm::Value *number,
                               Type element) {
  uint64_t bytes = tile::byteSizeOf(element);
  c.shared.countAccesses(1); // if no two lanes meet in a bank, which only values tell
  llvm::Value *at = c.b.CreateAdd(base, c.b.CreateMul(number, c.b.getInt32(bytes)));
  llvm::Value *value =
      c.b.CreateAlignedLoad(c.lanes.memoryType(element), c.shared.pointer(at), llvm::Align(bytes));
  return c.lanes.fromMemory(value, element);
}

/// Bits of the index that say in which register of its lane an element is: each doubles the
/// shuffles.
static unsigned registerChoices(const layout::GatherPlan &plan) {
  unsigned mask = 0;
  for (auto [bit, reg] : llvm::enumerate(plan.registerOfIndex))
    mask |= reg ? 1u << bit : 0;
  return mask;
}

static llvm::Value *shuffleAt(EmitContext &c, const layout::GatherPlan &plan,
                              const Registers &source, unsigned reg, llvm::Value *index) {
  llvm::Value *lane = c.threads.applyWith(plan.lane, plan.laneXor[reg]);
  if (llvm::Value *along = c.threads.linear(index, plan.laneOfIndex))
    lane = c.b.CreateXor(lane, along);
  unsigned choices = registerChoices(plan);
  llvm::Value *choice = bitsSideBySide(c.b, index, choices), *result = nullptr;
  for (unsigned i = 0; i < 1u << std::popcount(choices); ++i) {
    unsigned from = plan.registers[reg];
    for (unsigned bit = 0, place = 0; bit < plan.registerOfIndex.size(); ++bit)
      if (choices >> bit & 1 && i >> place++ & 1)
        from ^= plan.registerOfIndex[bit];
    llvm::Value *moved = c.threads.shuffleFrom(source[from], lane);
    result =
        result ? c.b.CreateSelect(c.b.CreateICmpEQ(choice, c.b.getInt32(i)), moved, result) : moved;
  }
  return result;
}

/// Where the elements are whose places differ from a thread's own by a mask, which is known: XOR of
/// register, lane and warp.
static bool emitExchange(EmitContext &c, tile::GatherOp op) {
  std::optional<int64_t> mask = analysis::constantExchangeMask(op);
  const layout::LinearLayout &layout = nv::layoutOf(op.getType());
  if (!mask || nv::layoutOf(op.getSource()) != layout)
    return false;
  layout::Coordinates at(layout.outputs().size(), 0);
  at[op.getAxis()] = *mask;
  const layout::Vector place = layout.pseudoInverse()(layout::pack(layout.outputs(), at));
  const unsigned registerBits = unsigned(layout.bases(layout::Register).size());
  const unsigned reg = place & ((1u << registerBits) - 1);
  const unsigned lane = place >> registerBits & ((1u << c.threads.laneBitCount()) - 1);
  const unsigned warp = place >> (registerBits + c.threads.laneBitCount());
  const Registers &source = c.registersOf(op.getSource());
  Registers result;
  if (warp) {
    result = exchangeBetweenWarps(c, source, tile::elementOf(op.getType()), reg,
                                  warp << c.threads.laneBitCount() | lane);
  } else {
    for (unsigned r = 0; r < source.size(); ++r)
      result.push_back(lane ? c.threads.shuffleXor(source[r ^ reg], lane) : source[r ^ reg]);
    c.threads.countShuffles(lane ? source.size() : 0);
  }
  c.values[op.getResult()] = std::move(result);
  return true;
}

/// Each thread leaves its registers in a column of its own, and reads its partner's.
static Registers exchangeBetweenWarps(EmitContext &c, const Registers &source, Type element,
                                      unsigned reg, unsigned thread) {
  const uint64_t bytes = tile::byteSizeOf(element), row = bytes * c.threads.count();
  llvm::Value *base = c.shared.beginWriting(row * source.size());
  auto columnOf = [&](llvm::Value *number) {
    return c.b.CreateAdd(base, c.b.CreateMul(number, c.b.getInt32(bytes)));
  };
  llvm::Value *own = columnOf(c.threads.thread());
  for (auto [r, value] : llvm::enumerate(source))
    c.shared.store(c.lanes.toMemory(value, element), c.b.CreateAdd(own, c.b.getInt32(row * r)),
                   nullptr);
  c.shared.beginReading();
  c.shared.countAccesses(source.size());
  llvm::Value *partner = columnOf(c.b.CreateXor(c.threads.thread(), c.b.getInt32(thread)));
  Registers result;
  for (unsigned r = 0; r < source.size(); ++r) {
    llvm::Value *at = c.b.CreateAdd(partner, c.b.getInt32(row * (r ^ reg)));
    llvm::Value *value = c.b.CreateAlignedLoad(c.lanes.memoryType(element), c.shared.pointer(at),
                                               llvm::Align(bytes));
    result.push_back(c.lanes.fromMemory(value, element));
  }
  return result;
}

void emitGather(EmitContext &c, tile::GatherOp op) {
  if (emitExchange(c, op))
    return;
  Type source = op.getSource().getType(), type = op.getType(), element = tile::elementOf(type);
  unsigned axis = op.getAxis();
  std::optional<layout::GatherPlan> plan =
      layout::planGather(nv::layoutOf(source), nv::layoutOf(type), axis);
  if (plan && std::popcount(registerChoices(*plan)) > static_cast<int>(c.policy.choice_bits))
    plan.reset();
  llvm::Value *base = plan ? nullptr : placeInShared(c, op.getSource());
  Registers result;
  for (auto [r, index] : llvm::enumerate(c.registersOf(op.getIndices()))) {
    auto *size = llvm::ConstantInt::get(index->getType(), tile::shapeOf(source)[axis]);
    llvm::Value *isThere = c.b.CreateICmpULT(index, size);
    // A ghost's place may lie beyond the source.
    if (llvm::Value *inside = isInside(c, type, r))
      isThere = c.b.CreateAnd(isThere, inside);
    llvm::Value *narrow = c.b.CreateTrunc(index, c.b.getInt32Ty());
    if (plan) {
      llvm::Value *value = shuffleAt(c, *plan, c.registersOf(op.getSource()), r, narrow);
      result.push_back(c.b.CreateSelect(isThere, value, c.lanes.zero(element, 1)));
      continue;
    }
    llvm::SmallVector<llvm::Value *, 4> at = coordinatesOf(c, type, r);
    at[axis] = narrow;
    llvm::Value *number = c.b.CreateSelect(isThere, elementNumber(c, source, at), c.b.getInt32(0));
    result.push_back(
        c.b.CreateSelect(isThere, readShared(c, base, number, element), c.lanes.zero(element, 1)));
  }
  c.values[op.getResult()] = std::move(result);
}

void emitReshapeInShared(EmitContext &c, tile::ReshapeOp op) {
  Type type = op.getType(), element = tile::elementOf(type);
  llvm::Value *base = placeInShared(c, op.getSource());
  Registers result;
  for (unsigned r = 0; r < registerCount(type); ++r) {
    llvm::Value *number = elementNumber(c, type, coordinatesOf(c, type, r));
    if (llvm::Value *inside = isInside(c, type, r))
      number = c.b.CreateSelect(inside, number, c.b.getInt32(0));
    result.push_back(readShared(c, base, number, element));
  }
  c.values[op.getResult()] = std::move(result);
}

void emitHistogram(EmitContext &c, tile::HistogramOp op) {
  Type type = op.getType(), source = op.getSource().getType();
  const layout::LinearLayout &layout = nv::layoutOf(source);
  uint64_t bins = tile::elementCount(type), threadCount = c.threads.count();
  constexpr uint64_t bytes = 4;
  llvm::Value *base = c.shared.beginWriting(bins * bytes);
  auto place = [&](llvm::Value *bin) {
    return c.b.CreateAdd(base, c.b.CreateMul(bin, c.b.getInt32(bytes)));
  };
  for (uint64_t first = 0; first < bins; first += threadCount) {
    llvm::Value *bin = c.b.CreateAdd(c.threads.thread(), c.b.getInt32(first));
    bool isWhole = first + threadCount <= bins;
    c.shared.store(c.b.getInt32(0), place(bin),
                   isWhole ? nullptr : c.b.CreateICmpULT(bin, c.b.getInt32(bins)));
  }
  c.shared.beginReading(); // the zeros are there, to be counted up
  llvm::Value *isActing = c.threads.isFirstHolder(layout);
  for (auto [r, value] : llvm::enumerate(c.registersOf(op.getSource()))) {
    llvm::Value *isCounted =
        c.b.CreateICmpULT(value, llvm::ConstantInt::get(value->getType(), bins));
    for (llvm::Value *condition :
         {isActing, op.getMask() ? c.registersOf(op.getMask())[r] : nullptr,
          isInside(c, source, r)})
      if (condition)
        isCounted = c.b.CreateAnd(isCounted, condition);
    c.shared.addOne(place(c.b.CreateTrunc(value, c.b.getInt32Ty())), isCounted);
  }
  c.shared.beginReading();
  Registers result;
  for (unsigned r = 0; r < registerCount(type); ++r) {
    llvm::Value *bin = c.threads.coordinate(nv::layoutOf(type), 0, r);
    if (llvm::Value *inside = isInside(c, type, r))
      bin = c.b.CreateSelect(inside, bin, c.b.getInt32(0));
    result.push_back(readShared(c, base, bin, tile::elementOf(type)));
  }
  c.values[op.getResult()] = std::move(result);
}

} // namespace nereid::backend::gpu
