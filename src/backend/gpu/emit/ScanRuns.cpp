// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans, by the bits of the coordinate along the axis from the lowest. A run of elements that one
// thread holds is scanned there, one after the other. Of each run only the last element takes part
// in what comes next, and lanes, warps and the thread's further registers learn it in turn; what
// comes before a run is combined with its elements once, at the end, so that a step between threads
// takes an operation for each run and not for each element. A scan from the end is the same with
// coordinates counted from there.
#include "backend/gpu/emit/BitOrder.h"
#include "backend/gpu/emit/Scan.h"

using namespace mlir;

namespace nereid::backend::gpu {

namespace {

class RunScan : Scan {
public:
  explicit RunScan(const Scan &scan) : Scan(scan) {}

  void run(llvm::MutableArrayRef<Values> elements, llvm::ArrayRef<PlaceBits> bits) {
    BitOrder along;
    for (const PlaceBits &own : bits)
      if (own.registers)
        along.add(own.registers);
    const unsigned others = (elements.size() - 1) & ~along.mask;
    // A register's number has its rank along the axis in its lowest bits, and above its row.
    llvm::SmallVector<unsigned> registers;
    for (unsigned row = 0;; row = ((row | ~others) + 1) & others) {
      for (unsigned rank = 0; rank < 1u << along.masks.size(); ++rank)
        registers.push_back(row | (along.apart(rank) ^ (isReverse ? along.mask : 0)));
      if (row == others)
        break;
    }
    llvm::SmallVector<Values> items;
    for (unsigned r : registers)
      items.push_back(elements[r]);
    scanRuns(items, bits, 0, false);
    for (auto [r, item] : llvm::zip(registers, items))
      elements[r] = item;
  }

private:
  /// What comes before a run: nothing if there are no values; something in all threads if `exists`
  /// is null.
  struct Prefix {
    Values values;
    llvm::Value *exists = nullptr;
  };
  using Prefixes = llvm::SmallVector<Prefix>;

  Values chosen(llvm::Value *condition, const Values &one, const Values &other) {
    Values result;
    for (auto [a, c] : llvm::zip(one, other))
      result.push_back(b.CreateSelect(condition, a, c));
    return result;
  }
  Values behind(const Prefix &prefix, const Values &later) {
    if (prefix.values.empty())
      return later;
    Values combined = combine(prefix.values, later);
    return prefix.exists ? chosen(prefix.exists, combined, later) : combined;
  }
  /// What comes before a run that `inner` comes directly before, itself behind `outer`.
  Prefix behind(const Prefix &outer, const Prefix &inner) {
    if (inner.values.empty() || outer.values.empty())
      return inner.values.empty() ? outer : inner;
    Prefix result{behind(outer, inner.values)};
    if (!inner.exists)
      return result;
    result.values = chosen(inner.exists, result.values, outer.values);
    if (outer.exists)
      result.exists = b.CreateOr(outer.exists, inner.exists);
    return result;
  }
  Values sent(const Values &values, llvm::Value *lane) {
    Values result;
    for (llvm::Value *value : values)
      result.push_back(threads.shuffleFrom(value, lane));
    return result;
  }
  Values sentWithin(const Values &values, unsigned mask, unsigned bits) {
    Values result;
    for (llvm::Value *value : values)
      result.push_back(threads.shuffleWithin(value, mask, bits));
    return result;
  }

  /// `numbers` along the axis, counted from where the scan begins.
  llvm::Value *rankOf(const BitOrder &bits, llvm::Value *number) {
    return bits.sideBySide(b, isReverse ? b.CreateXor(number, bits.mask) : number);
  }
  /// `number` with the rank's place in these bits.
  llvm::Value *withRank(const BitOrder &bits, llvm::Value *rank, llvm::Value *number) {
    llvm::Value *place = bits.apart(b, rank);
    return b.CreateOr(isReverse ? b.CreateXor(place, bits.mask) : place,
                      b.CreateAnd(number, ~bits.mask));
  }

