// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/rings/Boxes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;

namespace nereid::backend::nvptx {
namespace {

using analysis::AffineTile;
using analysis::AffineTiles;
using analysis::Monomial;
using analysis::Polynomial;
using analysis::Symbol;

constexpr unsigned mostDimensions = 5; // of the copy engine

class Search {
public:
  Search(AffineTiles &tiles, const analysis::AxisAnalysis &axes) : tiles(tiles), axes(axes) {}

  std::optional<Box> run(Value address, Value mask) {
    std::optional<AffineTile> pointer = tiles.of(address);
    if (!pointer || !tile::isParameter(pointer->base) || !setTileDimensions(*pointer))
      return std::nullopt;
    elementBytes = tile::byteSizeOf(tile::elementOf(tile::pointeeOf(address.getType())));
    box.base = pointer->base;
    const Box tileAlone = box;
    for (Rows rows : {Rows::Apart, Rows::Together}) {
      box = tileAlone;
      isBoundedBelow = {};
      if (reaches(RemarkId::box_address, distribute(pointer->start, rows)) &&
          reaches(RemarkId::box_alignment, isAligned(pointer->base)) &&
          reaches(RemarkId::box_mask, !mask || addMask(mask, {0, 1})) &&
          reaches(RemarkId::box_start, startsAreInside()))
        return std::move(box);
    }
    return std::nullopt;
  }

  /// What the way that went furthest did not fulfil.
  RemarkId refusal = RemarkId::box_address;

private:
  /// The ids stand in the order in which they are looked at.
  bool reaches(RemarkId id, bool holds) {
    if (!holds)
      refusal = std::max(refusal, id);
    return holds;
  }

  bool isParameter(Symbol symbol) const { return tile::isParameter(tiles[symbol].value); }
  bool isOfParameters(const Polynomial &polynomial) const {
    return llvm::all_of(polynomial.terms(), [&](const auto &term) {
      return llvm::all_of(term.first, [&](Symbol symbol) { return isParameter(symbol); });
    });
  }

  // Addresses

  /// Whether (matrix * rows + row) * length + column is a matrix of an array of three dimensions,
  /// or a row of one of two, whose mask then bounds `matrix * rows + row` (a descriptor's does).
  enum class Rows { Apart, Together };

  /// One dimension of the tile runs along neighbours.
  bool setTileDimensions(const AffineTile &pointer) {
    unsigned inner = pointer.strides[1] == Polynomial(1) ? 1 : 0;
    const Polynomial &other = pointer.strides[1 - inner];
    if (pointer.strides[inner] != Polynomial(1) || other.terms().size() != 1 ||
        other.terms().begin()->second < 0 || !isOfParameters(other))
      return false;
    box.contiguous = inner;
    box.dimensions.push_back({Polynomial(1), {}, {}});
    box.dimensions.push_back({other, {}, {}});
    return true;
  }

  /// Each term of the address is a coordinate times the stride of some dimension.
  bool distribute(const Polynomial &start, Rows rows) {
    for (const auto &[symbols, coefficient] : start.terms()) {
      if (rows == Rows::Together && isOfRows(symbols, coefficient))
        continue;
      Monomial ofParameters, ofPrograms;
      for (Symbol symbol : symbols)
        (isParameter(symbol) ? ofParameters : ofPrograms).push_back(symbol);
      bool isAdded = ofPrograms.empty() ? add(box.offset, Polynomial::product(coefficient, symbols))
                                        : addCoordinate(ofParameters, ofPrograms, coefficient);
      if (!isAdded)
        return false;
    }
    return true;
  }

  /// Adds a multiple of a row's length to where the rows begin.
  bool isOfRows(const Monomial &symbols, int64_t coefficient) {
    Box::Dimension &rows = box.dimensions[1];
    const auto &[length, factor] = *rows.stride.terms().begin();
    if (coefficient % factor != 0 ||
        !std::ranges::includes(symbols, length, std::less<analysis::Symbol>()))
      return false;
    Monomial number;
    std::ranges::set_difference(symbols, length, std::back_inserter(number));
    return add(rows.start, Polynomial::product(coefficient / factor, number));
  }

  static bool add(Polynomial &sum, const Polynomial &term) {
    std::optional<Polynomial> result = Polynomial::sum(sum, term);
    if (result)
      sum = *result;
    return result.has_value();
  }

  bool addCoordinate(const Monomial &strideSymbols, const Monomial &symbols, int64_t coefficient) {
    // The longest of several strides that fit is taken: a row's length before a neighbour's. A
    // longer way than tiles are long is one to another matrix, which coordinates of 32 bits may not
    // reach.
    constexpr int64_t longest = 1 << 15;
    Box::Dimension *best = nullptr;
    int64_t bestFactor = 0;
    for (Box::Dimension &dimension : box.dimensions) {
      const auto &[ofStride, factor] = *dimension.stride.terms().begin();
      if (ofStride == strideSymbols && coefficient % factor == 0 &&
          coefficient / factor <= longest && factor > bestFactor) {
        best = &dimension;
        bestFactor = factor;
      }
    }
    if (best)
      return add(best->start, Polynomial::product(coefficient / bestFactor, symbols));
    if (box.dimensions.size() == mostDimensions || coefficient <= 0)
      return false;
    box.dimensions.push_back(
        {Polynomial::product(coefficient, strideSymbols), Polynomial::product(1, symbols), {}});
    return true;
  }

