// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions in three steps: the registers of a thread, the lanes of a warp by shuffles or one
// instruction, the warps through shared memory. Afterwards all threads that held a part hold the
// result.
#include "backend/gpu/Combining.h"
#include "backend/gpu/emit/Emit.h"
#include "backend/gpu/emit/NarrowExtremes.h"
#include "backend/llvm/Combine.h"
#include "support/Check.h"

using namespace mlir;

namespace nereid::backend::gpu {

namespace {

/// One partial result of n tiles, and whether any element is in it yet; null if surely.
struct Partial {
  Combiner::Values values;
  llvm::Value *isThere = nullptr;
};

class Reduction {
public:
  Reduction(Builder &builder, Threads &threads, Block &combine, Combiner combiner)
      : b(builder), threads(threads), isCommutative(gpu::isCommutative(combine)),
        whole(wholeReductionsOf(combine)), combine(std::move(combiner)) {}

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
  /// With those of all lanes whose numbers differ in the bits of `laneBits`.
  void acrossLanes(Partial &partial, llvm::ArrayRef<unsigned> laneBits) {
    if (whole && !partial.isThere && laneBits.size() == threads.laneBitCount()) {
      for (auto [value, kind] : llvm::zip(partial.values, *whole))
        value = threads.reduceLanes(kind, value);
      return;
    }
    for (unsigned bit : laneBits)
      partial = withLane(partial, bit);
  }
  /// With the partial result of the lane whose number differs in `laneBit`.
  Partial withLane(const Partial &mine, unsigned laneBit) {
    Partial other;
    for (llvm::Value *value : mine.values)
      other.values.push_back(threads.shuffleXor(value, 1u << laneBit));
    if (mine.isThere)
      other.isThere = threads.shuffleXor(mine.isThere, 1u << laneBit);
    return inOrder(mine, other, laneBit);
  }
  /// Two results, of which both lanes have parts, are shared: the lower lane takes the first, the
  /// upper one the second: half as many shuffles. All elements are there.
  Partial shareBetweenLanes(const Partial &first, const Partial &second, unsigned laneBit) {
    Partial mine, others, received;
    for (auto [a, c] : llvm::zip(first.values, second.values)) {
      mine.values.push_back(b.CreateSelect(isUpper(laneBit), c, a));
      others.values.push_back(b.CreateSelect(isUpper(laneBit), a, c));
    }
    for (llvm::Value *value : others.values)
      received.values.push_back(threads.shuffleXor(value, 1u << laneBit));
    return inOrder(mine, received, laneBit);
  }

private:
  llvm::Value *isUpper(unsigned laneBit) {
    return b.CreateIsNotNull(b.CreateAnd(threads.lane(), 1u << laneBit));
  }
  /// Both lanes combine the same in the same order, so that both get the same result.
  Partial inOrder(const Partial &mine, const Partial &other, unsigned laneBit) {
    if (isCommutative)
      return ofRounded(other, (*this)(mine, other));
    Partial lower = mine, upper = other;
    for (auto [first, second] : llvm::zip(lower.values, upper.values))
      exchange(first, second, isUpper(laneBit));
    if (mine.isThere)
      exchange(lower.isThere, upper.isThere, isUpper(laneBit));
    return ofRounded(lower, ofRounded(upper, (*this)(lower, upper)));
  }
  /// What was just computed of an operand rounds by itself. A lane that added what it received to a
  /// product of its own in one operation would not round that product, which its partner received
  /// rounded: the two would have different results, and a branch on them would part their warp.
  static Partial ofRounded(const Partial &operand, Partial result) {
    for (llvm::Value *value : operand.values)
      if (!llvm::isa<llvm::Constant>(value))
        for (llvm::User *user : value->users())
          if (llvm::isa<llvm::FPMathOperator>(user) && llvm::isa<llvm::Instruction>(user))
            llvm::cast<llvm::Instruction>(user)->setHasAllowContract(false);
    return result;
  }
  void exchange(llvm::Value *&first, llvm::Value *&second, llvm::Value *condition) {
    llvm::Value *mine = first;
    first = b.CreateSelect(condition, second, mine);
    second = b.CreateSelect(condition, mine, second);
  }