  /// `items` are what runs come to, those of one row beside each other, in lanes that have the last
  /// rank in the bits `lanes`; they become what all up to there comes to, by the bits `rest`.
  /// The result says what comes before each run, in all lanes, if that is wanted.
  Prefixes scanRuns(llvm::MutableArrayRef<Values> items, llvm::ArrayRef<PlaceBits> rest,
                    unsigned lanes, bool isWanted) {
    if (rest.empty())
      return Prefixes(items.size());
    if (rest.front().lanes)
      return acrossLanes(items, rest, lanes, isWanted);
    if (rest.front().warps)
      return acrossWarps(items, rest, lanes);
    return alongRegisters(items, rest, lanes);
  }

  Prefixes alongRegisters(llvm::MutableArrayRef<Values> items, llvm::ArrayRef<PlaceBits> rest,
                          unsigned lanes) {
    unsigned bits = 0;
    for (; !rest.empty() && rest.front().registers; rest = rest.drop_front())
      ++bits;
    const unsigned size = 1u << bits;
    llvm::SmallVector<Values> upTo(items.begin(), items.end()), totals;
    for (unsigned i = 0; i < items.size(); ++i) {
      const bool isLast = i % size == size - 1;
      if (lanes && !(isLast && rest.empty()))
        upTo[i] = sentWithin(items[i], lanes, isReverse ? 0 : lanes);
      if (i % size)
        upTo[i] = combine(upTo[i - 1], upTo[i]);
      if (isLast)
        totals.push_back(upTo[i]);
    }
    Prefixes outer = scanRuns(totals, rest, lanes, true), result(items.size());
    for (unsigned i = 0; i < items.size(); ++i) {
      const Prefix &before = outer[i / size];
      result[i] = i % size ? behind(before, Prefix{upTo[i - 1]}) : before;
      if (lanes)
        items[i] = behind(result[i], items[i]);
      else
        items[i] = i % size == size - 1 ? totals[i / size] : behind(before, upTo[i]);
    }
    return result;
  }

  /// Within a warp a run's prefix is what the lane before has in the end.
  Prefixes acrossLanes(llvm::MutableArrayRef<Values> items, llvm::ArrayRef<PlaceBits> rest,
                       unsigned lanes, bool isWanted) {
    BitOrder along;
    for (; !rest.empty() && rest.front().lanes; rest = rest.drop_front())
      along.add(rest.front().lanes);
    takeFromLanes(items, along, lanes, isReverse);
    Prefixes result = scanRuns(items, rest, lanes | along.mask, isWanted);
    if (!isWanted)
      return result;
    llvm::Value *rank = rankOf(along, threads.lane());
    llvm::Value *hasOne = b.CreateICmpNE(rank, b.getInt32(0));
    llvm::Value *before = withRank(along, b.CreateSub(rank, b.getInt32(1)), threads.lane());
    if (lanes) // the last of the lanes that were brought together
      before = isReverse ? b.CreateAnd(before, ~lanes) : b.CreateOr(before, lanes);
    for (auto [item, prefix] : llvm::zip(items, result)) {
      Values values = sent(item, before);
      if (prefix.values.empty()) {
        prefix = {values, hasOne};
        continue;
      }
      prefix.values = chosen(hasOne, values, prefix.values);
      if (prefix.exists)
        prefix.exists = b.CreateOr(prefix.exists, hasOne);
    }
    return result;
  }

  /// Each item becomes what all lanes up to there have, by these bits; `lanes` are below them.
  void takeFromLanes(llvm::MutableArrayRef<Values> items, const BitOrder &along, unsigned lanes,
                     bool isFromEnd) {
    for (unsigned own : along.masks) {
      llvm::Value *side = b.CreateAnd(threads.lane(), own);
      llvm::Value *takes =
          isFromEnd ? b.CreateICmpEQ(side, b.getInt32(0)) : b.CreateICmpNE(side, b.getInt32(0));
      for (Values &item : items) {
        Values before = sentWithin(item, own | lanes, isFromEnd ? own : lanes);
        item = chosen(takes, combine(before, item), item);
      }
      lanes |= own;
    }
  }

