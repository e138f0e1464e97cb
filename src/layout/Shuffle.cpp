// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/Conversion.h"

#include "support/Check.h"

#include <algorithm>
#include <bit>

namespace nereid::layout {
namespace {

/// Where something is within a warp.
struct Place {
  Vector lane = 0, index = 0; // of a lane; of a word

  Place operator^(Place other) const { return {lane ^ other.lane, index ^ other.index}; }
};

/// A linear map from the places of the target to places of the source with the same element, in the
/// same warp.
struct SourceMap {
  std::vector<Place> ofRegister, ofLane, ofWarp; // for each bit of the target's place
  std::vector<Place> free;                       // places that hold element 0: may be added
};

/// Looks for elements in registers first and then in lanes, so what can stay in its lane does.
class Finder {
public:
  explicit Finder(const LinearLayout &source)
      : registerBits(unsigned(source.bases(Register).size())) {
    unsigned bit = 0;
    for (const char *input : {Register, Lane})
      for (Vector basis : source.bases(input)) {
        const auto rest = placeOf.define(basis, Vector(1) << bit++);
        if (!rest.at)
          free.push_back(place(rest.value));
      }
  }

  std::optional<Place> find(Vector element) const {
    const auto found = placeOf(element);
    return found ? std::optional(place(*found)) : std::nullopt;
  }

  std::vector<Place> free;

private:
  Place place(Vector packed) const {
    return {packed >> registerBits, packed & ((Vector(1) << registerBits) - 1)};
  }
  unsigned registerBits;
  PartialFunction placeOf;
};

std::optional<SourceMap> mapToSource(const LinearLayout &source, const LinearLayout &target) {
  const Finder finder(source);
  SourceMap map;
  map.free = finder.free;
  for (Vector basis : target.bases(Register)) {
    const auto place = finder.find(basis);
    if (!place)
      return std::nullopt;
    map.ofRegister.push_back(*place);
  }
  const auto lanes = source.bases(Lane);
  for (size_t bit = 0; bit < lanes.size(); ++bit) {
    const Vector wanted = target.bases(Lane)[bit];
    // From the lane itself if it has the element in some register.
    auto place = finder.find(wanted ^ lanes[bit]);
    if (place && !place->lane)
      place->lane = Vector(1) << bit;
    else
      place = finder.find(wanted);
    if (!place)
      return std::nullopt;
    map.ofLane.push_back(*place);
  }
  const auto warps = source.bases(Warp);
  for (size_t bit = 0; bit < warps.size(); ++bit) {
    const auto place = finder.find(target.bases(Warp)[bit] ^ warps[bit]);
    if (!place)
      return std::nullopt;
    map.ofWarp.push_back(*place);
  }
  return map;
}

/// Which register each lane receives in a round, so that a lane never has to send two different
/// registers to lanes that receive at the same time, as far as that is possible.
struct Schedule {
  /// How the lane's target register differs from the round's number.
  std::vector<Vector> target;
  std::vector<Vector> sourceLane;
  /// How the register that the sending lane sends differs from the round's.
  PartialFunction sent;
  /// What is left: the lane takes its element from another turn of the same round.
  std::vector<Vector> turn;  // coordinates
  std::vector<Vector> turns; // registers of the sender, by coordinate
};

Schedule schedule(const SourceMap &map) {
  Schedule result;
  const size_t laneBits = map.ofLane.size();
  result.target.assign(laneBits, 0);
  result.turn.assign(laneBits, 0);
  std::vector<Place> places = map.ofLane;
  std::vector<size_t> open;
  for (size_t bit = 0; bit < laneBits; ++bit)
    if (const auto rest = result.sent.define(places[bit].lane, places[bit].index);
        !rest.at && rest.value)
      open.push_back(bit);

  PartialFunction turns;
  for (size_t bit : open) {
    const auto moves = [&](Place change) {
      const Place moved = places[bit] ^ change;
      if (!result.sent.define(moved.lane, moved.index).at)
        return false;
      places[bit] = moved;
      return true;
    };
    // Either from another place with the same element, or for another of its own registers.
    bool settled = std::any_of(map.free.begin(), map.free.end(), moves);
    for (size_t i = 0; !settled && i < map.ofRegister.size(); ++i)
      if ((settled = moves(map.ofRegister[i])))
        result.target[bit] = Vector(1) << i;
    if (settled)
      continue;
    const Vector rest = result.sent.define(places[bit].lane, places[bit].index).value;
    if (turns.define(rest, Vector(1) << result.turns.size()).at)
      result.turns.push_back(rest);
    result.turn[bit] = *turns(rest);
  }
  for (const Place &place : places)
    result.sourceLane.push_back(place.lane);
  for (size_t bit = 0; bit < laneBits; ++bit)
    result.sent.define(Vector(1) << bit, 0); // lanes that nobody asks
  return result;
}

/// Registers of a thread as words: each word holds an element plus every sum of `inWord`.
struct Words {
  Words(const LinearLayout &layout, std::span<const Vector> inWord) : inWord(inWord) {
    PartialFunction known;
    for (size_t i = 0; i < inWord.size(); ++i)
      known.define(inWord[i], Vector(1) << (ElementShift + i));
    const auto registers = layout.bases(Register);
    for (size_t bit = 0; bit < registers.size(); ++bit) {
      if (known.define(registers[bit], Vector(1) << bases.size()).at)
        bases.push_back(registers[bit]);
      registerOf.define(registers[bit], Vector(1) << bit);
    }
    for (Vector basis : registers)
      places.push_back(*known(basis));
    this->layout = distributed(shapeOf(layout), bases, layout.bases(Lane), layout.bases(Warp));
  }

