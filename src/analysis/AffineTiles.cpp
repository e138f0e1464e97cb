// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/AffineTiles.h"

#include "dialect/tile/Tile.h"
#include "support/Check.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::analysis {

std::optional<AffineTile> AffineTiles::of(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  Form form = compute(value);
  return known[value] = form;
}

Symbol AffineTiles::symbolOf(Value scalar) {
  auto [found, isNew] = symbols.try_emplace(scalar, unknowns.size());
  if (isNew)
    unknowns.push_back({scalar, {}, {}, 1});
  return found->second;
}

AffineTiles::Form AffineTiles::unknown(Value value) {
  Type type = value.getType();
  if (tile::isTile(type))
    return std::nullopt;
  if (tile::pointeeOf(type))
    return AffineTile{value, {}, {}};
  return type.isInteger() && !type.isInteger(1)
             ? Form(AffineTile{{}, Polynomial::of(symbolOf(value)), {}})
             : std::nullopt;
}

AffineTiles::Form AffineTiles::compute(Value value) {
  if (Operation *op = value.getDefiningOp()) {
    Form form = ofOperation(op);
    return form ? form : unknown(value);
  }
  auto argument = llvm::cast<BlockArgument>(value);
  auto loop = llvm::dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (loop && argument != loop.getInductionVar())
    return ofCarried(argument, loop);
  return unknown(value);
}

/// Whether something is promised of a number or an address that was loaded: of the promise's result
/// it is known, and of nothing else.
static bool isPromiseOfMemory(Operation *op) {
  auto promise = llvm::dyn_cast<tile::HintOp>(op);
  if (!promise || tile::isTile(promise.getType()))
    return false;
  Operation *source = promise.getValue().getDefiningOp();
  while (llvm::isa_and_present<arith::ExtSIOp>(source))
    source = source->getOperand(0).getDefiningOp();
  return llvm::isa_and_present<tile::LoadOp, tile::IntToPointerOp>(source);
}

AffineTiles::Form AffineTiles::ofOperation(Operation *op) {
  if (op->getNumResults() != 1)
    return std::nullopt;
  Type type = op->getResult(0).getType();
  size_t rank = tile::shapeOf(type).size();
  APInt constant;
  if (matchPattern(op, m_ConstantInt(&constant)) && constant.getSignificantBits() <= 64)
    return AffineTile{
        {}, constant.getSExtValue(), llvm::SmallVector<Polynomial, 2>(rank, Polynomial())};
  if (auto splat = llvm::dyn_cast<tile::SplatOp>(op)) {
    Form source = of(splat->getOperand(0));
    if (source)
      source->strides.assign(rank, Polynomial());
    return source;
  }
  if (isPromiseOfMemory(op))
    return std::nullopt;
  if (tile::movesLanes(op))
    return ofMovement(op);
  return llvm::TypeSwitch<Operation *, Form>(op)
      .Case([&](tile::RangeOp range) { return AffineTile{{}, range.getStart(), {Polynomial(1)}}; })
      .Case<tile::OffsetOp, arith::AddIOp>(
          [&](Operation *sum) { return ofSum(sum->getOperand(0), sum->getOperand(1)); })
      .Case(
          [&](arith::SubIOp op) { return ofSum(op.getLhs(), op.getRhs(), /*isDifference=*/true); })
      .Case([&](arith::MulIOp op) { return ofProduct(op.getLhs(), op.getRhs()); })
      .Case([&](arith::ExtSIOp op) { return of(op.getIn()); })
      .Case([&](arith::RemSIOp op) {
        return remainders == Remainders::AreRuns ? ofRemainder(op) : std::nullopt;
      })
      .Default([](Operation *) { return std::nullopt; });
}

