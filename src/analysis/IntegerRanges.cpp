// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/IntegerRanges.h"

#include "dialect/tile/Tile.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;
using llvm::APInt;
using llvm::ConstantRange;

namespace nereid::analysis {

/// How far a value is followed; indices are no longer chains.
static constexpr unsigned deepest = 12;

static bool isInteger(Value value) { return llvm::isa<IntegerType>(value.getType()); }

static ConstantRange everything(Value value) {
  return ConstantRange::getFull(value.getType().getIntOrFloatBitWidth());
}

/// From `least` to `most`, both of them in.
static ConstantRange between(unsigned bits, int64_t least, int64_t most) {
  return ConstantRange::getNonEmpty(APInt(bits, least, true), APInt(bits, most, true) + 1);
}

static llvm::CmpInst::Predicate predicateOf(arith::CmpIPredicate predicate) {
  using From = arith::CmpIPredicate;
  switch (predicate) {
  case From::eq:
    return llvm::CmpInst::ICMP_EQ;
  case From::ne:
    return llvm::CmpInst::ICMP_NE;
  case From::slt:
    return llvm::CmpInst::ICMP_SLT;
  case From::sle:
    return llvm::CmpInst::ICMP_SLE;
  case From::sgt:
    return llvm::CmpInst::ICMP_SGT;
  case From::sge:
    return llvm::CmpInst::ICMP_SGE;
  case From::ult:
    return llvm::CmpInst::ICMP_ULT;
  case From::ule:
    return llvm::CmpInst::ICMP_ULE;
  case From::ugt:
    return llvm::CmpInst::ICMP_UGT;
  case From::uge:
    return llvm::CmpInst::ICMP_UGE;
  }
  llvm_unreachable("a predicate of integers");
}

// Conditions

using Facts = llvm::SmallVector<Fact, 4>;

static bool isConstantBool(Value value, bool wanted) {
  APInt constant;
  return matchPattern(value, m_ConstantInt(&constant)) && constant.isZero() != wanted;
}

static void addFacts(Value condition, bool holds, Facts &facts);

/// `a and b` evaluates b in a region of its own, of whose values one knows outside what they say.
static void addFactsOfBranch(scf::IfOp branch, unsigned result, bool holds, Facts &facts) {
  if (!branch.elseBlock())
    return;
  Value yes = branch.thenYield().getOperand(result), no = branch.elseYield().getOperand(result);
  if (isConstantBool(no, !holds)) {
    addFacts(branch.getCondition(), true, facts);
    addFacts(yes, holds, facts);
  } else if (isConstantBool(yes, !holds)) {
    addFacts(branch.getCondition(), false, facts);
    addFacts(no, holds, facts);
  }
}

static void addFacts(Value condition, bool holds, Facts &facts) {
  Operation *op = condition.getDefiningOp();
  if (!op)
    return;
  if (auto compare = llvm::dyn_cast<arith::CmpIOp>(op)) {
    auto predicate = compare.getPredicate();
    facts.push_back({holds ? predicate : arith::invertPredicate(predicate), compare.getLhs(),
                     compare.getRhs()});
  } else if (holds ? llvm::isa<arith::AndIOp>(op) : llvm::isa<arith::OrIOp>(op)) {
    addFacts(op->getOperand(0), holds, facts);
    addFacts(op->getOperand(1), holds, facts);
  } else if (auto flipped = llvm::dyn_cast<arith::XOrIOp>(op)) {
    if (isConstantBool(flipped.getRhs(), true))
      addFacts(flipped.getLhs(), !holds, facts);
  } else if (auto choice = llvm::dyn_cast<arith::SelectOp>(op)) {
    if (isConstantBool(choice.getFalseValue(), !holds)) {
      addFacts(choice.getCondition(), true, facts);
      addFacts(choice.getTrueValue(), holds, facts);
    } else if (isConstantBool(choice.getTrueValue(), !holds)) {
      addFacts(choice.getCondition(), false, facts);
      addFacts(choice.getFalseValue(), holds, facts);
    }
  } else if (auto branch = llvm::dyn_cast<scf::IfOp>(op)) {
    addFactsOfBranch(branch, llvm::cast<OpResult>(condition).getResultNumber(), holds, facts);
  }
}

/// What the condition says of a value, it says of the argument that the value is passed on to.
static void addFactsOfTurn(scf::WhileOp loop, Facts &facts) {
  scf::ConditionOp condition = loop.getConditionOp();
  Facts before;
  addFacts(condition.getCondition(), true, before);
  auto passed = [&](Value value) -> Value {
    for (auto [given, argument] : llvm::zip(condition.getArgs(), loop.getAfterArguments()))
      if (given == value)
        return argument;
    return {};
  };
  for (Fact fact : before) {
    if (Value argument = passed(fact.lhs))
      fact.lhs = argument;
    if (Value argument = passed(fact.rhs))
      fact.rhs = argument;
    facts.push_back(fact);
  }
}

/// Those of the blocks around are looked up as those.
static Facts ownFacts(Block *block) {
  Facts facts;
  Operation *around = block->getParentOp();
  if (auto branch = llvm::dyn_cast<scf::IfOp>(around)) {
    addFacts(branch.getCondition(), block == branch.thenBlock(), facts);
  } else if (auto loop = llvm::dyn_cast<scf::WhileOp>(around)) {
    if (block == loop.getAfterBody())
      addFactsOfTurn(loop, facts);
  } else if (auto loop = llvm::dyn_cast<scf::ForOp>(around)) {
    using Predicate = arith::CmpIPredicate;
    bool isUnsigned = loop.getUnsignedCmp();
    Value counter = loop.getInductionVar();
    facts.push_back({isUnsigned ? Predicate::ult : Predicate::slt, counter, loop.getUpperBound()});
    facts.push_back({isUnsigned ? Predicate::uge : Predicate::sge, counter, loop.getLowerBound()});
  }
  return facts;
}

llvm::ArrayRef<Fact> IntegerRanges::factsAt(Block *block) {
  auto [entry, isNew] = facts.try_emplace(block);
  if (isNew)
    entry->second = ownFacts(block);
  return entry->second;
}

static Block *blockAround(Block *block) {
  Operation *around = block->getParentOp();
  return llvm::isa<func::FuncOp>(around) ? nullptr : around->getBlock();
}

// Ranges

static ConstantRange convertedRange(Operation *op, const ConstantRange &range, unsigned bits) {
  if (llvm::isa<arith::ExtSIOp>(op))
    return range.signExtend(bits);
  return llvm::isa<arith::ExtUIOp>(op) ? range.zeroExtend(bits) : range.truncate(bits);
}

/// The divisors and shifts that ConstantRange looks at; with others there are results as well.
static bool isPlain(Operation *op, const ConstantRange &rhs) {
  if (llvm::isa<arith::DivSIOp, arith::RemSIOp, arith::DivUIOp, arith::RemUIOp>(op))
    return rhs.getSignedMin().isStrictlyPositive();
  if (llvm::isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op))
    return rhs.getUnsignedMax().ult(rhs.getBitWidth());
  return true;
}