  Builder &b;
  Threads &threads;
  bool isCommutative;
  std::optional<llvm::SmallVector<WholeReduction>> whole;
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

/// The partial results of all registers of a thread, brought together with those of other threads.
class AcrossThreads {
public:
  using Partials = llvm::SmallVector<std::optional<Partial>>;

  AcrossThreads(EmitContext &c, Reduction &reduce, const layout::LinearLayout &layout,
                unsigned axis)
      : b(c.b), threads(c.threads), shared(c.shared), policy(c.policy), reduce(reduce),
        laneBits(splitBits(layout, layout::Lane, axis)),
        warpBits(splitBits(layout, layout::Warp, axis)),
        warpCount(1u << layout.bases(layout::Warp).size()) {}

  void run(Partials &partials) {
    slotBits = laneBits.others;
    if (laneBits.along.size() >= policy.shared_lane_bits &&
        partials.size() >= policy.shared_results && !partials[0]->isThere) {
      const Sharing sharing(partials.size(), laneBits.along);
      Partials mine = shareOverLanes(partials, sharing);
      slotBits |= sharing.lanes;
      acrossWarps(mine);
      tellLanes(partials, mine, sharing);
      return;
    }
    for (std::optional<Partial> &partial : partials)
      reduce.acrossLanes(*partial, laneBits.along);
    acrossWarps(partials);
  }

private:
  /// How lanes share results among them, one half for each as long as there are two.
  struct Sharing {
    llvm::ArrayRef<unsigned> halving, rest; // bits of a lane's number
    unsigned lanes = 0;                     // mask of those of `halving`

    Sharing(size_t results, llvm::ArrayRef<unsigned> along) {
      const size_t halves = std::min<size_t>(along.size(), std::countr_zero(results));
      halving = along.take_front(halves);
      rest = along.drop_front(halves);
      for (unsigned bit : halving)
        lanes |= 1u << bit;
    }
  };

  /// What is combined with what is as if each lane had done all.
  Partials shareOverLanes(const Partials &partials, const Sharing &sharing) {
    Partials mine = partials;
    for (unsigned bit : sharing.halving) {
      const size_t half = mine.size() / 2;
      for (size_t i = 0; i < half; ++i)
        mine[i] = reduce.shareBetweenLanes(*mine[i], *mine[i + half], bit);
      mine.truncate(half);
    }
    for (std::optional<Partial> &partial : mine)
      reduce.acrossLanes(*partial, sharing.rest);
    return mine;
  }

  /// Who has a result tells the lanes that it shared them with.
  void tellLanes(Partials &partials, const Partials &mine, const Sharing &sharing) {
    for (auto [result, partial] : llvm::enumerate(partials)) {
      unsigned owner = 0;
      size_t half = partials.size();
      for (unsigned bit : sharing.halving)
        owner |= result & (half /= 2) ? 1u << bit : 0;
      for (auto [value, from] : llvm::zip(partial->values, mine[result % mine.size()]->values))
        value = threads.shuffleWithin(from, sharing.lanes, owner);
    }
  }

  /// Each warp leaves what it has in slots of its own, one for each lane that holds another result,
  /// and each thread combines those of the warps that share its results, all in one order. A lane's
  /// results lie side by side, as many as one access moves, and behind them the next lane's.
  void acrossWarps(Partials &partials) {
    if (warpBits.along.empty())
      return;
    llvm::SmallVector<llvm::Type *> types;
    for (llvm::Value *value : partials[0]->values)
      types.push_back(value->getType());
    if (partials[0]->isThere)
      types.push_back(b.getInt1Ty());
    uint64_t bytes = 0;
    for (llvm::Type *type : types) {
      areas.push_back(areaOf(type, partials.size(), bytes));
      bytes = areas.back().begin + areas.back().rowBytes(partials.size()) * warpCount;
    }
    base = shared.beginWriting(bytes);
    laneSlot = bitsSideBySide(b, threads.lane(), slotBits);
    for (auto [i, area] : llvm::enumerate(areas)) {
      for (size_t first = 0; first < partials.size(); first += area.together)
        write(partials, i, area, first);
      const uint64_t wavefronts = groupsOf(area.together * area.slotBytes);
      shared.countAccesses(partials.size() / area.together, wavefronts, wavefronts);
    }
    shared.beginReading();
    combineWarps(partials);
  }