  bool isAligned(Value base) const {
    auto isMultiple = [&](const Polynomial &elements) {
      return isCopyAligned(elements, elementBytes, tiles, axes);
    };
    return axes.of(base).axes[0].divisibility % copyAlignment == 0 && isMultiple(box.offset) &&
           isMultiple(box.dimensions[0].start) &&
           llvm::all_of(llvm::drop_begin(box.dimensions), [&](const Box::Dimension &dimension) {
             return isMultiple(dimension.stride);
           });
  }

  // Masks

  /// `dimensions` says which of the tile's dimensions each of the mask's is.
  bool addMask(Value mask, llvm::SmallVector<int, 2> dimensions) {
    if (matchPattern(mask, m_One()))
      return true;
    Operation *op = mask.getDefiningOp();
    if (!op)
      return false;
    if (auto both = llvm::dyn_cast<arith::AndIOp>(op))
      return addMask(both.getLhs(), dimensions) && addMask(both.getRhs(), dimensions);
    if (auto compare = llvm::dyn_cast<arith::CmpIOp>(op))
      return addBound(compare, dimensions);
    if (!tile::movesLanes(op) || !tile::isLanewise(op))
      return false;
    llvm::SmallVector<int, 2> ofSource;
    for (int to : tile::laneMapOf(op->getOpOperand(0)))
      ofSource.push_back(to < 0 ? to : dimensions[to]);
    return addMask(op->getOperand(0), ofSource);
  }

  /// c - i >= 0 is an extent, c + i >= 0 is what the engine sees to by itself.
  bool addBound(arith::CmpIOp compare, llvm::ArrayRef<int> dimensions) {
    std::optional<AffineTile> room = roomOf(compare, tiles);
    if (!room)
      return false;
    std::optional<int> along;
    bool isExtent = false;
    for (auto [slope, dimension] : llvm::zip(room->strides, dimensions)) {
      if (slope.isZero())
        continue;
      bool isUnit = slope == Polynomial(-1) || slope == Polynomial(1);
      if (along || !isUnit || dimension < 0)
        return false;
      along = dimension;
      isExtent = slope == Polynomial(-1);
    }
    if (!along)
      return boundsMatrix(room->start);
    return (isExtent ? setExtent(*along, room->start) : hasLowerBound(*along, room->start));
  }

  unsigned dimensionOf(unsigned ofTile) const { return ofTile == box.contiguous ? 0 : 1; }

  /// The mask is i <= last.
  bool setExtent(unsigned ofTile, const Polynomial &last) {
    Box::Dimension &dimension = box.dimensions[dimensionOf(ofTile)];
    std::optional<Polynomial> extent = Polynomial::sum(dimension.start, last);
    if (extent)
      extent = Polynomial::sum(*extent, 1);
    if (!extent || !isOfParameters(*extent) || (dimension.extent && *dimension.extent != *extent))
      return false;
    dimension.extent = *extent;
    return true;
  }

  /// The mask is one for the whole tile, room >= 0: which matrix it is lies below an extent, or
  /// not below zero.
  bool boundsMatrix(const Polynomial &room) {
    for (auto [i, dimension] : llvm::drop_begin(llvm::enumerate(box.dimensions), 2)) {
      if (room == dimension.start)
        return isBoundedBelow[i] = true;
      std::optional<Polynomial> extent = Polynomial::sum(dimension.start, room);
      if (extent)
        extent = Polynomial::sum(*extent, 1);
      if (!extent || !isOfParameters(*extent))
        continue;
      if (dimension.extent && *dimension.extent != *extent)
        return false;
      dimension.extent = *extent;
      return true;
    }
    return false;
  }

  /// The mask is first + i >= 0: the same as that coordinates are not below zero.
  bool hasLowerBound(unsigned ofTile, const Polynomial &first) {
    unsigned dimension = dimensionOf(ofTile);
    isBoundedBelow[dimension] = first == box.dimensions[dimension].start;
    return isBoundedBelow[dimension];
  }

  // Starts

  bool startsAreInside() {
    for (auto [i, dimension] : llvm::enumerate(box.dimensions)) {
      bool isOfTile = i < 2;
      if (isBoundedBelow[i] || isNotNegative(dimension.start))
        continue;
      if (isOfTile || !beginEarlier(dimension))
        return false;
    }
    return true;
  }