  /// The parts of all warps, and of the registers behind them along the axis, go through shared
  /// memory once. A part's number is its warp's rank, above it the item's; each lane that may work
  /// for the others (`lanes`) reads some that follow one another, shuffles bring together what they
  /// come to, and others send each item's prefix to all.
  struct Parts {
    unsigned warpBits = 0, itemBits = 0; // of a part's number
    unsigned alongBits = 0;              // those of one row
    unsigned bits = 0;                   // of what one lane reads
    BitOrder warps, lanes;
    llvm::Value *warp = nullptr, *lane = nullptr; // ranks
    unsigned ofWarp() const { return std::min(bits, warpBits); }
    unsigned inRow() const { return std::min(bits, alongBits); }
  };

  Parts partsOf(size_t items, llvm::ArrayRef<PlaceBits> rest, unsigned lanes) {
    Parts parts;
    for (const PlaceBits &own : rest)
      if (own.warps)
        parts.warps.add(own.warps);
    parts.warpBits = parts.warps.masks.size();
    parts.itemBits = std::countr_zero(items);
    parts.alongBits = rest.size();
    const unsigned all = parts.warpBits + parts.itemBits;
    const unsigned least = all - std::min<unsigned>(all, std::popcount(lanes));
    parts.bits = std::max(std::min<unsigned>(all, policy.scan_part_bits), least);
    for (unsigned bit = 1; parts.lanes.masks.size() < all - parts.bits; bit <<= 1)
      if (lanes & bit)
        parts.lanes.add(bit);
    parts.warp = rankOf(parts.warps, threads.warp());
    parts.lane = parts.lanes.sideBySide(b, threads.lane());
    return parts;
  }

  /// What this lane reads of all, in order.
  llvm::SmallVector<Values> exchange(const Parts &parts, llvm::ArrayRef<Values> items,
                                     unsigned lanes) {
    llvm::SmallVector<unsigned> numbers = llvm::to_vector(llvm::seq<unsigned>(items.size()));
    llvm::Value *others = b.CreateAnd(threads.warp(), ~parts.warps.mask);
    llvm::Value *row = b.CreateOr(parts.warps.apart(b, parts.warp), others);
    const Slots slots = give(items, numbers, lanes, isReverse ? 0 : lanes, row);
    const unsigned ofWarp = parts.ofWarp(), above = parts.warpBits - ofWarp;
    llvm::Value *rank = b.CreateAnd(parts.lane, (1u << above) - 1);
    llvm::Value *first = b.CreateOr(parts.warps.apart(b, b.CreateShl(rank, ofWarp)), others);
    const unsigned count = items[0].size();
    llvm::Value *item = b.CreateShl(b.CreateLShr(parts.lane, above), parts.bits - ofWarp);
    llvm::Value *begin = address(slots, first, b.CreateMul(item, b.getInt32(count)));
    llvm::SmallVector<Values> result(1u << parts.bits);
    for (auto [i, part] : llvm::enumerate(result))
      for (auto [j, value] : llvm::enumerate(items[0])) {
        const uint64_t number = (i >> ofWarp) * count + j;
        const uint64_t warp = parts.warps.apart(i & ((1u << ofWarp) - 1));
        const uint64_t offset = number * slots.ofNumber + (warp << slots.laneBits);
        part.push_back(b.CreateLoad(value->getType(), shared.pointer(begin, offset * slots.bytes)));
      }
    shared.countAccesses(result.size() * count);
    return result;
  }