  /// Where the partial results of one value of all warps lie.
  struct Area {
    llvm::Type *type;
    uint64_t begin, slotBytes; // of the area, of an element
    unsigned together;         // results of a lane that lie side by side
    unsigned lanes;            // that hold other results
    uint64_t rowBytes(size_t results) const { return lanes * results * slotBytes; }
  };

  Area areaOf(llvm::Type *type, size_t results, uint64_t begin) const {
    constexpr uint64_t mostBytes = 16;
    const bool isPointer = type->isPointerTy();
    const uint64_t slotBytes = isPointer ? 8 : llvm::divideCeil(type->getScalarSizeInBits(), 8);
    const bool isPlain = !isPointer && type->getScalarSizeInBits() == 8 * slotBytes;
    const uint64_t most = uint64_t(1) << std::countr_zero(results);
    return {type, llvm::alignTo(begin, mostBytes), slotBytes,
            isPlain ? unsigned(std::min(mostBytes / slotBytes, most)) : 1u,
            1u << std::popcount(slotBits)};
  }

  static llvm::Value *&valueOf(Partial &partial, size_t value) {
    return value < partial.values.size() ? partial.values[value] : partial.isThere;
  }

  void write(Partials &partials, size_t value, const Area &area, size_t first) {
    llvm::Value *address = addressOf(area, partials.size(), first, threads.warp());
    if (area.together == 1) {
      b.CreateStore(valueOf(*partials[first], value), address);
      return;
    }
    llvm::Type *type = llvm::FixedVectorType::get(area.type, area.together);
    llvm::Value *several = llvm::PoisonValue::get(type);
    for (unsigned i = 0; i < area.together; ++i)
      several = b.CreateInsertElement(several, valueOf(*partials[first + i], value), i);
    b.CreateAlignedStore(several, address, llvm::Align(area.together * area.slotBytes));
  }

  void combineWarps(Partials &partials) {
    unsigned along = 0;
    for (unsigned bit : warpBits.along)
      along |= 1u << bit;
    llvm::Value *firstWarp = b.CreateAnd(threads.warp(), ~along);
    const bool sharesParts = wavefrontsOf(partials, along) >= policy.partial_wavefronts &&
                             slotBits == 0 && warpBits.along.size() <= threads.laneBitCount();
    const llvm::SmallVector<Reading> readings =
        sharesParts ? llvm::SmallVector<Reading>{{warpOfLane(firstWarp), 1}}
                    : readingsOfAll(firstWarp, warpsAtOnce(partials, along), along);
    // As many results at a time as come together, of all warps that share them.
    const size_t step = llvm::max_element(areas, [](const Area &a, const Area &c) {
                          return a.together < c.together;
                        })->together;
    for (size_t first = 0; first < partials.size(); first += step) {
      llvm::SmallVector<llvm::SmallVector<Partial>> parts(step);
      for (const Reading &reading : readings) {
        for (auto &of : parts)
          of.append(reading.warps, Partial{Combiner::Values(partials[0]->values.size()), nullptr});
        for (auto [i, area] : llvm::enumerate(areas)) {
          const uint64_t wavefronts = sharesParts ? wavefrontsOfLanes(area, partials.size())
                                                  : wavefrontsOfAccess(area, reading.warps);
          for (size_t at = 0; at < step; at += area.together)
            read(area, partials.size(), first + at, reading, wavefronts,
                 [&](unsigned result, unsigned ofWarp) -> llvm::Value *& {
                   auto &of = parts[at + result];
                   return valueOf(of[of.size() - reading.warps + ofWarp], i);
                 });
        }
      }
      for (size_t result = 0; result < step; ++result)
        partials[first + result] =
            sharesParts ? overLanes(parts[result].front()) : inPairs(parts[result]);
    }
  }

