// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/AccessesApart.h"

#include "dialect/tile/Tile.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstdlib>

using namespace mlir;

namespace nereid::analysis {
namespace {

/// Offsets are below it, so that sums of some do not leave 64 bits.
constexpr int64_t farthest = int64_t(1) << 60;

bool isWithin(int64_t number, int64_t bound) { return -bound < number && number < bound; }

/// From the least to the greatest, in elements.
struct Interval {
  int64_t least = 0, most = 0;
};

/// Of a tile's elements, from its first one.
std::optional<Interval> reachOf(const AffineTile &tile, Value pointer) {
  Interval reach;
  for (auto [stride, extent] : llvm::zip_equal(tile.strides, tile::shapeOf(pointer.getType()))) {
    std::optional<int64_t> step = stride.constant();
    if (!step || !isWithin(*step, farthest / std::max<int64_t>(extent, 1)))
      return std::nullopt;
    int64_t last = *step * (extent - 1);
    (last < 0 ? reach.least : reach.most) += last;
    if (-reach.least >= farthest || reach.most >= farthest)
      return std::nullopt;
  }
  return reach;
}

/// From any element of one to any of the other, in one round: what their starts have in common,
/// loops' variables among it, does not matter.
std::optional<Interval> distanceBetween(AffineTiles &tiles, Value pointer, Value other) {
  std::optional<AffineTile> a = tiles.of(pointer), b = tiles.of(other);
  if (!a || !b || !a->base || a->base != b->base)
    return std::nullopt;
  std::optional<Polynomial> between = Polynomial::difference(b->start, a->start);
  std::optional<int64_t> distance = between ? between->constant() : std::nullopt;
  std::optional<Interval> ofA = reachOf(*a, pointer), ofB = reachOf(*b, other);
  if (!distance || !isWithin(*distance, farthest) || !ofA || !ofB)
    return std::nullopt;
  return Interval{*distance + ofB->least - ofA->most, *distance + ofB->most - ofA->least};
}

/// What is left of a polynomial without multiples of `unit`, if that is one number.
std::optional<int64_t> constantBesides(const Polynomial &polynomial, int64_t unit) {
  int64_t constant = 0;
  for (const auto &[symbols, coefficient] : polynomial.terms())
    if (symbols.empty())
      constant = coefficient;
    else if (coefficient % unit != 0)
      return std::nullopt;
  return isWithin(constant, farthest) ? std::optional(constant) : std::nullopt;
}

/// From any element of one to any of the other, but for multiples of `unit`.
std::optional<Interval> distanceBesides(const AffineTile &a, Value pointer, const AffineTile &b,
                                        Value other, int64_t unit) {
  std::optional<Polynomial> between = Polynomial::difference(b.start, a.start);
  std::optional<int64_t> distance = between ? constantBesides(*between, unit) : std::nullopt;
  auto without = [&](AffineTile tile) {
    for (Polynomial &stride : tile.strides)
      if (stride.isMultipleOf(unit))
        stride = Polynomial();
    return tile;
  };
  std::optional<Interval> ofA = reachOf(without(a), pointer), ofB = reachOf(without(b), other);
  if (!distance || !ofA || !ofB)
    return std::nullopt;
  return Interval{*distance + ofB->least - ofA->most, *distance + ofB->most - ofA->least};
}

/// Whether the two have different columns of the same rows, whichever rows these are: some stride
/// has no multiple among all that they may be apart besides its multiples.
bool areColumnsApart(const AffineTile &a, Value pointer, const AffineTile &b, Value other) {
  return llvm::any_of(a.strides, [&](const Polynomial &stride) {
    const int64_t unit = std::abs(stride.constant().value_or(0));
    if (unit < 2 || unit >= farthest)
      return false;
    std::optional<Interval> distance = distanceBesides(a, pointer, b, other, unit);
    return distance && llvm::divideFloorSigned(distance->most, unit) <
                           llvm::divideCeilSigned(distance->least, unit);
  });
}

/// By how many elements a round goes on, if `start` changes from round to round with the loop's own
/// variable alone.
std::optional<int64_t> advanceOf(const AffineTiles &tiles, const Polynomial &start,
                                 scf::ForOp loop) {
  APInt step;
  if (!matchPattern(loop.getStep(), m_ConstantInt(&step)) || step.getSignificantBits() > 32)
    return std::nullopt;
  int64_t advance = 0;
  for (const auto &[symbols, coefficient] : start.terms())
    for (Symbol symbol : symbols) {
      Value value = tiles[symbol].value;
      if (!value)
        return std::nullopt;
      if (value == loop.getInductionVar()) {
        if (symbols.size() != 1 || !isWithin(coefficient, int64_t(1) << 28))
          return std::nullopt;
        advance = coefficient * step.getSExtValue();
      } else if (loop->isAncestor(value.getParentBlock()->getParentOp())) {
        return std::nullopt;
      }
    }
  return advance;
}

} // namespace

bool areApart(AffineTiles &tiles, Value pointer, Value other) {
  std::optional<Interval> distance = distanceBetween(tiles, pointer, other);
  if (distance && (distance->least > 0 || distance->most < 0))
    return true;
  std::optional<AffineTile> a = tiles.of(pointer), b = tiles.of(other);
  return a && b && a->base && a->base == b->base && areColumnsApart(*a, pointer, *b, other);
}

bool areElementsApart(AffineTiles &tiles, Value pointer) {
  std::optional<AffineTile> tile = tiles.of(pointer);
  if (!tile)
    return false;
  llvm::SmallVector<std::pair<int64_t, int64_t>> steps; // and the last index along each
  for (auto [stride, extent] : llvm::zip_equal(tile->strides, tile::shapeOf(pointer.getType()))) {
    if (extent == 1)
      continue;
    std::optional<int64_t> step = stride.constant();
    if (!step || !isWithin(*step, farthest / extent))
      return false;
    steps.emplace_back(std::abs(*step), extent - 1);
  }
  llvm::sort(steps);
  int64_t reach = 0;
  return llvm::all_of(steps, [&](auto step) {
    const bool isBeyond = step.first > reach;
    reach += step.first * step.second;
    return isBeyond && reach < farthest;
  });
}

bool areRoundsApart(AffineTiles &tiles, scf::ForOp loop, Value pointer, Value other) {
  std::optional<Interval> distance = distanceBetween(tiles, pointer, other);
  if (!distance)
    return false;
  AffineTile tile = *tiles.of(pointer); // whose start changes as the other's does
  if (loop->isAncestor(tile.base.getParentBlock()->getParentOp()))
    return false;
  std::optional<int64_t> advance = advanceOf(tiles, tile.start, loop);
  return advance &&
         std::abs(*advance) > std::max(std::abs(distance->least), std::abs(distance->most));
}

/// The same for any step, and factors that are known before the loop.
static std::optional<Polynomial> symbolicAdvance(AffineTiles &tiles, const Polynomial &start,
                                                 scf::ForOp loop) {
  std::optional<AffineTile> step = tiles.of(loop.getStep());
  Polynomial perStep;
  for (const auto &[symbols, coefficient] : start.terms()) {
    Monomial factors;
    for (Symbol symbol : symbols) {
      Value value = tiles[symbol].value;
      if (!value)
        return std::nullopt;
      if (value == loop.getInductionVar())
        continue;
      if (loop->isAncestor(value.getParentBlock()->getParentOp()))
        return std::nullopt;
      factors.push_back(symbol);
    }
    if (factors.size() == symbols.size())
      continue;
    std::optional<Polynomial> sum;
    if (factors.size() + 1 == symbols.size())
      sum = Polynomial::sum(perStep, Polynomial::product(coefficient, factors));
    if (!sum)
      return std::nullopt;
    perStep = *sum;
  }
  return step ? Polynomial::product(perStep, step->start) : std::nullopt;
}

std::optional<RoundsDistance> distanceOfRounds(AffineTiles &tiles, scf::ForOp loop, Value pointer,
                                               Value other) {
  std::optional<Interval> distance = distanceBetween(tiles, pointer, other);
  if (!distance)
    return std::nullopt;
  AffineTile tile = *tiles.of(pointer); // whose start changes as the other's does
  if (loop->isAncestor(tile.base.getParentBlock()->getParentOp()))
    return std::nullopt;
  std::optional<Polynomial> advance = symbolicAdvance(tiles, tile.start, loop);
  if (!advance || advance->constant())
    return std::nullopt;
  return RoundsDistance{*advance, std::max(std::abs(distance->least), std::abs(distance->most))};
}

} // namespace nereid::analysis
