// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Passes.h"

#include "analysis/IntegerRanges.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace nereid::passes {

#define GEN_PASS_DEF_DECIDEMASKS
#include "passes/Passes.h.inc"

namespace {

using namespace mlir;

/// What an integer, or each element of a tile of them, is between, both included, as signed.
struct Bounds {
  int64_t least, most;
};

constexpr unsigned mostOperations = 8; // of a chain that is looked through: each may have two

std::optional<Bounds> ofConstant(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)) || number.getBitWidth() > 64)
    return std::nullopt;
  return Bounds{number.getSExtValue(), number.getSExtValue()};
}

/// Nothing where the type cannot hold them: it would wrap.
std::optional<Bounds> within(Bounds bounds, Type type) {
  const unsigned width = tile::elementOf(type).getIntOrFloatBitWidth();
  if (width > 64 || !llvm::isIntN(width, bounds.least) || !llvm::isIntN(width, bounds.most))
    return std::nullopt;
  return bounds;
}

/// Of what a comparison compares. Scalars have the range of the place; it is looked for once a
/// scalar is met, since most masks are of ranges and constants.
class MaskBounds {
public:
  MaskBounds(Operation *place, std::optional<analysis::IntegerRanges> &ranges)
      : place(place), ranges(ranges) {}

  std::optional<Bounds> of(Value value, unsigned depth = 0);

private:
  std::optional<Bounds> ofArithmetic(Operation *op, unsigned depth);
  std::optional<Bounds> ofScalar(Value value);

  Operation *place;
  std::optional<analysis::IntegerRanges> &ranges;
};

std::optional<Bounds> MaskBounds::ofArithmetic(Operation *op, unsigned depth) {
  if (op->getNumOperands() != 2)
    return std::nullopt;
  auto a = of(op->getOperand(0), depth + 1), b = of(op->getOperand(1), depth + 1);
  const Type type = op->getResult(0).getType();
  // Sums and products of numbers of 31 bits have 63 at most.
  auto isShort = [](Bounds bounds) {
    return llvm::isInt<32>(bounds.least) && llvm::isInt<32>(bounds.most);
  };
  if (!a || !b || !isShort(*a) || !isShort(*b))
    return std::nullopt;
  if (llvm::isa<arith::AddIOp>(op))
    return within({a->least + b->least, a->most + b->most}, type);
  if (llvm::isa<arith::SubIOp>(op))
    return within({a->least - b->most, a->most - b->least}, type);
  if (a->least < 0 || b->least < 0)
    return std::nullopt;
  if (llvm::isa<arith::MulIOp>(op))
    return within({a->least * b->least, a->most * b->most}, type);
  if (b->least > 0 && llvm::isa<arith::DivSIOp, arith::DivUIOp>(op))
    return Bounds{a->least / b->most, a->most / b->least};
  if (b->least > 0 && llvm::isa<arith::RemSIOp, arith::RemUIOp>(op))
    return Bounds{0, std::min(a->most, b->most - 1)};
  return std::nullopt;
}

std::optional<Bounds> MaskBounds::ofScalar(Value value) {
  auto kernel = place->getParentOfType<func::FuncOp>();
  if (!kernel || tile::blockOf(kernel))
    return std::nullopt;
  if (!ranges)
    ranges.emplace(kernel);
  const llvm::ConstantRange range = ranges->rangeOf(value, place);
  if (range.isFullSet() || range.isEmptySet() || range.getBitWidth() > 64)
    return std::nullopt;
  return Bounds{range.getSignedMin().getSExtValue(), range.getSignedMax().getSExtValue()};
}

std::optional<Bounds> MaskBounds::of(Value value, unsigned depth) {
  if (depth > mostOperations || !llvm::isa<IntegerType>(tile::elementOf(value.getType())))
    return std::nullopt;
  if (auto bounds = ofConstant(value))
    return bounds;
  if (!tile::isTile(value.getType()))
    return ofScalar(value);
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto range = llvm::dyn_cast<tile::RangeOp>(op)) {
    const int64_t first = range.getStart();
    return Bounds{first, first + tile::elementCount(range.getType()) - 1};
  }
  const bool keepsNumbers = tile::movesLanes(op) || llvm::isa<tile::SplatOp, arith::ExtSIOp>(op);
  if (op->getNumOperands() == 1 && keepsNumbers)
    return of(op->getOperand(0), depth + 1);
  return ofArithmetic(op, depth);
}

