// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans, one bit of the coordinate along the axis after the other, from the lowest: at step k runs
// of 2^k elements are scanned, and every second of them takes in the last element of the run before
// it. Whose bit it is, a register's, a lane's or a warp's, says how that element comes: it is at
// hand, or by a shuffle, or through shared memory. (Sklansky 1960, "Conditional-Sum Addition
// Logic".) A scan from the end is the same with the coordinates' bits inverted. Steps across warps,
// and of registers behind them, share one way through shared memory if it does not read too much:
// each thread takes in the last elements of all warps' runs and combines them as the steps would.
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
  /// Where threads leave elements for other warps: for each number one of each warp and each lane
  /// whose run is another.
  struct Slots {
    llvm::Value *base = nullptr, *lane = nullptr;
    unsigned laneBits = 0;
    uint64_t ofNumber = 0, bytes = 1;
  };

public:
  Scan(Builder &b, Threads &threads, SharedStack &shared, const Policy &policy, Combiner combine,
       const layout::LinearLayout &layout, unsigned axis, int64_t size, bool isReverse)
      : b(b), threads(threads), shared(shared), policy(policy), combine(std::move(combine)),
        layout(layout), axis(axis), size(size), isReverse(isReverse) {}

  /// `elements[r]` is what register r holds of each tile.
  void run(llvm::MutableArrayRef<Values> elements) {
    PlaceBits lower;
    const llvm::SmallVector<PlaceBits> bits = bitsAlong(layout, axis);
    for (auto [k, own] : llvm::enumerate(bits)) {
      if (llvm::ArrayRef<PlaceBits> rest = llvm::ArrayRef(bits).drop_front(k);
          own.warps && mayShareOneWay(elements, rest, lower)) {
        stepsAcrossWarps(elements, k, rest, lower);
        return;
      }
      step(elements, k, own, lower);
      lower.add(own);
    }
  }

