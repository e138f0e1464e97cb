// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions in three steps: the registers of a thread, the lanes of a warp by shuffles, the warps
// through shared memory. Afterwards all threads that held a part hold the result.
#include "backend/llvm/Combine.h"
#include "backend/nvptx/KernelEmitter.h"
#include "backend/nvptx/Shuffle.h"
#include "support/Check.h"

using namespace mlir;

namespace nereid::backend::nvptx {

namespace {

/// One partial result of n tiles, and whether any element is in it yet; null if surely.
struct Partial {
  Combiner::Values values;
  llvm::Value *isThere = nullptr;
};

class Reduction {
public:
  Reduction(Builder &builder, Combiner combine) : b(builder), combine(std::move(combine)) {}

  Partial operator()(const Partial &a, const Partial &c) {
    Partial result{combine(a.values, c.values), nullptr};
    if (!a.isThere && !c.isThere)
      return result;
    auto isThere = [&](const Partial &p) { return p.isThere ? p.isThere : b.getTrue(); };
    for (auto [value, fromA, fromC] : llvm::zip(result.values, a.values, c.values))
      value = b.CreateSelect(isThere(c), b.CreateSelect(isThere(a), value, fromC), fromA);
    result.isThere = b.CreateOr(isThere(a), isThere(c));
    return result;
  }
  /// With the partial result of the lane whose number differs in `laneBit`.
  Partial acrossLanes(const Partial &mine, unsigned laneBit) {
    Partial other;
    for (llvm::Value *value : mine.values)
      other.values.push_back(shuffleXor(b, value, 1u << laneBit));
    if (mine.isThere)
      other.isThere = shuffleXor(b, mine.isThere, 1u << laneBit);
    // Both lanes combine in the same order, so that both get the same result.
    return (*this)(mine, other);
  }

private:
  Builder &b;
  Combiner combine;
};

/// The bits of one space that step along `axis`, and those that step along others.
struct SplitBits {
  llvm::SmallVector<unsigned> along;
  unsigned others = 0; // mask of the bits that tell results apart
};

SplitBits splitBits(const layout::LinearLayout &layout, const char *space, unsigned axis) {
  SplitBits split;
  for (auto [bit, basis] : llvm::enumerate(layout.bases(space))) {
    layout::Coordinates at = layout::unpack(layout.outputs(), basis);
    bool isAlong = at[axis] != 0;
    at[axis] = 0;
    bool isAcross = llvm::any_of(at, [](uint64_t c) { return c != 0; });
    NEREID_CHECK(!isAlong || !isAcross, "a thread's bit steps along two dimensions");
    if (isAlong)
      split.along.push_back(bit);
    else if (isAcross)
      split.others |= 1u << bit;
  }
  return split;
}

/// The bits of `number` that `mask` names, side by side.
llvm::Value *gatherBits(Builder &b, llvm::Value *number, unsigned mask) {
  llvm::Value *result = b.getInt32(0);
  unsigned place = 0;
  for (unsigned bit = 0; bit < 32; ++bit)
    if (mask & (1u << bit))
      result = b.CreateOr(result, b.CreateShl(b.CreateAnd(b.CreateLShr(number, bit), 1), place++));
  return result;
}

} // namespace

void KernelEmitter::emitReduce(tile::ReduceOp op) {
  Type sourceType = op.getSources()[0].getType();
  const layout::LinearLayout &layout = nv::layoutOf(sourceType);
  unsigned axis = op.getAxis();
  Reduction reduce(
      b, Combiner(lanes, op.getCombine().front(), [&](Value value) { return scalar(value); }));

  // Registers: those that differ along the axis alone belong to one result.
  Type resultType = op.getResult(0).getType();
  unsigned resultCount = registerCount(resultType);
  layout::Spaces resultSpaces;
  llvm::DenseMap<layout::Vector, unsigned> resultOf;
  if (tile::isTile(resultType)) {
    resultSpaces = nv::layoutOf(resultType).outputs();
    for (unsigned r = 0; r < resultCount; ++r)
      resultOf[nv::layoutOf(resultType)(r)] = r;
  } else {
    resultOf[0] = 0;
  }
  llvm::SmallVector<std::optional<Partial>> partials(resultCount);
  bool axisHasGhosts = !std::has_single_bit(uint64_t(tile::shapeOf(sourceType)[axis]));
  for (unsigned r = 0; r < registerCount(sourceType); ++r) {
    Partial element;
    for (Value source : op.getSources())
      element.values.push_back(registersOf(source)[r]);
    if (axisHasGhosts)
      element.isThere = b.CreateICmpULT(threads.coordinate(layout, axis, r),
                                        b.getInt32(tile::shapeOf(sourceType)[axis]));
    layout::Coordinates at = layout::unpack(layout.outputs(), layout(r));
    at.erase(at.begin() + axis);
    std::optional<Partial> &partial = partials[resultOf.at(layout::pack(resultSpaces, at))];
    partial = partial ? reduce(*partial, element) : element;
  }

  SplitBits laneBits = splitBits(layout, layout::Lane, axis);
  SplitBits warpBits = splitBits(layout, layout::Warp, axis);
  for (std::optional<Partial> &partial : partials)
    for (unsigned bit : laneBits.along)
      partial = reduce.acrossLanes(*partial, bit);

  if (!warpBits.along.empty()) {
    // One slot for each warp and lane that holds another result, of 8 bytes for each value.
    unsigned warpCount = 1u << layout.bases(layout::Warp).size();
    unsigned laneCount = 1u << std::popcount(laneBits.others);
    unsigned valueCount = op.getSources().size() + (axisHasGhosts ? 1 : 0);
    uint64_t rowBytes = uint64_t(warpCount) * laneCount * 8;
    llvm::Value *base = scratch.beginWriting(rowBytes * valueCount * resultCount);
    llvm::Value *laneSlot = gatherBits(b, threads.lane(), laneBits.others);
    auto address = [&](unsigned result, unsigned value, llvm::Value *warp) {
      llvm::Value *slot = b.CreateAdd(b.CreateMul(warp, b.getInt32(laneCount)), laneSlot);
      llvm::Value *offset =
          b.CreateAdd(b.CreateShl(slot, 3), b.getInt32((result * valueCount + value) * rowBytes));
      return scratch.pointer(b.CreateAdd(base, offset));
    };
    for (auto [result, partial] : llvm::enumerate(partials)) {
      for (auto [i, value] : llvm::enumerate(partial->values))
        b.CreateStore(value, address(result, i, threads.warp()));
      if (partial->isThere)
        b.CreateStore(partial->isThere, address(result, valueCount - 1, threads.warp()));
    }
    scratch.beginReading();
    unsigned alongMask = 0;
    for (unsigned bit : warpBits.along)
      alongMask |= 1u << bit;
    llvm::Value *firstWarp = b.CreateAnd(threads.warp(), ~alongMask);
    for (auto [result, partial] : llvm::enumerate(partials)) {
      std::optional<Partial> sum;
      for (unsigned warp = 0; warp < warpCount; ++warp) {
        if (warp & ~alongMask)
          continue;
        llvm::Value *from = b.CreateOr(firstWarp, warp);
        Partial part;
        for (auto [i, value] : llvm::enumerate(partial->values))
          part.values.push_back(b.CreateLoad(value->getType(), address(result, i, from)));
        if (partial->isThere)
          part.isThere = b.CreateLoad(b.getInt1Ty(), address(result, valueCount - 1, from));
        sum = sum ? reduce(*sum, part) : part;
      }
      partial = sum;
    }
  }

  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    Registers registers;
    for (const std::optional<Partial> &partial : partials)
      registers.push_back(partial->values[i]);
    values[result] = std::move(registers);
  }
}

} // namespace nereid::backend::nvptx