std::optional<bool> decide(arith::CmpIPredicate predicate, Bounds a, Bounds b) {
  switch (predicate) {
  case arith::CmpIPredicate::ult:
  case arith::CmpIPredicate::ule:
  case arith::CmpIPredicate::ugt:
  case arith::CmpIPredicate::uge:
    if (a.least < 0 || b.least < 0)
      return std::nullopt;
    break;
  default:
    break;
  }
  auto answer = [](bool always, bool never) {
    return always || never ? std::optional(always) : std::nullopt;
  };
  const bool isApart = a.most < b.least || b.most < a.least;
  switch (predicate) {
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ult:
    return answer(a.most < b.least, a.least >= b.most);
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::ule:
    return answer(a.most <= b.least, a.least > b.most);
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ugt:
    return answer(a.least > b.most, a.most <= b.least);
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::uge:
    return answer(a.least >= b.most, a.most < b.least);
  case arith::CmpIPredicate::eq:
    return answer(false, isApart);
  case arith::CmpIPredicate::ne:
    return answer(isApart, false);
  }
  return std::nullopt;
}

/// In place of the branch; one that has no else gives nothing.
void keepOnly(bool answer, scf::IfOp branch, IRRewriter &rewriter) {
  Block *taken = answer ? branch.thenBlock() : branch.elseBlock();
  if (!taken)
    return rewriter.eraseOp(branch);
  Operation *yield = taken->getTerminator();
  llvm::SmallVector<Value> results(yield->getOperands());
  rewriter.eraseOp(yield);
  rewriter.inlineBlockBefore(taken, branch);
  rewriter.replaceOp(branch, results);
}

/// Branches that every round of a loop takes, or none. All answers first: the ranges are of the
/// kernel as it is. Inner branches stand before outer ones.
void decideBranches(func::FuncOp kernel) {
  llvm::SmallVector<std::pair<scf::IfOp, arith::CmpIOp>> branches;
  kernel.walk([&](scf::IfOp branch) {
    if (auto comparison = branch.getCondition().getDefiningOp<arith::CmpIOp>())
      branches.emplace_back(branch, comparison);
  });
  if (branches.empty() || tile::blockOf(kernel))
    return;
  analysis::IntegerRanges ranges(kernel);
  llvm::SmallVector<std::pair<scf::IfOp, bool>> decided;
  for (auto [branch, comparison] : branches)
    if (auto answer = ranges.decide(comparison))
      decided.emplace_back(branch, *answer);
  IRRewriter rewriter(kernel.getContext());
  for (auto [branch, answer] : decided)
    keepOnly(answer, branch, rewriter);
}

/// Comparisons of tiles whose every element gives one answer.
void decideTiles(func::FuncOp kernel) {
  std::optional<analysis::IntegerRanges> ranges;
  llvm::SmallVector<std::pair<arith::CmpIOp, bool>> decided;
  kernel.walk([&](arith::CmpIOp comparison) {
    if (!llvm::isa<RankedTensorType>(comparison.getType()))
      return;
    MaskBounds bounds(comparison, ranges);
    auto b = bounds.of(comparison.getRhs()); // mostly the constant, and soon known not to be one
    auto a = b ? bounds.of(comparison.getLhs()) : std::nullopt;
    if (auto answer = a ? decide(comparison.getPredicate(), *a, *b) : std::nullopt)
      decided.emplace_back(comparison, *answer);
  });
  for (auto [comparison, answer] : decided) {
    OpBuilder builder(comparison);
    auto type = llvm::cast<RankedTensorType>(comparison.getType());
    Value constant = arith::ConstantOp::create(builder, comparison.getLoc(),
                                               DenseElementsAttr::get(type, answer));
    comparison.replaceAllUsesWith(constant);
    comparison.erase();
  }
}

struct DecideMasks final : impl::DecideMasksBase<DecideMasks> {
  void runOnOperation() override {
    getOperation()->walk([](func::FuncOp kernel) {
      decideBranches(kernel);
      decideTiles(kernel);
    });
  }
};

} // namespace

} // namespace nereid::passes