AffineTiles::Form AffineTiles::ofMovement(Operation *op) {
  Form source = tile::isLanewise(op) ? of(op->getOperand(0)) : std::nullopt;
  if (!source)
    return std::nullopt;
  llvm::SmallVector<Polynomial, 2> strides(tile::shapeOf(op->getResult(0).getType()).size(),
                                           Polynomial());
  for (auto [from, to] : llvm::enumerate(tile::laneMapOf(op->getOpOperand(0))))
    if (to >= 0)
      strides[to] = source->strides[from];
  source->strides = std::move(strides);
  return source;
}

AffineTiles::Form AffineTiles::ofSum(Value lhs, Value rhs, bool isDifference) {
  Form a = of(lhs), b = of(rhs);
  if (!a || !b || b->base || (isDifference && a->base))
    return std::nullopt;
  auto combine = isDifference ? Polynomial::difference : Polynomial::sum;
  AffineTile result{a->base, {}, {}};
  std::optional<Polynomial> start = combine(a->start, b->start);
  if (!start)
    return std::nullopt;
  result.start = *start;
  for (auto [ofA, ofB] : llvm::zip_equal(a->strides, b->strides)) {
    std::optional<Polynomial> stride = combine(ofA, ofB);
    if (!stride)
      return std::nullopt;
    result.strides.push_back(*stride);
  }
  return result;
}

static bool isUniform(const AffineTile &tile) {
  return llvm::all_of(tile.strides, [](const Polynomial &stride) { return stride.isZero(); });
}

AffineTiles::Form AffineTiles::ofProduct(Value lhs, Value rhs) {
  Form a = of(lhs), b = of(rhs);
  if (!a || !b)
    return std::nullopt;
  if (!isUniform(*b))
    std::swap(a, b);
  if (!isUniform(*b))
    return std::nullopt;
  std::optional<Polynomial> start = Polynomial::product(a->start, b->start);
  if (!start)
    return std::nullopt;
  AffineTile result{{}, *start, {}};
  for (const Polynomial &stride : a->strides) {
    std::optional<Polynomial> scaled = Polynomial::product(stride, b->start);
    if (!scaled)
      return std::nullopt;
    result.strides.push_back(*scaled);
  }
  return result;
}

/// (start + i) % M for i below n is start % M + i where n divides start and M.
AffineTiles::Form AffineTiles::ofRemainder(Operation *op) {
  Value dividend = op->getOperand(0);
  llvm::ArrayRef<int64_t> shape = tile::shapeOf(dividend.getType());
  Form tile = of(dividend), modulus = of(op->getOperand(1));
  if (!tile || !modulus || shape.size() != 1 || tile->strides[0] != Polynomial(1) ||
      !isUniform(*modulus) || !tile->start.isMultipleOf(shape[0]))
    return std::nullopt;
  const auto &terms = modulus->start.terms();
  if (terms.size() != 1 || terms.begin()->first.size() != 1 || terms.begin()->second != 1)
    return std::nullopt;
  Value parameter = unknowns[terms.begin()->first[0]].value;
  if (!parameter || parameter.getDefiningOp())
    return std::nullopt;
  unknowns.push_back({{}, tile->start, parameter, shape[0]});
  return AffineTile{{}, Polynomial::of(unknowns.size() - 1), {Polynomial(1)}};
}

// Loops

/// By how much `next` is more than `argument`, from which it comes by additions.
std::optional<Polynomial> AffineTiles::stepFrom(BlockArgument argument, Value next) {
  if (next == argument)
    return Polynomial();
  Operation *sum = next.getDefiningOp();
  if (!llvm::isa_and_present<tile::OffsetOp, arith::AddIOp>(sum))
    return std::nullopt;
  for (unsigned i : {0, 1}) {
    std::optional<Polynomial> before = stepFrom(argument, sum->getOperand(i));
    if (!before)
      continue;
    Form added = of(sum->getOperand(1 - i));
    return added && !added->base && isUniform(*added) ? Polynomial::sum(*before, added->start)
                                                      : std::nullopt;
  }
  return std::nullopt;
}

