// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans, one bit of the coordinate along the axis after the other, from the lowest: at step k runs
// of 2^k elements are scanned, and every second of them takes in the last element of the run before
// it. Whose bit it is, a register's, a lane's or a warp's, says how that element comes: it is at
// hand, or by a shuffle, or through shared memory. (Sklansky 1960, "Conditional-Sum Addition
// Logic".) A scan from the end is the same with the coordinates' bits inverted.
#include "backend/gpu/emit/Emit.h"
#include "backend/llvm/Combine.h"
#include "support/Check.h"

using namespace mlir;

namespace nereid::backend::gpu {

namespace {

using Values = Combiner::Values;

/// Bits of a place: masks of register numbers, lanes and warps.
struct PlaceBits {
  unsigned registers = 0, lanes = 0, warps = 0;

  void add(const PlaceBits &other) {
    registers |= other.registers;
    lanes |= other.lanes;
    warps |= other.warps;
  }
};

/// For each bit of the coordinate along the axis, the bit of the place that it is.
llvm::SmallVector<PlaceBits> bitsAlong(const layout::LinearLayout &layout, unsigned axis) {
  llvm::SmallVector<PlaceBits> result(layout.outputs()[axis].bits);
  const std::pair<const char *, unsigned PlaceBits::*> spaces[] = {
      {layout::Warp, &PlaceBits::warps},
      {layout::Lane, &PlaceBits::lanes},
      {layout::Register, &PlaceBits::registers}};
  for (auto [space, mask] : spaces)
    for (auto [bit, basis] : llvm::enumerate(layout.bases(space))) {
      uint64_t step = layout::unpack(layout.outputs(), basis)[axis];
      if (!step)
        continue;
      NEREID_CHECK(std::has_single_bit(basis), "a thread's bit steps along two dimensions");
      PlaceBits &place = result[std::countr_zero(step)];
      place = {};
      place.*mask = 1u << bit;
    }
  return result;
}

uint64_t bytesOf(llvm::Type *type) {
  return type->isPointerTy() ? 8 : llvm::divideCeil(type->getScalarSizeInBits(), 8);
}

class Scan {
public:
  Scan(Builder &b, Threads &threads, SharedStack &shared, Combiner combine,
       const layout::LinearLayout &layout, unsigned axis, int64_t size, bool isReverse)
      : b(b), threads(threads), shared(shared), combine(std::move(combine)), layout(layout),
        axis(axis), size(size), isReverse(isReverse) {}

  /// `elements[r]` is what register r holds of each tile.
  void run(llvm::MutableArrayRef<Values> elements) {
    PlaceBits lower;
    for (auto [k, own] : llvm::enumerate(bitsAlong(layout, axis))) {
      step(elements, k, own, lower);
      lower.add(own);
    }
  }

private:
  void step(llvm::MutableArrayRef<Values> elements, unsigned k, const PlaceBits &own,
            const PlaceBits &lower) {
    llvm::SmallVector<std::pair<unsigned, unsigned>> takers; // register, and the one it takes from
    llvm::SetVector<unsigned> given;
    for (unsigned r = 0; r < elements.size(); ++r) {
      bool isSet = r & own.registers;
      if (own.registers && isSet == isReverse)
        continue;
      takers.emplace_back(r, giver(r, own.registers, lower.registers));
      given.insert(takers.back().second);
    }
    llvm::DenseMap<unsigned, Values> received = bring(elements, given.getArrayRef(), own, lower);
    for (auto [r, from] : takers) {
      Values combined = combine(received[from], elements[r]);
      llvm::Value *takes = isTaker(r, k, own);
      for (auto [value, wider] : llvm::zip(elements[r], combined))
        value = takes ? b.CreateSelect(takes, wider, value) : wider;
    }
  }

  /// The part of the last place of the run before, from the part of a place in the run after it.
  unsigned giver(unsigned place, unsigned own, unsigned lower) const {
    return isReverse ? (place & ~lower) | own : (place & ~own) | lower;
  }
  llvm::Value *giver(llvm::Value *place, unsigned own, unsigned lower) {
    return isReverse ? b.CreateOr(b.CreateAnd(place, ~lower), own)
                     : b.CreateOr(b.CreateAnd(place, ~own), lower);
  }