  /// Which matrix it is may be read from memory (an expert, a page), and nothing is known of it:
  /// the array is taken to begin so many matrices before the argument. (Beyond them the engine
  /// gives zeros.)
  bool beginEarlier(Box::Dimension &dimension) {
    constexpr int64_t matricesBefore = 1 << 16;
    std::optional<Polynomial> back = Polynomial::product(dimension.stride, -matricesBefore);
    return back && add(box.offset, *back) && add(dimension.start, matricesBefore) &&
           (!dimension.extent || add(*dimension.extent, matricesBefore));
  }

  /// Divisors and moduli are taken to be positive. (Where they are not, addresses lie before the
  /// array.)
  bool isNotNegative(const Polynomial &polynomial) const {
    return llvm::all_of(polynomial.terms(), [&](const auto &term) {
      return term.second > 0 && llvm::all_of(term.first, [&](Symbol symbol) {
               const AffineTiles::Unknown &unknown = tiles[symbol];
               return unknown.value ? isNotNegative(unknown.value)
                                    : isNotNegative(unknown.dividend);
             });
    });
  }

  bool isNotNegative(Value value) const {
    if (axes.of(value).isNonNegative)
      return true;
    if (auto argument = llvm::dyn_cast<BlockArgument>(value)) {
      auto loop = llvm::dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      return loop && argument == loop.getInductionVar() && isNotNegative(loop.getLowerBound());
    }
    Operation *op = value.getDefiningOp();
    return llvm::TypeSwitch<Operation *, bool>(op)
        .Case<arith::AddIOp, arith::MulIOp, arith::MinSIOp>([&](Operation *op) {
          return isNotNegative(op->getOperand(0)) && isNotNegative(op->getOperand(1));
        })
        .Case([&](arith::MaxSIOp op) {
          return isNotNegative(op.getLhs()) || isNotNegative(op.getRhs());
        })
        .Case<arith::DivSIOp, arith::RemSIOp, arith::ExtSIOp, arith::TruncIOp>(
            [&](Operation *op) { return isNotNegative(op->getOperand(0)); })
        .Case([&](arith::SelectOp op) {
          return isNotNegative(op.getTrueValue()) && isNotNegative(op.getFalseValue());
        })
        .Default([](Operation *) { return false; });
  }

  AffineTiles &tiles;
  const analysis::AxisAnalysis &axes;
  Box box;
  unsigned elementBytes = 1;
  std::array<bool, mostDimensions> isBoundedBelow = {};
};

} // namespace

/// The largest divisor of the polynomial, times `factor`, that matters to copies.
static int64_t divisorOf(const Polynomial &polynomial, int64_t factor, const AffineTiles &tiles,
                         const analysis::AxisAnalysis &axes) {
  int64_t common = copyAlignment;
  for (const auto &[symbols, coefficient] : polynomial.terms()) {
    int64_t divisor = coefficient * factor;
    for (Symbol symbol : symbols) {
      const AffineTiles::Unknown &unknown = tiles[symbol];
      // A remainder has the divisors that its dividend and its modulus have.
      int64_t own = unknown.value
                        ? axes.of(unknown.value).axes[0].divisibility
                        : std::gcd(divisorOf(unknown.dividend, 1, tiles, axes), unknown.length);
      divisor = std::gcd(divisor, int64_t(copyAlignment)) * own;
    }
    common = std::gcd(common, divisor);
  }
  return common;
}

bool isCopyAligned(const Polynomial &elements, unsigned elementBytes, const AffineTiles &tiles,
                   const analysis::AxisAnalysis &axes) {
  return divisorOf(elements, elementBytes, tiles, axes) == copyAlignment;
}

std::optional<AffineTile> roomOf(arith::CmpIOp compare, AffineTiles &tiles) {
  using P = arith::CmpIPredicate;
  P predicate = compare.getPredicate();
  bool isLess = predicate == P::slt || predicate == P::sle;
  bool isStrict = predicate == P::slt || predicate == P::sgt;
  if (!isLess && predicate != P::sgt && predicate != P::sge)
    return std::nullopt;
  std::optional<AffineTile> more = tiles.of(isLess ? compare.getRhs() : compare.getLhs());
  std::optional<AffineTile> less = tiles.of(isLess ? compare.getLhs() : compare.getRhs());
  if (!more || !less)
    return std::nullopt;
  std::optional<Polynomial> start = Polynomial::difference(more->start, less->start);
  if (isStrict && start)
    start = Polynomial::sum(*start, -1);
  if (!start)
    return std::nullopt;
  AffineTile room{nullptr, std::move(*start), {}};
  for (auto [a, b] : llvm::zip(more->strides, less->strides)) {
    std::optional<Polynomial> slope = Polynomial::difference(a, b);
    if (!slope)
      return std::nullopt;
    room.strides.push_back(std::move(*slope));
  }
  return room;
}

std::optional<Box> findBox(Value pointer, Value mask, AffineTiles &tiles,
                           const analysis::AxisAnalysis &axes, RemarkId *refusal) {
  Search search(tiles, axes);
  std::optional<Box> box = search.run(pointer, mask);
  if (refusal)
    *refusal = search.refusal;
  return box;
}

} // namespace nereid::backend::nvptx