private:
  bool maySeeGhosts() const { return isReverse && !std::has_single_bit(uint64_t(size)); }

  /// The registers that hold the last elements of runs whose bits are these.
  llvm::SetVector<unsigned> lastRegisters(llvm::ArrayRef<Values> elements,
                                          const PlaceBits &lower) const {
    llvm::SetVector<unsigned> last;
    for (unsigned r = 0; r < elements.size(); ++r)
      last.insert(giver(r, 0, lower.registers));
    return last;
  }

  /// Whether the remaining bits are all warps' and then registers', and what a thread reads at once
  /// is no more than ways through shared memory cost one by one.
  bool mayShareOneWay(llvm::ArrayRef<Values> elements, llvm::ArrayRef<PlaceBits> rest,
                      const PlaceBits &lower) const {
    const size_t ofWarps =
        llvm::find_if(rest, [](const PlaceBits &own) { return !own.warps; }) - rest.begin();
    const size_t ofRegisters = rest.size() - ofWarps;
    if (rest.size() < 2 || lower.warps || maySeeGhosts() ||
        llvm::any_of(rest.drop_front(ofWarps), [](const PlaceBits &own) { return !own.registers; }))
      return false;
    const size_t runs = lastRegisters(elements, lower).size() * elements[0].size();
    const size_t before = ofWarps * runs + ofRegisters * runs / 2;
    const size_t most = size_t(1) << ofWarps, atOnce = runs * (most + most / 2 - 1);
    const size_t more = atOnce > before ? atOnce - before : 0;
    return more * threads.warpCount() <= (rest.size() - 1) * policy.exchange_wavefronts;
  }

  void stepsAcrossWarps(llvm::MutableArrayRef<Values> elements, unsigned k,
                        llvm::ArrayRef<PlaceBits> rest, PlaceBits lower) {
    const llvm::SetVector<unsigned> last = lastRegisters(elements, lower);
    const unsigned givers = isReverse ? 0 : lower.lanes;
    const Slots slots = give(elements, last.getArrayRef(), lower.lanes, givers);
    llvm::SmallVector<unsigned> warpBits; // masks
    const unsigned lowest = lower.registers;
    unsigned along = 0;
    for (; !rest.empty() && rest.front().warps; rest = rest.drop_front(), ++k) {
      const PlaceBits &own = rest.front();
      along |= own.warps;
      llvm::Value *before = b.CreateAnd(threads.warp(), ~along);
      if (isReverse)
        before = b.CreateOr(before, own.warps);
      llvm::DenseMap<unsigned, Values> received;
      for (unsigned r : last)
        received[r] = runOfWarps(elements, slots, last, r, before, warpBits);
      llvm::Value *takes = isTaker(0, k, own);
      for (auto [r, mine] : llvm::enumerate(elements)) {
        Values combined = combine(received[giver(r, 0, lowest)], mine);
        for (auto [value, wider] : llvm::zip(mine, combined))
          value = b.CreateSelect(takes, wider, value);
      }
      warpBits.push_back(own.warps);
      lower.add(own);
    }
    if (rest.empty())
      return;
    llvm::DenseMap<unsigned, Values> runs; // of all warps, by their last registers
    llvm::Value *first = b.CreateAnd(threads.warp(), ~along);
    for (unsigned r : last)
      runs[r] = runOfWarps(elements, slots, last, r, first, warpBits);
    for (const PlaceBits &own : rest) {
      auto takes = [&](unsigned r) { return bool(r & own.registers) != isReverse; };
      auto from = [&](unsigned r) { return giver(r, own.registers, lower.registers); };
      for (auto [r, mine] : llvm::enumerate(elements))
        if (takes(r))
          mine = combine(runs[from(r)], mine);
      for (unsigned r : last) // what is given is of the other side
        if (takes(r))
          runs[r] = combine(runs[from(r)], runs[r]);
      lower.add(own);
    }
  }

  /// The last element of the run of the warps that begins with one and differ in these bits, in the
  /// order in which steps make it.
  Values runOfWarps(llvm::ArrayRef<Values> elements, const Slots &slots,
                    const llvm::SetVector<unsigned> &last, unsigned r, llvm::Value *first,
                    llvm::ArrayRef<unsigned> warpBits) {
    if (warpBits.empty())
      return take(elements[r], slots, first, llvm::find(last, r) - last.begin());
    const unsigned bit = warpBits.back();
    auto half = [&](llvm::Value *warp) {
      return runOfWarps(elements, slots, last, r, warp, warpBits.drop_back());
    };
    Values lower = half(first), upper = half(b.CreateOr(first, bit));
    return isReverse ? combine(upper, lower) : combine(lower, upper);
  }

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
    if (maySeeGhosts()) {
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
    unsigned fixed = lower.lanes | own.lanes;
    unsigned givers = giver(isReverse ? fixed : 0, own.lanes, lower.lanes) & fixed;
    const Slots slots = give(elements, registers, fixed, givers);
    llvm::Value *warp = giver(threads.warp(), own.warps, lower.warps);
    llvm::DenseMap<unsigned, Values> result;
    for (auto [i, r] : llvm::enumerate(registers))
      result[r] = take(elements[r], slots, warp, i);
    return result;
  }

  /// Writes these registers' elements where the lane has `givers` in its bits `fixed`.
  Slots give(llvm::ArrayRef<Values> elements, llvm::ArrayRef<unsigned> registers, unsigned fixed,
             unsigned givers) {
    Slots slots;
    const unsigned count = elements[0].size();
    slots.laneBits = threads.laneBitCount() - std::popcount(fixed);
    slots.ofNumber = uint64_t(threads.warpCount()) << slots.laneBits;
    for (llvm::Value *value : elements[0])
      slots.bytes = std::max(slots.bytes, bytesOf(value->getType()));
    slots.base = shared.beginWriting(slots.ofNumber * registers.size() * count * slots.bytes);
    slots.lane = bitsSideBySide(b, threads.lane(), ~fixed & ((1u << threads.laneBitCount()) - 1));
    llvm::Value *isGiver =
        fixed ? b.CreateICmpEQ(b.CreateAnd(threads.lane(), fixed), b.getInt32(givers)) : nullptr;
    for (auto [i, r] : llvm::enumerate(registers))
      for (auto [j, value] : llvm::enumerate(elements[r]))
        shared.store(value, address(slots, threads.warp(), i * count + j), isGiver);
    shared.beginReading();
    return slots;
  }
  /// What the warp gave of the register with this number among those given; `like` has the types.
  Values take(const Values &like, const Slots &slots, llvm::Value *warp, unsigned number) {
    Values values;
    for (auto [j, value] : llvm::enumerate(like))
      values.push_back(b.CreateLoad(
          value->getType(), shared.pointer(address(slots, warp, number * like.size() + j))));
    shared.countAccesses(like.size());
    return values;
  }
  llvm::Value *address(const Slots &slots, llvm::Value *warp, unsigned number) {
    llvm::Value *row = b.CreateShl(warp, slots.laneBits);
    llvm::Value *slot =
        b.CreateAdd(b.CreateAdd(row, slots.lane), b.getInt32(number * slots.ofNumber));
    return b.CreateAdd(slots.base, b.CreateMul(slot, b.getInt32(slots.bytes)));
  }

  Builder &b;
  Threads &threads;
  SharedStack &shared;
  const Policy &policy;
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
  Scan(c.b, c.threads, c.shared, c.policy, std::move(combine), nv::layoutOf(type), op.getAxis(),
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