  /// One access of a thread: of so many warps from one on, whose slots lie side by side.
  struct Reading {
    llvm::Value *from;
    unsigned warps;
  };
  llvm::SmallVector<Reading> readingsOfAll(llvm::Value *firstWarp, unsigned atOnce,
                                           unsigned along) {
    llvm::SmallVector<Reading> readings;
    for (unsigned warp = 0; warp < warpCount; warp += atOnce)
      if (!(warp & ~along))
        readings.push_back({b.CreateOr(firstWarp, warp), atOnce});
    return readings;
  }

  /// The warp whose part this lane reads, in the warps' order.
  llvm::Value *warpOfLane(llvm::Value *firstWarp) {
    llvm::Value *warp = firstWarp;
    for (auto [laneBit, warpBit] : llvm::enumerate(warpBits.along)) {
      llvm::Value *bit = b.CreateAnd(b.CreateLShr(threads.lane(), laneBit), 1);
      warp = b.CreateOr(warp, b.CreateShl(bit, warpBit));
    }
    return warp;
  }

  /// In the order of inPairs.
  Partial overLanes(Partial part) {
    reduce.acrossLanes(part, llvm::to_vector(llvm::seq<unsigned>(0, warpBits.along.size())));
    return part;
  }

  /// What a thread that reads the parts of all warps takes of shared memory for each result.
  uint64_t wavefrontsOf(const Partials &partials, unsigned along) const {
    const unsigned warps = warpsAtOnce(partials, along);
    uint64_t ofWarps = 0;
    for (const Area &area : areas)
      ofWarps += wavefrontsOfAccess(area, warps) * (partials.size() / area.together);
    return (ofWarps << warpBits.along.size()) / (warps * partials.size());
  }
  /// A warp's lanes are served together up to 128 bytes, whatever they ask for; of 16 bytes for
  /// half of them at a time where neighbours ask for the same (measured).
  static uint64_t groupsOf(uint64_t bytes) { return std::max<uint64_t>(1, bytes / 4); }
  uint64_t wavefrontsOfAccess(const Area &area, unsigned warps) const {
    const uint64_t bytes = area.together * warps * area.slotBytes;
    constexpr unsigned neighbourLanes = 0b11;
    const bool areAlike = (slotBits & neighbourLanes) != neighbourLanes;
    return areAlike ? std::min<uint64_t>(2, groupsOf(bytes)) : groupsOf(bytes);
  }
  /// Each lane asks for another warp's.
  uint64_t wavefrontsOfLanes(const Area &area, size_t results) const {
    constexpr uint64_t bytesOfWavefront = 128;
    const uint64_t groups = groupsOf(area.together * area.slotBytes);
    const uint64_t lanes = std::min((uint64_t(1) << threads.laneBitCount()) / groups,
                                    uint64_t(1) << warpBits.along.size());
    return groups * llvm::divideCeil(lanes * std::min(area.rowBytes(results), bytesOfWavefront),
                                     bytesOfWavefront);
  }

  /// So that few wait for what others made.
  Partial inPairs(llvm::SmallVectorImpl<Partial> &parts) {
    for (; parts.size() > 1; parts.truncate(parts.size() / 2))
      for (size_t i = 0; i < parts.size() / 2; ++i)
        parts[i] = reduce(parts[2 * i], parts[2 * i + 1]);
    return parts.front();
  }

  void read(const Area &area, size_t results, size_t first, const Reading &reading,
            uint64_t wavefronts,
            llvm::function_ref<llvm::Value *&(unsigned result, unsigned warp)> place) {
    llvm::Value *address = addressOf(area, results, first, reading.from);
    const unsigned count = area.together * reading.warps;
    shared.countAccesses(1, wavefronts, wavefronts);
    if (count == 1) {
      place(0, 0) = b.CreateLoad(area.type, address);
      return;
    }
    llvm::Type *type = llvm::FixedVectorType::get(area.type, count);
    llvm::Value *several = b.CreateAlignedLoad(type, address, llvm::Align(count * area.slotBytes));
    for (unsigned i = 0; i < count; ++i)
      place(i % area.together, i / area.together) = b.CreateExtractElement(several, i);
  }

