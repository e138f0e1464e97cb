// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans from the end that may begin beyond the tile, one bit of the coordinate along the axis after
// the other, from the lowest: at step k runs of 2^k elements are scanned, and every second of them
// takes in the last element of the run before it, if there is one: at hand, by a shuffle, or
// through shared memory. (Sklansky 1960, "Conditional-Sum Addition Logic".)
#include "backend/gpu/emit/Scan.h"

using namespace mlir;

namespace nereid::backend::gpu {

namespace {

class StepScan : Scan {
public:
  explicit StepScan(const Scan &scan) : Scan(scan) {}

  void step(llvm::MutableArrayRef<Values> elements, unsigned k, const PlaceBits &own,
            const PlaceBits &lower) {
    llvm::SmallVector<std::pair<unsigned, unsigned>> takers; // register, and the one it takes from
    llvm::SetVector<unsigned> given;
    for (unsigned r = 0; r < elements.size(); ++r) {
      if (r & own.registers)
        continue;
      takers.emplace_back(r, giver(r, own.registers, lower.registers));
      given.insert(takers.back().second);
    }
    llvm::DenseMap<unsigned, Values> received = bring(elements, given.getArrayRef(), own, lower);
    for (auto [r, from] : takers) {
      Values combined = combine(received[from], elements[r]);
      llvm::Value *takes = isTaker(r, k, own);
      for (auto [value, wider] : llvm::zip(elements[r], combined))
        value = b.CreateSelect(takes, wider, value);
    }
  }

private:
  /// The part of the last place of the run before, from the part of a place in the run after it.
  unsigned giver(unsigned place, unsigned own, unsigned lower) const {
    return (place & ~lower) | own;
  }
  llvm::Value *giver(llvm::Value *place, unsigned own, unsigned lower) {
    return b.CreateOr(b.CreateAnd(place, ~lower), own);
  }

  /// Whether this thread's element in the register takes in another. The run before may lie beyond
  /// the tile.
  llvm::Value *isTaker(unsigned r, unsigned k, const PlaceBits &own) {
    const unsigned bit = 1u << k;
    llvm::Value *at = b.CreateOr(threads.coordinate(layout, axis, r), bit);
    llvm::Value *result = b.CreateICmpULT(b.CreateAnd(at, ~(bit - 1)), b.getInt32(size));
    auto requireSide = [&](llvm::Value *number, unsigned mask) {
      if (mask)
        result = b.CreateAnd(result, b.CreateICmpEQ(b.CreateAnd(number, mask), b.getInt32(0)));
    };
    requireSide(threads.lane(), own.lanes);
    requireSide(threads.warp(), own.warps);
    return result;
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
    unsigned givers = giver(fixed, own.lanes, lower.lanes) & fixed;
    const Slots slots = give(elements, registers, fixed, givers, threads.warp());
    llvm::Value *warp = giver(threads.warp(), own.warps, lower.warps);
    llvm::DenseMap<unsigned, Values> result;
    for (auto [i, r] : llvm::enumerate(registers))
      result[r] = take(elements[r], slots, warp, i);
    return result;
  }
  /// What the warp gave of the register with this number among those given; `like` has the types.
  Values take(const Values &like, const Slots &slots, llvm::Value *warp, unsigned number) {
    Values values;
    for (auto [j, value] : llvm::enumerate(like))
      values.push_back(
          b.CreateLoad(value->getType(),
                       shared.pointer(address(slots, warp, b.getInt32(number * like.size() + j)))));
    shared.countAccesses(like.size());
    return values;
  }
};

} // namespace

void scanSteps(Scan &scan, llvm::MutableArrayRef<Combiner::Values> elements,
               llvm::ArrayRef<PlaceBits> bits) {
  StepScan steps(scan);
  PlaceBits lower;
  for (auto [k, own] : llvm::enumerate(bits)) {
    steps.step(elements, k, own, lower);
    lower.add(own);
  }
}

} // namespace nereid::backend::gpu