static ConstantRange arithmetic(Operation *op, const ConstantRange &lhs, const ConstantRange &rhs) {
  if (!isPlain(op, rhs))
    return ConstantRange::getFull(lhs.getBitWidth());
  return llvm::TypeSwitch<Operation *, ConstantRange>(op)
      .Case([&](arith::AddIOp) { return lhs.add(rhs); })
      .Case([&](arith::SubIOp) { return lhs.sub(rhs); })
      .Case([&](arith::MulIOp) { return lhs.multiply(rhs); })
      .Case([&](arith::DivSIOp) { return lhs.sdiv(rhs); })
      .Case([&](arith::RemSIOp) { return lhs.srem(rhs); })
      .Case([&](arith::DivUIOp) { return lhs.udiv(rhs); })
      .Case([&](arith::RemUIOp) { return lhs.urem(rhs); })
      .Case([&](arith::ShLIOp) { return lhs.shl(rhs); })
      .Case([&](arith::ShRSIOp) { return lhs.ashr(rhs); })
      .Case([&](arith::ShRUIOp) { return lhs.lshr(rhs); })
      .Case([&](arith::AndIOp) { return lhs.binaryAnd(rhs); })
      .Case([&](arith::OrIOp) { return lhs.binaryOr(rhs); })
      .Case([&](arith::XOrIOp) { return lhs.binaryXor(rhs); })
      .Case([&](arith::MinSIOp) { return lhs.smin(rhs); })
      .Case([&](arith::MaxSIOp) { return lhs.smax(rhs); })
      .Case([&](arith::MinUIOp) { return lhs.umin(rhs); })
      .Case([&](arith::MaxUIOp) { return lhs.umax(rhs); })
      .Default([&](Operation *) { return ConstantRange::getFull(lhs.getBitWidth()); });
}

/// x - y where x >= y is known and nothing wraps.
ConstantRange IntegerRanges::difference(arith::SubIOp op, const Ranges &operands, Block *block) {
  using Predicate = arith::CmpIPredicate;
  unsigned bits = operands[0].getBitWidth();
  bool wraps = false;
  (void)operands[0].getSignedMax().ssub_ov(operands[1].getSignedMin(), wraps);
  ConstantRange range = operands[0].sub(operands[1]);
  if (wraps)
    return range;
  for (Block *around = block; around; around = blockAround(around)) {
    for (const Fact &fact : factsAt(around)) {
      bool isSame = fact.lhs == op.getLhs() && fact.rhs == op.getRhs();
      bool isOpposite = fact.rhs == op.getLhs() && fact.lhs == op.getRhs();
      bool isMore = (isSame && fact.predicate == Predicate::sgt) ||
                    (isOpposite && fact.predicate == Predicate::slt);
      bool isNoLess = (isSame && fact.predicate == Predicate::sge) ||
                      (isOpposite && fact.predicate == Predicate::sle);
      if (isMore || isNoLess)
        range =
            range.intersectWith(ConstantRange(APInt(bits, isMore), APInt::getSignedMinValue(bits)));
    }
  }
  return range;
}