/// What a loop adds the same number to in each round.
AffineTiles::Form AffineTiles::ofCarried(BlockArgument argument, scf::ForOp loop) {
  known[argument] = unknown(argument); // for what the step is computed from
  unsigned number = argument.getArgNumber() - loop.getNumInductionVars();
  Form init = of(loop.getInitArgs()[number]);
  std::optional<Polynomial> step = stepFrom(argument, loop.getYieldedValues()[number]);
  std::optional<Polynomial> distance = init && step ? inRoundsBefore(*step, loop) : std::nullopt;
  std::optional<Polynomial> start =
      distance ? Polynomial::sum(init->start, *distance) : std::nullopt;
  if (!start)
    return unknown(argument);
  init->start = *start;
  return init;
}

bool AffineTiles::isKnownBefore(const Polynomial &polynomial, scf::ForOp loop) const {
  return llvm::all_of(polynomial.terms(), [&](const auto &term) {
    return llvm::all_of(term.first, [&](Symbol symbol) {
      Value value = unknowns[symbol].value;
      return value && !loop->isAncestor(value.getParentRegion()->getParentOp());
    });
  });
}

/// step * (induction - lower) / step of the loop.
std::optional<Polynomial> AffineTiles::inRoundsBefore(const Polynomial &step, scf::ForOp loop) {
  Form lower = of(loop.getLowerBound()), perRound = of(loop.getStep());
  std::optional<int64_t> divisor = perRound ? perRound->start.constant() : std::nullopt;
  if (!lower || !divisor || *divisor <= 0 || !step.isMultipleOf(*divisor) ||
      !isKnownBefore(step, loop))
    return std::nullopt;
  std::optional<Polynomial> passed =
      Polynomial::difference(Polynomial::of(symbolOf(loop.getInductionVar())), lower->start);
  return passed ? Polynomial::product(step.dividedBy(*divisor), *passed) : std::nullopt;
}

// Results

llvm::SmallVector<AffineTiles::Condition, 2>
AffineTiles::conditionsOf(const Polynomial &polynomial) const {
  llvm::SmallVector<Condition, 2> conditions;
  for (const auto &[symbols, coefficient] : polynomial.terms())
    for (Symbol symbol : symbols)
      if (const Unknown &unknown = unknowns[symbol]; !unknown.value) {
        conditions.push_back({unknown.modulus, unknown.length});
        conditions.append(conditionsOf(unknown.dividend));
      }
  return conditions;
}

Value AffineTiles::materialize(const Polynomial &polynomial, OpBuilder &builder, Location loc,
                               Type type) const {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
  };
  Value sum;
  for (const auto &[symbols, coefficient] : polynomial.terms()) {
    Value product = symbols.empty() || coefficient != 1 ? constant(coefficient) : Value();
    for (Symbol symbol : symbols) {
      Value factor = materialize(symbol, builder, loc, type);
      product = product ? arith::MulIOp::create(builder, loc, product, factor) : factor;
    }
    sum = sum ? arith::AddIOp::create(builder, loc, sum, product) : product;
  }
  return sum ? sum : constant(0);
}

static Value resized(Value value, OpBuilder &builder, Location loc, Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth(), to = type.getIntOrFloatBitWidth();
  if (from < to)
    return arith::ExtSIOp::create(builder, loc, type, value);
  return from > to ? arith::TruncIOp::create(builder, loc, type, value).getResult() : value;
}

Value AffineTiles::materialize(Symbol symbol, OpBuilder &builder, Location loc, Type type) const {
  const Unknown &unknown = unknowns[symbol];
  if (unknown.value)
    return resized(unknown.value, builder, loc, type);
  Value dividend = materialize(unknown.dividend, builder, loc, unknown.modulus.getType());
  Value remainder = arith::RemSIOp::create(builder, loc, dividend, unknown.modulus);
  return resized(remainder, builder, loc, type);
}

} // namespace nereid::analysis