  /// Whether this thread's element in the register takes in another; null if every thread's does.
  llvm::Value *isTaker(unsigned r, unsigned k, const PlaceBits &own) {
    llvm::Value *condition = nullptr;
    auto require = [&](llvm::Value *next) {
      condition = condition ? b.CreateAnd(condition, next) : next;
    };
    auto requireSide = [&](llvm::Value *number, unsigned mask) {
      llvm::Value *side = b.CreateAnd(number, mask);
      require(isReverse ? b.CreateICmpEQ(side, b.getInt32(0))
                        : b.CreateICmpNE(side, b.getInt32(0)));
    };
    if (own.lanes)
      requireSide(threads.lane(), own.lanes);
    if (own.warps)
      requireSide(threads.warp(), own.warps);
    // From the end, the run before may lie beyond the tile.
    if (isReverse && !std::has_single_bit(uint64_t(size))) {
      unsigned bit = 1u << k;
      llvm::Value *at = b.CreateOr(threads.coordinate(layout, axis, r), bit);
      require(b.CreateICmpULT(b.CreateAnd(at, ~(bit - 1)), b.getInt32(size)));
    }
    return condition;
  }

  /// What the places that `from` names hold in these registers, for each thread.
  llvm::DenseMap<unsigned, Values> bring(llvm::ArrayRef<Values> elements,
                                         llvm::ArrayRef<unsigned> registers, const PlaceBits &own,
                                         const PlaceBits &lower) {
    if (own.warps || lower.warps)
      return bringAcrossWarps(elements, registers, own, lower);
    llvm::DenseMap<unsigned, Values> result;
    llvm::Value *lane = nullptr;
    if (own.lanes || lower.lanes)
      lane = giver(threads.lane(), own.lanes, lower.lanes);
    for (unsigned r : registers)
      for (llvm::Value *value : elements[r])
        result[r].push_back(lane ? threads.shuffleFrom(value, lane) : value);
    return result;
  }

  /// The lanes that others take from write slots of their own.
  llvm::DenseMap<unsigned, Values> bringAcrossWarps(llvm::ArrayRef<Values> elements,
                                                    llvm::ArrayRef<unsigned> registers,
                                                    const PlaceBits &own, const PlaceBits &lower) {
    unsigned fixed = lower.lanes | own.lanes, count = elements[0].size();
    uint64_t slots = uint64_t(threads.warpCount())
                     << (threads.laneBitCount() - std::popcount(fixed));
    uint64_t slotBytes = 1;
    for (llvm::Value *value : elements[0])
      slotBytes = std::max(slotBytes, bytesOf(value->getType()));
    llvm::Value *base = shared.beginWriting(slots * registers.size() * count * slotBytes);
    llvm::Value *laneSlot =
        bitsSideBySide(b, threads.lane(), ~fixed & ((1u << threads.laneBitCount()) - 1));
    auto address = [&](llvm::Value *warp, unsigned number) {
      llvm::Value *row = b.CreateShl(warp, threads.laneBitCount() - std::popcount(fixed));
      llvm::Value *slot = b.CreateAdd(b.CreateAdd(row, laneSlot), b.getInt32(number * slots));
      return b.CreateAdd(base, b.CreateMul(slot, b.getInt32(slotBytes)));
    };
    unsigned givers = giver(isReverse ? fixed : 0, own.lanes, lower.lanes) & fixed;
    llvm::Value *isGiver =
        fixed ? b.CreateICmpEQ(b.CreateAnd(threads.lane(), fixed), b.getInt32(givers)) : nullptr;
    for (auto [i, r] : llvm::enumerate(registers))
      for (auto [j, value] : llvm::enumerate(elements[r]))
        shared.store(value, address(threads.warp(), i * count + j), isGiver);
    shared.beginReading();
    llvm::Value *warp = giver(threads.warp(), own.warps, lower.warps);
    llvm::DenseMap<unsigned, Values> result;
    shared.countAccesses(registers.size() * count);
    for (auto [i, r] : llvm::enumerate(registers))
      for (auto [j, value] : llvm::enumerate(elements[r]))
        result[r].push_back(
            b.CreateLoad(value->getType(), shared.pointer(address(warp, i * count + j))));
    return result;
  }

  Builder &b;
  Threads &threads;
  SharedStack &shared;
  Combiner combine;
  const layout::LinearLayout &layout;
  unsigned axis;
  int64_t size;
  bool isReverse;
};

} // namespace

void emitScan(EmitContext &c, tile::ScanOp op) {
  Type type = op.getSources()[0].getType();
  llvm::SmallVector<Values> elements(registerCount(type));
  for (Value source : op.getSources())
    for (auto [element, value] : llvm::zip(elements, c.registersOf(source)))
      element.push_back(value);
  Combiner combine(c.lanes, op.getCombine().front(), [&](Value value) { return c.scalar(value); });
  Scan(c.b, c.threads, c.shared, std::move(combine), nv::layoutOf(type), op.getAxis(),
       tile::shapeOf(type)[op.getAxis()], op.getReverse())
      .run(elements);
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    Registers registers;
    for (const Values &element : elements)
      registers.push_back(element[i]);
    c.values[result] = std::move(registers);
  }
}

} // namespace nereid::backend::gpu