/// A loop begins at its lower bound and ends before the upper one, and has no turn where its step
/// is not positive.
ConstantRange IntegerRanges::counted(scf::ForOp loop, Block *block, unsigned depth) {
  ConstantRange lower = search(loop.getLowerBound(), block, depth);
  ConstantRange upper = search(loop.getUpperBound(), block, depth);
  unsigned bits = lower.getBitWidth();
  if (loop.getUnsignedCmp() || upper.getSignedMax().sle(lower.getSignedMin()))
    return ConstantRange::getFull(bits);
  APInt behind = upper.getSignedMax(), step;
  const APInt *first = lower.getSingleElement(), *end = upper.getSingleElement();
  if (first && end && matchPattern(loop.getStep(), m_ConstantInt(&step)) &&
      step.isStrictlyPositive())
    behind = *end - (*end - 1 - *first).urem(step); // the last round begins one below
  return ConstantRange::getNonEmpty(lower.getSignedMin(), behind);
}

ConstantRange IntegerRanges::chosen(scf::IfOp branch, unsigned result, unsigned depth) {
  Value yes = branch.thenYield().getOperand(result), no = branch.elseYield().getOperand(result);
  return search(yes, branch.thenBlock(), depth).unionWith(search(no, branch.elseBlock(), depth));
}