  size_t count() const { return size_t(1) << bases.size(); }
  /// Registers that hold the elements of a word.
  std::vector<unsigned> registersOf(Vector word) const {
    std::vector<unsigned> registers;
    for (Vector element = 0; element < Vector(1) << inWord.size(); ++element)
      registers.push_back(unsigned(*registerOf(combine(bases, word) ^ combine(inWord, element))));
    return registers;
  }
  ShufflePlan::Result resultOf(Vector registerNumber) const {
    const Vector place = combine(places, registerNumber);
    return {unsigned(place & ((Vector(1) << ElementShift) - 1)), unsigned(place >> ElementShift)};
  }

  LinearLayout layout; // its registers are words

private:
  static constexpr unsigned ElementShift = 32;
  std::span<const Vector> inWord;
  std::vector<Vector> bases, places; // of words; of registers, as element and word
  PartialFunction registerOf;
};

/// Elements that lie in one thread on both sides, from the first that the source's registers have.
std::vector<Vector> commonRegisters(const LinearLayout &source, const LinearLayout &target) {
  const Subspace targetSpace = target.image(Register);
  std::vector<Vector> candidates, common;
  for (Vector basis : source.bases(Register))
    if (targetSpace.contains(basis))
      candidates.push_back(basis);
  const Subspace both = intersection(source.image(Register), targetSpace);
  candidates.insert(candidates.end(), both.basis().begin(), both.basis().end());
  Subspace space;
  for (Vector candidate : candidates)
    if (space.insert(candidate))
      common.push_back(candidate);
  return common;
}

std::optional<ShufflePlan> planWords(const Words &from, const Words &to, size_t targetRegisters) {
  const auto map = mapToSource(from.layout, to.layout);
  if (!map)
    return std::nullopt;
  const Schedule plan = schedule(*map);
  const size_t wordBits = map->ofRegister.size();

  ShufflePlan result;
  for (Vector word = 0; word < from.count(); ++word)
    result.words.push_back(from.registersOf(word));
  result.sourceLane.lane = plan.sourceLane;
  for (size_t bit = 0; bit < map->ofLane.size(); ++bit) {
    result.before.lane.push_back(*plan.sent(Vector(1) << bit));
    result.after.lane.push_back(plan.target[bit] | plan.turn[bit] << wordBits);
  }
  for (const Place &place : map->ofWarp) {
    result.sourceLane.warp.push_back(place.lane);
    result.before.warp.push_back(place.index ^ *plan.sent(place.lane));
    result.after.warp.push_back(0);
  }

  for (Vector turn = 0; turn < Vector(1) << plan.turns.size(); ++turn)
    for (Vector word = 0; word < to.count(); ++word) {
      Place place;
      for (size_t bit = 0; bit < wordBits; ++bit)
        if (word >> bit & 1)
          place = place ^ map->ofRegister[bit];
      const Vector sent = place.index ^ *plan.sent(place.lane) ^ combine(plan.turns, turn);
      result.shuffles.push_back(
          {unsigned(place.lane), unsigned(sent), unsigned(word | turn << wordBits)});
    }
  std::sort(result.shuffles.begin(), result.shuffles.end(), [](const auto &a, const auto &b) {
    return std::pair(a.laneXor, a.to) < std::pair(b.laneXor, b.to);
  });
  result.received = unsigned(to.count()) << plan.turns.size();
  for (size_t number = 0; number < targetRegisters; ++number)
    result.results.push_back(to.resultOf(number));
  return result;
}

} // namespace

std::optional<ShufflePlan> planShuffles(const LinearLayout &source, const LinearLayout &target,
                                        unsigned elementBytes) {
  const std::vector<Vector> common = commonRegisters(source, target);
  const size_t registers = size_t(1) << target.bases(Register).size();
  size_t together = elementBytes < 4 ? size_t(std::countr_zero(4 / elementBytes)) : 0;
  // In words as large as can be; a word must not need another order of its elements in some lanes.
  for (together = std::min(together, common.size());; --together) {
    const auto inWord = std::span(common).first(together);
    auto plan = planWords(Words(source, inWord), Words(target, inWord), registers);
    if (plan || !together)
      return plan;
  }
}

} // namespace nereid::layout