  /// How many warps' slots lie side by side in each area, to be read by one access.
  unsigned warpsAtOnce(const Partials &partials, unsigned along) const {
    constexpr uint64_t mostBytes = 16;
    uint64_t warps = slotBits == 0 ? 1u << std::countr_one(along) : 1;
    for (const Area &area : areas) {
      const uint64_t row = partials.size() * area.slotBytes;
      const bool isPlain =
          area.slotBytes >= 2 && area.together == partials.size() && !area.type->isPointerTy();
      warps = std::min(warps, isPlain ? std::max<uint64_t>(1, mostBytes / row) : 1);
    }
    return warps;
  }

  llvm::Value *addressOf(const Area &area, size_t results, size_t first, llvm::Value *warp) {
    const uint64_t together = area.together * area.slotBytes;
    llvm::Value *offset = b.CreateAdd(b.CreateMul(warp, b.getInt32(area.rowBytes(results))),
                                      b.CreateMul(laneSlot, b.getInt32(together)));
    const uint64_t column = area.begin + first / area.together * area.lanes * together;
    return shared.pointer(b.CreateAdd(base, b.CreateAdd(offset, b.getInt32(column))));
  }

  Builder &b;
  Threads &threads;
  SharedStack &shared;
  const Policy &policy;
  Reduction &reduce;
  SplitBits laneBits, warpBits;
  unsigned slotBits = 0; // mask of the lanes' bits that tell apart what they have for other warps
  unsigned warpCount;
  llvm::SmallVector<Area> areas;
  llvm::Value *base = nullptr, *laneSlot = nullptr;
};

} // namespace

/// Which result each register of the source belongs to: those that differ along the axis alone
/// belong to one.
static llvm::SmallVector<unsigned> resultRegisters(tile::ReduceOp op) {
  const layout::LinearLayout &layout = nv::layoutOf(op.getSources()[0]);
  Type resultType = op.getResult(0).getType();
  llvm::DenseMap<layout::Vector, unsigned> resultOf = {{0, 0}};
  layout::Spaces spaces;
  if (tile::isTile(resultType)) {
    const layout::LinearLayout &result = nv::layoutOf(resultType);
    spaces = result.outputs();
    for (unsigned r = 0; r < 1u << result.bases(layout::Register).size(); ++r)
      resultOf[result(r)] = r;
  }
  llvm::SmallVector<unsigned> results;
  for (unsigned r = 0; r < 1u << layout.bases(layout::Register).size(); ++r) {
    layout::Coordinates at = layout::unpack(layout.outputs(), layout(r));
    at.erase(at.begin() + op.getAxis());
    results.push_back(resultOf.at(layout::pack(spaces, at)));
  }
  return results;
}

void emitReduce(EmitContext &c, tile::ReduceOp op) {
  Type sourceType = op.getSources()[0].getType();
  const layout::LinearLayout &layout = nv::layoutOf(sourceType);
  unsigned axis = op.getAxis();
  int64_t size = tile::shapeOf(sourceType)[axis];
  Block &combine = op.getCombine().front();
  Reduction reduce(c.b, c.threads, combine,
                   Combiner(c.lanes, combine, [&](Value value) { return c.scalar(value); }));

  AcrossThreads::Partials partials(registerCount(op.getResult(0).getType()));
  llvm::SmallVector<unsigned> resultOf = resultRegisters(op);
  const bool hasGhosts = !std::has_single_bit(uint64_t(size));
  if (auto extremes = hasGhosts ? std::nullopt : narrowExtremes(c, op, resultOf, partials.size())) {
    for (auto [partial, extreme] : llvm::zip(partials, *extremes))
      partial = Partial{{extreme}, nullptr};
    resultOf.clear();
  }
  for (auto [r, result] : llvm::enumerate(resultOf)) {
    Partial element;
    for (Value source : op.getSources())
      element.values.push_back(c.registersOf(source)[r]);
    if (hasGhosts)
      element.isThere =
          c.b.CreateICmpULT(c.threads.coordinate(layout, axis, r), c.b.getInt32(size));
    partials[result] = partials[result] ? reduce(*partials[result], element) : element;
  }
  AcrossThreads(c, reduce, layout, axis).run(partials);

  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    Registers registers;
    for (const std::optional<Partial> &partial : partials)
      registers.push_back(partial->values[i]);
    c.values[result] = std::move(registers);
  }
}

} // namespace nereid::backend::gpu