ConstantRange IntegerRanges::computed(Value value, Block *block, unsigned depth) {
  Operation *op = value.getDefiningOp();
  if (!op) {
    if (auto known = carriedRanges.find(value); known != carriedRanges.end())
      return known->second;
    auto argument = llvm::cast<BlockArgument>(value);
    auto loop = llvm::dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (loop && argument == loop.getInductionVar())
      return counted(loop, loop->getBlock(), depth);
    if (auto turn = llvm::dyn_cast<scf::WhileOp>(argument.getOwner()->getParentOp()))
      if (argument.getOwner() == turn.getAfterBody())
        return search(turn.getConditionOp().getArgs()[argument.getArgNumber()],
                      turn.getBeforeBody(), depth);
    return everything(value);
  }
  unsigned bits = value.getType().getIntOrFloatBitWidth();
  if (APInt constant; matchPattern(value, m_ConstantInt(&constant)))
    return ConstantRange(constant);
  if (auto id = llvm::dyn_cast<tile::ThreadIdOp>(op)) {
    tile::BlockShape shape = *tile::blockOf(kernel);
    int64_t extents[] = {shape.x, shape.y, shape.z};
    return between(bits, 0, extents[id.getAxis()] - 1);
  }
  if (llvm::isa<tile::ProgramIdOp, tile::NumProgramsOp>(op))
    return between(bits, 0, std::numeric_limits<int32_t>::max());
  if (auto branch = llvm::dyn_cast<scf::IfOp>(op))
    return chosen(branch, llvm::cast<OpResult>(value).getResultNumber(), depth);
  if (auto loop = llvm::dyn_cast<scf::ForOp>(op)) {
    unsigned place = llvm::cast<OpResult>(value).getResultNumber();
    return search(loop.getRegionIterArg(place), loop.getBody(), depth)
        .unionWith(search(loop.getYieldedValues()[place], loop.getBody(), depth));
  }
  if (auto loop = llvm::dyn_cast<scf::WhileOp>(op)) {
    unsigned place = llvm::cast<OpResult>(value).getResultNumber();
    return search(loop.getConditionOp().getArgs()[place], loop.getBeforeBody(), depth);
  }
  if (auto choice = llvm::dyn_cast<arith::SelectOp>(op))
    return search(choice.getTrueValue(), block, depth)
        .unionWith(search(choice.getFalseValue(), block, depth));
  bool isArithmetic = op->getName().getDialectNamespace() == "arith" && op->getNumOperands() <= 2 &&
                      llvm::all_of(op->getOperands(), isInteger);
  if (!isArithmetic)
    return everything(value);
  Ranges operands;
  for (Value operand : op->getOperands())
    operands.push_back(search(operand, block, depth));
  if (llvm::isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
    return convertedRange(op, operands[0], bits);
  if (auto subtraction = llvm::dyn_cast<arith::SubIOp>(op))
    return difference(subtraction, operands, block);
  return operands.size() == 2 && operands[0].getBitWidth() == bits
             ? arithmetic(op, operands[0], operands[1])
             : everything(value);
}

/// What the facts of the blocks around say, with the other side as it is without them.
ConstantRange IntegerRanges::narrowed(ConstantRange range, Value value, Block *block,
                                      unsigned depth) {
  for (Block *around = block; around; around = blockAround(around))
    for (const Fact &fact : Facts(factsAt(around))) {
      if (fact.lhs != value && fact.rhs != value)
        continue;
      bool isLeft = fact.lhs == value;
      ConstantRange other = computed(isLeft ? fact.rhs : fact.lhs, block, depth);
      llvm::CmpInst::Predicate predicate = predicateOf(fact.predicate);
      if (!isLeft)
        predicate = llvm::CmpInst::getSwappedPredicate(predicate);
      range = range.intersectWith(ConstantRange::makeAllowedICmpRegion(predicate, other),
                                  ConstantRange::Signed);
    }
  return range;
}

ConstantRange IntegerRanges::search(Value value, Block *block, unsigned depth) {
  if (depth == 0)
    return everything(value);
  // Whoever comes back to it on the way, by a condition on what it is computed from, knows nothing.
  auto key = std::pair(value, block);
  auto [known, isNew] = found.try_emplace(key, everything(value));
  if (!isNew)
    return known->second;
  ConstantRange range = narrowed(computed(value, block, depth - 1), value, block, depth - 1);
  found.insert_or_assign(key, range);
  return range;
}

ConstantRange IntegerRanges::rangeOf(Value value, Operation *place) {
  return search(value, place->getBlock(), deepest);
}

std::optional<bool> IntegerRanges::decide(arith::CmpIOp comparison) {
  if (!isInteger(comparison.getLhs()))
    return std::nullopt;
  for (Block *around = comparison->getBlock(); around; around = blockAround(around))
    for (const Fact &fact : factsAt(around))
      if (fact.lhs == comparison.getLhs() && fact.rhs == comparison.getRhs()) {
        if (fact.predicate == comparison.getPredicate())
          return true;
        if (arith::invertPredicate(fact.predicate) == comparison.getPredicate())
          return false;
      }
  ConstantRange lhs = rangeOf(comparison.getLhs(), comparison);
  ConstantRange rhs = rangeOf(comparison.getRhs(), comparison);
  llvm::CmpInst::Predicate predicate = predicateOf(comparison.getPredicate());
  if (lhs.icmp(predicate, rhs))
    return true;
  if (lhs.icmp(llvm::CmpInst::getInversePredicate(predicate), rhs))
    return false;
  return std::nullopt;
}

// What loops carry

namespace {

/// A bound that is tried, and given up for the next where a turn breaks it: what the loop begins
/// with, zero, none.
struct Bounds {
  APInt least, most;

  ConstantRange range() const { return ConstantRange::getNonEmpty(least, most + 1); }
  /// Whether `next` is within; widens the bounds if it is not.
  bool hold(const ConstantRange &next) {
    unsigned bits = least.getBitWidth();
    bool isAbove = next.getSignedMin().sge(least), isBelow = next.getSignedMax().sle(most);
    if (!isAbove)
      least = least.isStrictlyPositive() ? APInt::getZero(bits) : APInt::getSignedMinValue(bits);
    if (!isBelow)
      most = APInt::getSignedMaxValue(bits);
    return isAbove && isBelow;
  }
};

} // namespace

void IntegerRanges::prove(ValueRange initial, ValueRange carried, ValueRange next,
                          Block *lastBlock) {
  llvm::SmallVector<std::tuple<Value, Value, Bounds>> tried;
  for (auto [first, argument, last] : llvm::zip(initial, carried, next)) {
    if (!isInteger(argument))
      continue;
    ConstantRange start = search(first, blockAround(lastBlock), deepest);
    tried.emplace_back(argument, last, Bounds{start.getSignedMin(), start.getSignedMax()});
  }
  bool doAllHold = tried.empty();
  while (!doAllHold) {
    for (auto &[argument, last, bounds] : tried)
      carriedRanges.insert_or_assign(argument, bounds.range());
    found.clear();
    doAllHold = true;
    for (auto &[argument, last, bounds] : tried)
      doAllHold &= bounds.hold(search(last, lastBlock, deepest));
  }
}

IntegerRanges::IntegerRanges(func::FuncOp function) : kernel(function) {
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto loop = llvm::dyn_cast<scf::ForOp>(op))
      prove(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getYieldedValues(), loop.getBody());
    else if (auto loop = llvm::dyn_cast<scf::WhileOp>(op))
      prove(loop.getInits(), loop.getBeforeArguments(), loop.getYieldOp().getOperands(),
            loop.getAfterBody());
  });
}

} // namespace nereid::analysis