  /// The prefixes of the items that this lane reads parts of, at this warp's rank, and what the
  /// parts of each of its rows come to.
  std::pair<Prefixes, llvm::SmallVector<Values>> scanParts(const Parts &parts,
                                                           llvm::ArrayRef<Values> read) {
    const unsigned ofWarp = 1u << parts.ofWarp(), inRow = 1u << parts.inRow();
    llvm::Value *mine = b.CreateAnd(parts.warp, ofWarp - 1);
    Prefixes prefixes(read.size() / ofWarp);
    llvm::SmallVector<Values> totals;
    Values upTo;
    for (unsigned i = 0; i < read.size(); ++i) {
      const bool isFirst = i % inRow == 0;
      if (isFirst)
        upTo.clear();
      Prefix &prefix = prefixes[i / ofWarp];
      if (unsigned warp = i % ofWarp)
        prefix.values = prefix.values.empty()
                            ? upTo
                            : chosen(b.CreateICmpUGE(mine, b.getInt32(warp)), upTo, prefix.values);
      else
        prefix = {upTo, isFirst ? b.CreateICmpNE(mine, b.getInt32(0)) : nullptr};
      upTo = isFirst ? read[i] : combine(upTo, read[i]);
      if (i % inRow == inRow - 1)
        totals.push_back(upTo);
    }
    if (parts.alongBits <= parts.bits)
      return {prefixes, totals};
    BitOrder ofRow;
    for (unsigned lane : llvm::ArrayRef(parts.lanes.masks).take_front(parts.alongBits - parts.bits))
      ofRow.add(lane);
    takeFromLanes(totals, ofRow, 0, false);
    llvm::Value *before = b.CreateSub(parts.lane, b.getInt32(1));
    const Prefix outer{sent(totals[0], ofLane(parts, before)),
                       b.CreateICmpNE(b.CreateAnd(threads.lane(), ofRow.mask), b.getInt32(0))};
    for (Prefix &prefix : prefixes)
      prefix = behind(outer, prefix);
    return {prefixes, totals};
  }
  llvm::Value *ofLane(const Parts &parts, llvm::Value *rank) {
    return b.CreateOr(parts.lanes.apart(b, rank), b.CreateAnd(threads.lane(), ~parts.lanes.mask));
  }

  Prefixes acrossWarps(llvm::MutableArrayRef<Values> items, llvm::ArrayRef<PlaceBits> rest,
                       unsigned lanes) {
    size_t count = 0;
    while (count < rest.size() && rest[count].warps)
      ++count;
    const unsigned warpBits = count;
    while (count < rest.size() && rest[count].registers)
      ++count;
    const Parts parts = partsOf(items.size(), rest.take_front(count), lanes);
    auto [own, sums] = scanParts(parts, exchange(parts, items, lanes));
    // What the lane with this number has, for all.
    auto known = [&](const Values &values, unsigned rank) {
      return parts.lanes.mask ? sentWithin(values, parts.lanes.mask, parts.lanes.apart(rank))
                              : values;
    };
    const unsigned above = warpBits - parts.ofWarp();
    llvm::Value *ofWarp = b.CreateLShr(parts.warp, parts.ofWarp());
    llvm::Value *isBehind = b.CreateICmpNE(parts.warp, b.getInt32(0));
    const unsigned inRow = 1u << (parts.alongBits - warpBits);
    Prefixes result(items.size());
    for (unsigned i = 0; i < items.size(); ++i) {
      const Values &values = own[i % own.size()].values;
      const unsigned rank = i / own.size() << above;
      result[i].values = above ? sent(values, ofLane(parts, b.CreateOr(ofWarp, b.getInt32(rank))))
                               : known(values, rank);
      result[i].exists = i % inRow ? nullptr : isBehind;
    }
    rest = rest.drop_front(count);
    llvm::SmallVector<Values> totals;
    const unsigned lanesOfRow = parts.alongBits - parts.inRow();
    for (unsigned row = 0; !rest.empty() && row < items.size() / inRow; ++row)
      totals.push_back(known(sums[row % sums.size()], ((row / sums.size() + 1) << lanesOfRow) - 1));
    const Prefixes outer = scanRuns(totals, rest, lanes, true);
    for (unsigned i = 0; i < items.size(); ++i) {
      if (!rest.empty())
        result[i] = behind(outer[i / inRow], result[i]);
      items[i] = behind(result[i], items[i]);
    }
    return result;
  }
};

} // namespace

void scanRuns(Scan &scan, llvm::MutableArrayRef<Combiner::Values> elements,
              llvm::ArrayRef<PlaceBits> bits) {
  RunScan(scan).run(elements, bits);
}

} // namespace nereid::backend::gpu
